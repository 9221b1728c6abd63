import CarillonLinks
import CarillonModel

/// `carillon routes check`: says everything that is wrong with a routes file.
enum RoutesCheck {
  static let verb = CommandLineVerb(
    "routes check", "Say what is wrong with a routes file", forms: ["[FILE] [--json]"],
    operands: .init("FILE", 0...1), configuration: .companion,
    groups: [OptionGroup("Output", [RoutesFile.option, SharedOptions.json])],
    discussion:
      "Prints for each route a link that it is for. Ends with 78 where anything is wrong, also where a companion would "
      + "still start: with a route that is never reached, or a program that is not there.",
    examples: [
      .init("The file that the companion uses:", "carillon routes check"),
      .init("A file before it is put in place:", "carillon routes check routes.json5"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    guard let routes = try RoutesFile(call, path: call.operands.first) else { throw RoutesFile.none }
    let search = ProgramSearch(call.surroundings.environment)
    let report = Router.check(.object(routes.file.object), inspecting: search.fault)
    if call.settings.has("json") {
      for each in report.examples { call.console.print(json(each)) }
      for each in report.faults { call.console.print(json(each)) }
    } else {
      var table = Table(["ROUTE", "LINK", "EXAMPLE"])
      call.console.print(lines: table.page(report.examples.map { [$0.path, $0.route, $0.link.text] }))
    }
    for fault in report.faults {
      let failure = routes.file.failure(Refusal(fault.code, at: fault.path, fault.message))
      call.console.say("\(fault.isFatal ? "error" : "warning"): \(failure.message)")
      call.console.say(lines: failure.details)
      call.console.say("  remedy: \(fault.remedy)")
    }
    let count = report.examples.count == 1 ? "1 route" : "\(report.examples.count) routes"
    call.console.say("\(routes.file.path): \(count), \(faults(report.faults.count))")
    return report.isClean ? .done : .configuration
  }

  private static func faults(_ count: Int) -> String {
    switch count {
    case 0: "nothing wrong"
    case 1: "1 fault"
    default: "\(count) faults"
    }
  }

  private static func json(_ example: RoutesReport.Example) -> JSON {
    ["path": .string(example.path), "route": .string(example.route), "example": .string(example.link.text)]
  }

  private static func json(_ fault: RouteFault) -> JSON {
    [
      "path": .string(fault.path), "fatal": .bool(fault.isFatal), "code": .string(fault.code.rawValue),
      "message": .string(fault.message), "remedy": .string(fault.remedy),
    ]
  }
}
