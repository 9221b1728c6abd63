import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// What `carillon doctor` finds with a real broker.
@Suite("Doctor", .onOwnThreadWithFewOthers)
struct DoctorTests {
  /// The statuses by check; where a check has several findings, the worst.
  private func statuses(_ run: Run) throws -> [String: String] {
    let order = ["skipped", "ok", "warning", "wrong"]
    var statuses: [String: String] = [:]
    for finding in try run.json {
      let (check, status) = (finding["check"]?.text ?? "", finding["status"]?.text ?? "")
      guard order.contains(status) else { throw TestFailure("\(finding.written)") }
      let known = order.firstIndex(of: statuses[check] ?? "skipped") ?? 0
      if let rank = order.firstIndex(of: status), rank >= known { statuses[check] = status }
    }
    return statuses
  }

  private func remedies(_ run: Run, _ check: String) throws -> String {
    try run.json.filter { $0["check"]?.text == check }.flatMap { $0["remedies"]?.elements ?? [] }
      .compactMap(\.text).joined(separator: "\n")
  }

  @Test("Where all is well it says so and ends with 0")
  func allGood() throws {
    let house = try House()
    let folder = try TemporaryDirectory()
    let routes = try folder.write("routes.json5", #"{ routes: [{ link: "a://b", navigate: ["/b"] }] }"#)
    let companion = try house.companion("desk", routes: #"{ routes: [] }"#)
    let arguments = [
      "doctor", "--store", "sqlite:\(house.store)", "--device", "desk", "--routes", routes,
    ]
    let environment = ["XDG_RUNTIME_DIR": companion.home.file(".xdg_runtime_dir"), "TZ": "Europe/Berlin"]
    let run = try house.run(arguments + ["--json"], environment: environment)
    #expect(run.status == .exited(0), "\(run.text)")
    let found = try statuses(run)
    for check in [
      "broker", "permissions", "relay", "one relay", "store", "free space", "companion", "timezone", "routes",
    ] {
      #expect(found[check] == "ok", "\(check): \(run.text)")
    }
    let text = try house.run(arguments, environment: environment)
    #expect(text.output.first == "STATUS   CHECK          FINDING", "\(text.text)")
    // It has asked, and left nothing behind.
    #expect(try house.pending() == [])
  }

  @Test("With nothing running it names the broker first, ends with 1, and breaks off nowhere")
  func nothing() throws {
    let run = try Run(["doctor", "--json", "--broker", "mqtt://127.0.0.1:\(try Loopback.freePort())"])
    #expect(run.status == .exited(1), "\(run.text)")
    let found = try statuses(run)
    #expect(found["broker"] == "wrong" && found["store"] == "skipped" && found["routes"] == "skipped")
    #expect(try remedies(run, "broker").contains("mosquitto"))
    #expect(found["clock"] != nil && found["tzdata"] != nil)
  }

  @Test("A broker without a relay, and one whose relay has gone")
  func noRelay() throws {
    let house = try House(start: false)
    let never = try house.run(["doctor", "--json", "--wait", "1s"])
    #expect(never.status == .exited(1))
    #expect(try statuses(never)["relay"] == "wrong")
    #expect(try remedies(never, "relay").contains("carillon relay"))
    try house.startRelay()
    try house.stopRelay()
    let gone = try house.run(["doctor", "--json", "--wait", "1s"])
    #expect(gone.status == .exited(1) && gone.text.contains("offline"), "\(gone.text)")
  }

  /// A broker with logins, one that may do everything and one that may not.
  private func guarded(_ folder: TemporaryDirectory, acl: String) throws -> Broker {
    let passwords = folder.file("passwords")
    for (index, user) in ["relay", "cron"].enumerated() {
      let tool = try Program(
        ["-b"] + (index == 0 ? ["-c"] : []) + [passwords, user, "secret-\(user)"],
        executable: "/usr/bin/mosquitto_passwd")
      guard try tool.waitForExit() == .exited(0) else { throw TestFailure("\(tool.lines(.errors))") }
      try folder.write("\(user).pw", "secret-\(user)\n")
    }
    let list = try folder.write("acl", "user relay\ntopic readwrite #\nuser cron\n\(acl)")
    return try Broker(
      configuration: "allow_anonymous false\npassword_file \(passwords)\nacl_file \(list)")
  }

  private func login(_ folder: TemporaryDirectory, _ user: String) -> [String] {
    ["--username", user, "--password-file", folder.file("\(user).pw")]
  }

  @Test("A wrong password, and a login whose rights the broker withholds without a word")
  func withheld() throws {
    let folder = try TemporaryDirectory()
    let broker = try guarded(
      folder,
      acl:
        "topic read carillon/relay/#\ntopic write carillon/command/cron\ntopic read carillon/reply/cron/#\n")
    let relay = try Program(
      ["relay", "--broker", broker.url, "--store", "sqlite:\(folder.file("relay.db"))"]
        + login(folder, "relay"))
    try relay.wait(for: "the connection", on: .errors) { $0.contains("connected") }
    let doctor = ["doctor", "--json", "--broker", broker.url, "--wait", "2s"]
    let wrong = try folder.write("wrong.pw", "guess")
    let refused = try Run(doctor + ["--username", "cron", "--password-file", wrong])
    #expect(try refused.status == .exited(1) && statuses(refused)["broker"] == "wrong", "\(refused.text)")
    #expect(refused.text.contains("passwordFile") && !refused.text.contains("guess"), "\(refused.text)")
    // On the bare topic the list lets this user do nothing, and the broker acknowledges it all.
    let silent = try Run(doctor + login(folder, "cron"))
    #expect(try silent.status == .exited(1) && statuses(silent)["permissions"] == "wrong", "\(silent.text)")
    #expect(try remedies(silent, "permissions").contains("pattern write carillon/command/%u"))
    let good = try Run(doctor + login(folder, "cron") + ["--publisher", "cron"])
    #expect(try good.status == .exited(0) && statuses(good)["permissions"] == "ok", "\(good.text)")
    try relay.stop()
  }

  @Test("Two relays under one prefix are found")
  func twoRelays() throws {
    let house = try House()
    let other = try Program(
      ["relay", "--broker", house.broker.url, "--store", "sqlite:\(house.folder.file("other.db"))"])
    try other.wait(for: "the connection", on: .errors) { $0.contains("connected") }
    let run = try house.run(["doctor", "--json"])
    #expect(try run.status == .exited(1) && statuses(run)["one relay"] == "wrong", "\(run.text)")
    try other.stop()
  }

  @Test("Faults in files, a damaged store and what is denied are told with what to do")
  func files() throws {
    let house = try House()
    let home = try TemporaryDirectory()
    let routes = try home.write("routes.json5", #"{ routes: [{ link: "a://:b", navigate: ["/b"] }] }"#)
    let store = try home.write("bad.db", "no store")
    let state = home.file("state")
    mkdir(state, 0o700)
    try house.run(["device", "deny", "--device", "desk", "--state", state, "--publisher", "spam"]).expect(0)
    mkdir(home.file("config"), 0o700)
    mkdir(home.file("config/carillon"), 0o700)
    try home.write("config/carillon/relay.json5", "{ brokre: 1 }")
    let environment = ["XDG_CONFIG_HOME": home.file("config")]
    let run = try house.run(
      ["doctor", "--json", "--routes", routes, "--device", "desk", "--state", state], environment: environment
    )
    #expect(run.status == .exited(1) && run.text.contains("brokre"), "\(run.text)")
    let found = try statuses(run)
    #expect(
      found["configuration"] == "wrong" && found["routes"] == "wrong" && found["authorization"] == "warning")
    #expect(try remedies(run, "authorization") == "carillon device authorize --publisher spam")
    let damaged = try house.run(["doctor", "--json", "--store", "sqlite:\(store)"])
    #expect(try damaged.status == .exited(1) && statuses(damaged)["store"] == "wrong", "\(damaged.text)")
    #expect(try remedies(damaged, "store").contains("carillon restore"))
  }
}
