import CarillonModel

/// `carillon doctor`: looks at everything that has to be right here, and says what to do about what is not.
enum Doctor {
  static let verb = CommandLineVerb(
    "doctor", "Say what is wrong here, and what to do about it", forms: ["[OPTION…]"],
    configuration: .nothing,
    groups: [
      OptionGroup(
        "What is looked at",
        [
          Option(
            "store", "sqlite:PATH", key: .environment, "The relay's store. Default: as the relay has it."),
          Option("device", "NAME", key: .environment, "The device. Default: as the companion has it."),
          Option("state", "DIR", path: true, key: .environment, "The companion's state folder."),
          Option("routes", "FILE", path: true, key: .environment, "The routes file."),
          Option(
            "publisher", "NAME", key: .environment,
            "Ask on command/NAME, for brokers that check who publishes."),
          Option("wait", "D", key: .environment, "How long broker and relay may take to answer. Default 5s."),
          SharedOptions.json,
        ]), SharedOptions.broker,
    ],
    discussion:
      "One line for each check: ok, warning, wrong, or skipped where there is nothing to look at; below it what to do. "
      + "What this login may do is found out by asking the relay a harmless question, since brokers grant in words "
      + "what they then withhold. Changes nothing. Ends with 1 where anything is wrong. A file named with --config is "
      + "that of the verbs which talk to the relay.",
    examples: [
      .init("On any machine of the household:", "carillon doctor"),
      .init(
        "As a publisher with a login:",
        "carillon doctor --username cron --password-file /etc/cron.pw --publisher cron"),
      .init("For a program:", "carillon doctor --json"),
    ], run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let site = Site(call)
    var findings = site.configuration
    findings += BrokerInspection.run(site)
    findings += ClockInspection.run(site)
    findings += StoreInspection.run(site)
    findings += DeviceInspection.run(site)
    findings += RoutesInspection.run(site)
    if call.settings.has("json") {
      for finding in findings { call.console.print(finding.json) }
    } else {
      call.console.print(lines: lines(findings))
    }
    let (wrong, warnings) = (count(.wrong, findings), count(.warning, findings))
    call.console.say(
      wrong == 0 && warnings == 0 ? "nothing is wrong" : "\(wrong) wrong, \(warnings) warnings")
    return wrong == 0 ? .done : .failure
  }

  private static func count(_ status: Finding.Status, _ findings: [Finding]) -> Int {
    findings.count { $0.status == status }
  }

  private static func lines(_ findings: [Finding]) -> [String] {
    var table = Table(["STATUS", "CHECK", "FINDING"])
    var lines = table.page(findings.map { [$0.status.rawValue, $0.check, $0.message] })
    var result = [lines.removeFirst()]
    for (line, finding) in zip(lines, findings) {
      result += [line] + finding.remedies.map { "         \($0.hasPrefix(" ") ? $0 : "remedy: \($0)")" }
    }
    return result
  }
}
