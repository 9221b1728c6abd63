import CarillonCompanion
import CarillonLoop
import CarillonModel
import Glibc

/// `carillon device authorize` and `deny`: whose notifications this device presents.
enum DeviceVerbs {
  static let authorize = verb(
    .authorized, "Present a publisher's notifications on this device",
    [
      .init("After all:", "carillon device authorize --publisher homeassistant"),
      .init("Everybody whom no rule denies:", "carillon device authorize"),
      .init("Commands that name no publisher:", "carillon device authorize --publisher="),
    ])
  static let deny = verb(
    .denied, "Receive and list a publisher's notifications on this device, but do not present them",
    [
      .init("One publisher:", "carillon device deny --publisher advertiser"),
      .init("What does not matter much:", "carillon device deny --level passive"),
      .init(
        "One thread of one publisher:", "carillon device deny --publisher homeassistant --thread laundry"),
    ])

  private static func verb(
    _ standing: Authorization.Standing, _ summary: String, _ examples: [CommandLineVerb.Example]
  ) -> CommandLineVerb {
    CommandLineVerb(
      standing == .authorized ? "device authorize" : "device deny", summary,
      forms: ["[--publisher P] [--thread T] [--level L]"], configuration: .companion,
      groups: [
        OptionGroup(
          "Whom",
          [
            Option(
              "publisher", "P", key: .environment,
              "Only this publisher's; '' for commands that name none."),
            Option("thread", "T", key: .environment, "Only what is in this thread; '' for what is in none."),
            Option("level", "L", key: .environment, "Only passive, active, timeSensitive or critical."),
          ]),
        OptionGroup(
          "Where",
          [
            DeviceName.option,
            Option(
              "state", "DIR", path: true,
              "The folder of the inbox. Default: companion/NAME in the state folder."),
          ]),
      ],
      discussion:
        "Without a choice it is for everybody whom no rule names. Of several rules that fit a notification the one "
        + "with the most choices counts, of equal ones the newest; they come before those of the configuration. A "
        + "companion that runs keeps to it at once.",
      examples: examples, run: { try run(standing, $0) })
  }

  private static func run(_ standing: Authorization.Standing, _ call: Invocation) throws -> ExitStatus {
    let rule = try rule(standing, call)
    let device = try DeviceName.named(call)
    let state = try Service.state(
      call.settings.text("state"), call, remedy: "name one with --state", default: "/companion/\(device)")
    do throws(AuthorizationFault) { try AuthorizationFile(in: state).decide(rule) } catch {
      throw Failure(.configuration, error.description)
    }
    if let path = try? Attach.socket(of: device, call) { reload(path) }
    let words = rule.words
    call.console.print("\(device): \(standing.rawValue) for \(words.isEmpty ? "everybody" : words)")
    return .done
  }

  private static func rule(
    _ standing: Authorization.Standing, _ call: Invocation
  ) throws -> Authorization.Rule {
    var object: JSONObject = ["standing": .string(standing.rawValue)]
    for name in ["publisher", "thread", "level"] {
      if let text = call.settings.text(name) { object.append(name, .string(text)) }
    }
    guard object.members.count > 1 else { return Authorization.Rule(standing: standing) }
    do throws(Refusal) { return try Authorization.Rule(reading: Fields(object)) } catch {
      throw call.settings[error.path]?.failure(error.message) ?? Failure.usage(error.description)
    }
  }

  /// Tells a companion that runs, and waits until it has read the new rules: what comes after this verb has ended is judged
  /// by them. Where none runs there is nothing to do.
  private static func reload(_ path: String) {
    guard let descriptor = try? UnixSocket.connect(to: path) else { return }
    defer { close(descriptor) }
    let line = Array("{\"reload\":\"authorization\"}\n".utf8)
    guard send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count else { return }
    var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    // A busy companion reads them a little later.
    poll(&request, 1, 2000)
  }
}
