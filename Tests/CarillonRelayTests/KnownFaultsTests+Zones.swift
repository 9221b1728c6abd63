import CarillonModel
import CarillonTestSupport
import CarillonTime
import FoundationEssentials
import Testing

@testable import CarillonRelay
@testable import CarillonStore

/// Zones that are not there, that go, that are damaged, and that are not named.
extension KnownFaultsTests {
  /// tzdata of the test's own, with some zones of the machine.
  private func tzdata(_ names: String...) throws -> TemporaryDirectory {
    let folder = try TemporaryDirectory()
    for name in names {
      let file = URL(filePath: folder.file(name))
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(contentsOf: URL(filePath: ZoneDatabase.systemDirectory).appending(path: name)).write(to: file)
    }
    return folder
  }

  private var daily: String { #"{"calendar":{"hour":8},"repeats":true}"# }

  @Test func `A zone that is not there is refused by name, and what was accepted stays as it is`() throws {
    let bench = try RelayBench(at: try time("2027-07-01T00:00:00Z"))
    for (id, zone) in [("r1", "Mars/Olympus"), ("r2", "Etc/Unknown")] {
      let reply = try bench.send(request(id, daily, zone))
      #expect(reply?.code == "invalid")
      #expect(reply?["error"]?["message"]?.text?.contains(zone) == true)
    }
    for (id, zone) in [("r3", "Europe/Kiev"), ("r4", "Europe/Kyiv")] {
      let reply = try bench.send(request(id, daily, zone))
      #expect(reply?["next"]?.text == "2027-07-01T08:00:00.000+03:00")
    }
    #expect(try bench.send(request("r4", daily, "Not/AZone"))?.code == "invalid")
    bench.advance(6 * 3_600_000)
    #expect(bench.sent.map(\.id) == ["r3", "r4"])
    #expect(bench.sent.allSatisfy { $0.at == (try? time("2027-07-01T05:00:00Z")) })
  }

  @Test func `A zone that goes, or is damaged in the store, stops its own requests and no others`() throws {
    let folder = try tzdata("Europe/Kiev", "Europe/Kyiv", "Europe/Berlin", "Asia/Tokyo")
    let bench = try RelayBench(
      at: try time("2027-07-01T00:00:00Z"), zones: ZoneDatabase(directory: folder.path))
    for (id, zone) in [
      ("r3", "Europe/Kiev"), ("r4", "Europe/Kyiv"), ("r5", "Asia/Tokyo"), ("r6", "Europe/Berlin"),
    ] {
      #expect(try bench.send(request(id, daily, zone))?["ok"] == .bool(true))
    }
    func states() throws -> [String?] {
      try bench.send(#"{"command":"pending"}"#)?["items"]?.elements?.map { $0["state"]?.text } ?? []
    }
    try FileManager.default.removeItem(at: URL(filePath: folder.file("Asia/Tokyo")))
    bench.zonesAreReplaced()
    #expect(try states() == ["pending", "pending", "invalid", "pending"])

    try bench.queue.database.execute("UPDATE zone SET name = 'Europe/K' WHERE name = 'Europe/Kiev'")
    bench.queue.forgetNames()
    try bench.restart()
    bench.advance(24 * 3_600_000)
    #expect(try states() == ["invalid", "pending", "invalid", "pending"])
    #expect(bench.sent.map(\.id) == ["r4", "r6"])
    #expect(
      bench.sent.map { timestamp(utc: WallTime(milliseconds: $0.at), milliseconds: false) }
        == ["2027-07-01T05:00:00Z", "2027-07-01T06:00:00Z"])
  }

  @Test func `A time without an offset is the zone's, and the reply says which`() throws {
    let bench = try RelayBench(at: try time("2027-06-01T00:00:00Z"))
    func reply(_ time: String, _ zone: String?) throws -> (String?, String?) {
      let zone = zone.map { #","timezone":"\#($0)""# } ?? ""
      let reply = try bench.send(#"{"title":"t","to":"d","trigger":{"at":"\#(time)"}\#(zone)}"#)
      return (reply?["next"]?.text, reply?["timezone"]?.text)
    }
    #expect(try reply("2027-06-10T09:00:00", nil) == ("2027-06-10T09:00:00.000+00:00", "UTC"))
    #expect(
      try reply("2027-06-10T09:00:00", "Asia/Tokyo") == ("2027-06-10T09:00:00.000+09:00", "Asia/Tokyo"))
    #expect(try reply("2027-06-10T09:00:00+05:45", nil) == ("2027-06-10T03:15:00.000+00:00", "UTC"))
  }

  @Test func `Computed times do not stay in the offset of the day on which they were computed`() throws {
    let found = try firings(
      #"{"calendar":{"hour":7},"repeats":true}"#, "Europe/Prague", from: "2027-03-27T07:00:00Z",
      to: "2027-03-30T00:00:00Z")
    #expect(found == ["2027-03-28T05:00:00Z", "2027-03-29T05:00:00Z"])
  }

  @Test func `A request without a zone keeps the one it was accepted with, whatever the machine's is later`()
    throws
  {
    let bench = try RelayBench(
      at: try time("2027-03-27T08:00:00+01:00"),
      defaultZone: try ZoneDatabase().zone(named: "Europe/Prague"))
    let request = #"{"id":"a","title":"t","to":"d","trigger":{"calendar":{"hour":7},"repeats":true}}"#
    #expect(try bench.send(request)?["timezone"]?.text == "Europe/Prague")
    bench.advance(try time("2027-03-28T12:00:00Z") - bench.wall)
    bench.saveMarks()
    try bench.restart(defaultZone: try ZoneDatabase().zone(named: "Asia/Tokyo"))
    bench.advance(try time("2027-03-30T12:00:00Z") - bench.wall)
    #expect(
      bench.notifications("a").map { timestamp(utc: WallTime(milliseconds: $0.at), milliseconds: false) }
        == ["2027-03-28T05:00:00Z", "2027-03-29T05:00:00Z", "2027-03-30T05:00:00Z"])
    let listed = try bench.send(#"{"command":"pending"}"#)?["items"]?.elements?.first
    #expect(listed?["timezone"]?.text == "Europe/Prague")
    #expect(listed?["next"]?.text == "2027-03-31T07:00:00.000+02:00")
    // What is accepted from now on has the new one.
    #expect(try bench.send(request)?["next"]?.text == "2027-03-31T07:00:00.000+09:00")
  }
}

extension Queue {
  /// What a store that is opened anew has not read yet.
  fileprivate func forgetNames() {
    zoneRows = [:]
    zoneNames = [:]
  }
}
