import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// Backup and restore of the store of a real relay, and its metrics.
@Suite("Care", .onOwnThreadWithFewOthers)
struct CareTests {
  private let future = #""trigger":{"after":"1h"}"#

  @Test("A backup beside a relay that runs holds what it has acknowledged, and restoring brings that back")
  func thereAndBack() throws {
    let house = try House()
    let device = try house.device("desk")
    try house.command(#"{"id":"one","title":"x",\#(future)}"#)
    let file = house.folder.file("backup.db")
    let store = "sqlite:\(house.store)"
    try house.run(["backup", file, "--store", store]).expect(0)
    var status = stat()
    #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
    try house.run(["backup", file, "--store", store]).expect(65)
    try house.command(#"{"id":"two","title":"x",\#(future)}"#)
    try house.command(#"{"id":"now","title":"x","to":"desk"}"#)
    let before = try device.waitForMessage().json["delivery"]?.text
    try house.respond("desk", try #require(before), "received")
    #expect(try house.run(["store", "check", file]).output == ["sound"])
    // While it runs nothing is put in its place.
    let early = try house.run(["restore", file, "--store", store])
    #expect(early.status == .exited(75) && early.text.contains("pid"), "\(early.text)")
    #expect(try house.pending().sorted() == ["one", "two"])
    let id = try #require(house.broker.clients.first { $0.hasPrefix("carillon-relay-") })
    try house.stopRelay()
    let late = try house.run(["restore", file, "--store", store])
    #expect(late.status == .exited(0) && late.text.contains(".before-restore-"), "\(late.text)")
    #expect(late.text.contains(id.suffix(8)), "\(late.text)")
    try house.startRelay()
    #expect(try house.pending() == ["one"])
    // The acceptance number of "now" is given again; its delivery id is not.
    try house.command(#"{"id":"again","title":"x","to":"desk"}"#)
    let after = try device.waitForMessage().json
    #expect(after["id"] == "again" && after["delivery"]?.text != before)
    #expect(after["delivery"]?.text?.hasPrefix(String(id.suffix(8))) == false)
  }

  @Test("A backup that is asked for replaces the one of before, and holds commands sent all the while")
  func underLoad() throws {
    let house = try House()
    let file = house.folder.file("backup.db")
    for round in 1...5 {
      for index in 1...40 {
        try house.client.publish("carillon/command", #"{"id":"\#(round)-\#(index)","title":"x",\#(future)}"#)
      }
      let known = try house.command(#"{"command":"pending","limit":1000}"#)["items"]?.elements?.count ?? 0
      let run = try house.run(["backup", file, "--store", "sqlite:\(house.store)", "--force"])
      #expect(run.status == .exited(0), "\(run.text)")
      let held = run.output.first?.split(separator: " ").dropLast().last.flatMap { Int($0) } ?? 0
      #expect(held >= known)
    }
    #expect(try house.run(["store", "check", file]).output == ["sound"])
  }

  @Test("What is no backup is refused with 65, and the store stays")
  func badFiles() throws {
    let house = try House()
    try house.command(#"{"id":"one","title":"x",\#(future)}"#)
    let companion = try house.companion("desk")
    let inbox = companion.home.file(".xdg_state_home/carillon/companion/desk/inbox.db")
    try companion.stop()
    let store = "sqlite:\(house.store)"
    let good = house.folder.file("good.db")
    try house.run(["backup", good, "--store", store]).expect(0)
    try house.stopRelay()
    let cut = try #require(house.folder.bytes("good.db"))
    let damaged = cut.enumerated().map { $0.offset > 8192 && $0.offset < 30_000 ? UInt8(0x55) : $0.element }
    let files = [
      try house.folder.write("text", "no store"), try house.folder.write("empty", ""),
      try house.folder.write("cut", Array(cut.prefix(cut.count / 2))),
      try house.folder.write("damaged", damaged), inbox, house.folder.file("missing"), house.store,
      house.folder.path,
    ]
    for file in files {
      let run = try house.run(["restore", file, "--store", store])
      #expect(run.status == .exited(65), "\(file): \(run.status) \(run.text)")
      #expect(run.errors.count == 1, "\(run.text)")
    }
    #expect(house.folder.names.allSatisfy { !$0.contains("before-restore") && !$0.contains(".part") })
    try house.startRelay()
    #expect(try house.pending() == ["one"])
  }

  @Test("Without a store, or where nothing can be written, a backup leaves nothing behind")
  func noBackup() throws {
    let house = try House(start: false)
    let none = try house.run(["backup", "b.db", "--store", "sqlite:/nonexistent/relay.db"])
    #expect(none.status == .exited(78), "\(none.text)")
    #expect(try house.run(["backup", "b.db", "--store", "mysql:x"]).status == .exited(64))
    try house.startRelay()
    let run = try house.run(["backup", "/nonexistent/b.db", "--store", "sqlite:\(house.store)"])
    #expect(run.status == .exited(1) && run.text.contains("/nonexistent/b.db"), "\(run.text)")
    #expect(
      try house.run(["backup", house.store, "--store", "sqlite:\(house.store)", "--force"]).status
        == .exited(65))
    #expect(try house.run(["restore", "x", "--force"]).status == .exited(64))
  }

  @Test("The counts are written as Prometheus reads them")
  func metrics() throws {
    let house = try House(start: false)
    let file = house.folder.file("carillon.prom")
    let relay = try house.startRelay(["--metrics", file])
    try eventually("the first page") { house.folder.read("carillon.prom") != nil }
    let device = try house.device("desk")
    try house.waitForStatus("device/desk", "online")
    try house.command(#"{"id":"one","title":"x",\#(future)}"#)
    try house.command(#"{"command":"pause","ids":["one"]}"#)
    try house.command(#"{"id":"now","title":"x","to":"desk"}"#)
    try device.waitForMessage()
    try house.command(#"{"id":"soon","title":"x","to":"desk","trigger":{"after":"1s"}}"#)
    try device.waitForMessage()
    #expect(try house.ask(#"{"titel":"x"}"#)["ok"] == false)
    try house.stopRelay()
    #expect(relay.lines(.errors).allSatisfy { !$0.contains("metrics") })
    let page = try PrometheusPage(try #require(house.folder.read("carillon.prom")))
    #expect(page["carillon_requests"] == "1" && page["carillon_requests_paused"] == "1")
    #expect(page["carillon_devices_known"] == "1" && page["carillon_devices_online"] == "1")
    #expect(page["carillon_fired_total"] == "2" && page["carillon_failed_total"] == "0")
    #expect(page["carillon_commands_total"] == "5")
    #expect(page[#"carillon_rejected_total{code="unknown-field"}"#] == "1")
    #expect(page[#"carillon_rejected_total{code="past"}"#] == "0")
    #expect(page["carillon_lateness_seconds_count"] == "1")
    #expect(page[#"carillon_lateness_seconds_bucket{le="60"}"#] == "1")
    #expect(page[#"carillon_outbox_deliveries{state="unreceived"}"#] == "2")
    #expect(page["carillon_connected"] == "0")
    #expect(page.text.contains(#"carillon_build_info{version="0.1.0",store=""#))
    #expect(house.folder.names.allSatisfy { !$0.hasSuffix(".part") })
    try PrometheusPage.judge(page.text)
  }

  @Test("A place for the counts that cannot be written is told, and the relay goes on")
  func metricsNowhere() throws {
    let house = try House(relay: ["--metrics", "/nonexistent/carillon.prom"])
    let relay = try #require(house.relay)
    try relay.wait(for: "the warning", on: .errors) { $0.contains("metrics are not written to /nonexistent") }
    try house.command(#"{"id":"one","title":"x",\#(future)}"#)
  }
}

extension TemporaryDirectory {
  /// The names in it.
  var names: [String] {
    guard let directory = opendir(path) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) {
          String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        })
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  /// What a file holds, up to 4 MiB.
  func bytes(_ name: String) -> [UInt8]? {
    let descriptor = open(file(name), O_RDONLY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4 << 20)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return count < 0 ? nil : Array(bytes.prefix(count))
  }
}
