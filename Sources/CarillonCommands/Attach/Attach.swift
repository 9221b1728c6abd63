import CarillonCompanion
import CarillonLinks
import CarillonModel

/// `carillon attach`: an application for the companion of this machine, on standard output and input.
enum Attach {
  static let verb = CommandLineVerb(
    "attach", "Take a device's links in a script: steps on standard output, answers on standard input",
    forms: ["[--device NAME] [--json] SCHEME…"],
    operands: .init("SCHEME…", 1...ApplicationMessage.schemesLimit), configuration: .companion,
    groups: [OptionGroup("Options", [DeviceName.option, SharedOptions.json])],
    discussion:
      "Attaches to the companion that runs as this user, and waits for one where there is none. Prints one "
      + "event a line: attached DEVICE, notification DELIVERY TITLE, held DELIVERY TITLE, navigate DELIVERY "
      + "STEP OF TO, withdrawn DELIVERY REASON, expired DELIVERY. Answers are read from a pipe: done, failed "
      + "REASON, present [WAY…], tap DELIVERY, act DELIVERY ACTION [TEXT], dismiss DELIVERY. Where standard "
      + "input is no pipe, or at its end, every step is acknowledged by itself, and notifications are "
      + "presented as usual. With --json both are the socket's own objects.",
    examples: [
      .init(
        "Show each screen:",
        "carillon attach home | while read -r kind delivery step of to; do echo \"$kind $to\"; done"),
      .init("Answer each step by hand:", "cat | carillon attach home"),
      .init("For a program:", "carillon attach --json home https"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let device = try DeviceName.named(call)
    let schemes: Set<String>
    do throws(Refusal) {
      let words = JSON.array(call.operands.map { .string($0) })
      schemes = try LinkPolicy.schemes(Fields(["SCHEME": words] as JSONObject), "SCHEME") ?? []
    } catch { throw Failure.usage("\(error.path): \(error.message)") }
    let client = try AttachClient(path: try socket(of: device, call), device: device, schemes: schemes, call)
    return try client.run()
  }

  /// The path of the companion's socket.
  static func socket(of device: Name, _ call: Invocation) throws -> String {
    let path = SocketPlace.path(
      device: device, environment: call.surroundings.environment, state: call.surroundings.stateFolder)
    guard let path else {
      throw Failure(
        .configuration, "there is no place for a socket: neither XDG_RUNTIME_DIR nor HOME is set")
    }
    return path
  }
}
