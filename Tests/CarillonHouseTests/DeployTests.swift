import CarillonLoop
import CarillonTestSupport
import Glibc
import Testing

/// What is in `deploy` besides scripts: the units, and the files for containers.
@Suite struct DeployTests {
  static let units = ["carillon-relay.service", "carillon-companion.service"]
  static let hasAnalyzer = access("/usr/bin/systemd-analyze", X_OK) == 0

  private func analyze(_ arguments: [String], _ folder: TemporaryDirectory) throws -> Program {
    let program = try Program(
      arguments, environment: ["XDG_RUNTIME_DIR": folder.path], executable: "/usr/bin/systemd-analyze")
    try program.waitForExit(within: .seconds(30))
    return program
  }

  /// A copy of a unit that starts the program from where it is built; that it is installed is the package's affair.
  private func copy(_ unit: String, into folder: TemporaryDirectory) throws -> String {
    let lines = try Repository.lines("deploy/systemd/\(unit)")
    let program = try Program.carillon()
    return try folder.write(
      unit,
      lines.map { line in
        line.hasPrefix("ExecStart=/usr/bin/carillon") ? "ExecStart=\(program)" : String(line)
      }.joined(separator: "\n"))
  }

  @Test(.enabled(if: hasAnalyzer, "systemd-analyze is not installed"), arguments: units)
  func systemdTakesTheUnitsAsTheyAre(_ unit: String) throws {
    let folder = try TemporaryDirectory()
    let path = try copy(unit, into: folder)
    let scope = unit == Self.units[0] ? [] : ["--user"]
    let program = try analyze(scope + ["verify", "--man=no", path], folder)
    let said = program.lines(.errors).filter { places(of: unit, in: $0).isEmpty == false }
    #expect(said == [], "\(program.lines(.errors))")
  }

  @Test(.enabled(if: hasAnalyzer, "systemd-analyze is not installed"))
  func theRelayIsShutIn() throws {
    let folder = try TemporaryDirectory()
    let path = try copy(Self.units[0], into: folder)
    let program = try analyze(["security", "--offline=true", "--threshold=20", "--no-pager", path], folder)
    #expect(try program.waitForExit() == .exited(0), "\(program.lines().suffix(3))")
    let verdict = try #require(program.lines().last { !places(of: "Overall exposure", in: $0).isEmpty })
    let level = verdict.split(separator: " ").compactMap { Double($0) }.first
    #expect(try #require(level) <= 2.0, "\(verdict)")
  }

  /// Without these a clock that is not set would pass for one that is, and a boot for the one before.
  @Test func theRelayMaySeeItsClocks() throws {
    let lines = try Repository.lines("deploy/systemd/\(Self.units[0])")
    #expect(lines.contains("SystemCallFilter=adjtimex clock_adjtime"))
    #expect(!lines.contains { $0.hasPrefix("ProtectClock=") || $0.hasPrefix("ProcSubset=") })
  }

  @Test(arguments: units) func aUnitIsToldThatItIsReadyAndLives(_ unit: String) throws {
    let lines = try Repository.lines("deploy/systemd/\(unit)")
    #expect(lines.contains("Type=notify"))
    #expect(lines.contains { $0.hasPrefix("WatchdogSec=") })
    #expect(lines.contains("ExecReload=/bin/kill -HUP $MAINPID"))
  }

  @Test func theComposeFileIsReadAndNamesWhatIsThere() throws {
    let script = """
      import sys
      try: import yaml
      except ImportError: print("no yaml"); sys.exit()
      whole = yaml.safe_load(open(sys.argv[1]))
      services = whole["services"]
      print(" ".join(sorted(services)), services["relay"]["build"]["dockerfile"])
      for service in services.values():
        for volume in service["volumes"]: assert volume.split(":")[0] in whole["volumes"], volume
      print(whole["configs"]["mosquitto"]["content"], end="")
      """
    let program = try Program(
      ["-c", script, Repository.root + "deploy/container/compose.yaml"], executable: "/usr/bin/python3")
    #expect(try program.waitForExit() == .exited(0), "\(program.lines(.errors))")
    let lines = program.lines()
    guard lines.first != "no yaml" else { return }
    #expect(lines.first == "broker relay deploy/container/Containerfile")
    let settings = try Repository.lines("config/mosquitto.conf")
    for line in lines.dropFirst() where !line.hasPrefix("listener") && !line.hasPrefix("persistence_location")
    {
      #expect(settings.contains(line[...]), "\(line)")
    }
  }

  @Test func theContainerAsksTheRelayForItsHealthAndRunsAsNobodySpecial() throws {
    let lines = try Repository.lines("deploy/container/Containerfile")
    #expect(lines.contains { $0.hasPrefix("HEALTHCHECK ") })
    #expect(lines.contains("USER carillon"))
    #expect(lines.filter { $0.hasPrefix("FROM ") }.last == "FROM docker.io/library/debian:12-slim")
    let check = try #require(lines.first { $0.hasPrefix("HEALTHCHECK ") })
    let words = try #require(check.firstRange(of: "[").map { check[$0.upperBound...] })
      .split(separator: ",").map { $0.filter { !"[]\" ".contains($0) } }
    // With no broker there, the check fails: 69.
    let program = try Program(
      Array(words.dropFirst()).map { $0 == "10s" ? "1s" : $0 } + ["--broker", "mqtt://127.0.0.1:1"])
    #expect(try program.waitForExit() == .exited(69), "\(program.lines(.errors))")
  }

  /// In the journal a line carries its priority; where only the variable is left over, it does not.
  @Test(arguments: [true, false]) func linesForTheJournalCarryTheirPriority(_ isJournal: Bool) throws {
    let stream = isJournal ? "$(stat -L -c %d:%i /proc/self/fd/2)" : "1:2"
    let relay = try Program(
      [
        "-c", "export JOURNAL_STREAM=\(stream); exec \"$0\" relay --broker mqtt://127.0.0.1:1",
        try Program.carillon(),
      ],
      executable: "/bin/bash")
    try relay.wait(for: "the broker", within: .seconds(20), on: .errors) {
      !places(of: "retrying", in: $0).isEmpty
    }
    relay.terminate()
    try relay.waitForExit()
    let lines = relay.lines(.errors)
    #expect(lines.contains { $0.hasPrefix("<6>relay on store ") } == isJournal, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("<4>") } == isJournal, "\(lines)")
  }
}
