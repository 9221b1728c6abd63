import CarillonModel
import CarillonStore
import CarillonTestSupport
import CarillonTime
import FoundationEssentials
import Testing

@testable import CarillonRelay

/// A relay whose tzdata is a folder of its own, in which one zone is as another one of the machine.
final class ZonesHouse {
  let folder: TemporaryDirectory
  let bench: RelayBench

  init(at start: String = "2027-06-01T12:00:00Z", like zone: String) throws {
    folder = try TemporaryDirectory()
    try ZonesHouse.install(zone, in: folder)
    guard case .instant(let time) = try WrittenTime(parsing: start) else { throw Refusal(.invalid, start) }
    bench = try RelayBench(at: time.milliseconds, zones: ZoneDatabase(directory: folder.path))
  }

  private static func install(_ zone: String, in folder: TemporaryDirectory) throws {
    let source = URL(filePath: ZoneDatabase.systemDirectory).appending(path: zone)
    let file = URL(filePath: folder.file("Home"))
    try? FileManager.default.removeItem(at: file)
    try Data(contentsOf: source).write(to: file)
  }

  /// Home is from now on as another zone.
  func replace(with zone: String) throws {
    try ZonesHouse.install(zone, in: folder)
    bench.zonesAreReplaced()
  }

  func remove() {
    try? FileManager.default.removeItem(at: URL(filePath: folder.file("Home")))
    bench.zonesAreReplaced()
  }

  func add(_ id: String, _ trigger: String, more: String = "") throws {
    let reply = try bench.send(
      #"{"id":"\#(id)","title":"t","to":"d","timezone":"Home","trigger":\#(trigger)\#(more)}"#)
    #expect(reply?["ok"] == .bool(true), "\(id)")
  }

  /// When a request fires next, as its listing says.
  func next(_ id: String) throws -> String? {
    let reply = try bench.send(#"{"command":"pending","ids":["\#(id)"]}"#)
    return reply?["items"]?.elements?.first?["next"]?.text
  }

  func fired(_ id: String) -> [String] {
    bench.notifications(id).map { timestamp(utc: WallTime(milliseconds: $0.at), milliseconds: false) }
  }

  /// The due time in a request's row.
  func stored(_ id: String) throws -> String? {
    try bench.queue.current(id)?.due.map(text)
  }

  /// The first note that a request is due before the time in its row.
  func note() throws -> String? {
    try bench.queue.earlier(through: .max, limit: 1).first.map { text($0.due) }
  }

  /// The next due time, as it is told to everybody.
  func nextDue() throws -> String? { try bench.queue.nextDue(on: .wall).map(text) }

  /// What the service does once a second.
  func settleHead() throws {
    let moment = bench.now()
    guard try bench.relay.isHeadUnsettled(at: moment) else { return }
    try bench.queue.transaction { () throws(StoreError) in
      _ = try bench.relay.settleHead(limit: 10, at: moment)
    }
  }

  private func text(_ milliseconds: Int64) -> String {
    timestamp(utc: WallTime(milliseconds: milliseconds), milliseconds: false)
  }
}
