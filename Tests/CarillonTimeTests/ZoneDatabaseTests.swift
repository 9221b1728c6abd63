import CarillonModel
import FoundationEssentials
import Glibc
import Testing

@testable import CarillonTime

struct ZoneDatabaseTests {
  /// A folder of its own for each test, taken away at its end.
  private func withFolder(_ body: (_ folder: URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "zones-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func install(_ zone: String, as name: String, in folder: URL) throws {
    let file = folder.appending(path: name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try? FileManager.default.removeItem(at: file)
    let source = URL(filePath: ZoneDatabase.systemDirectory).appending(path: zone).resolvingSymlinksInPath()
    try FileManager.default.copyItem(at: source, to: file)
  }

  private let system = ZoneDatabase(directory: ZoneDatabase.systemDirectory)

  @Test(arguments: [
    "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+12", "EST5EDT", "UTC", "Europe/Kiev",
  ])
  func `An installed zone is found under its name`(name: String) throws {
    #expect(try system.zone(named: name).name == name)
    #expect(try system.zone(named: name).name == name)
  }

  @Test(arguments: [
    "", " ", ".", "..", "../zoneinfo/Europe/Berlin", "Europe/../Europe/Berlin", "./Europe/Berlin",
    "/usr/share/zoneinfo/Europe/Berlin",
    "/etc/passwd", "Europe/Berlin/", "/Europe/Berlin", "Europe//Berlin", "Europe/Berlin\u{0}",
    "Europe/Berlin\n", "Europe\\Berlin",
    "Europe/Berl\u{ED}n", "Europe/Berlin ", "Europe", "Mars/Olympus", "Etc/Unknown", "Not/AZone",
    "europe/berlin", "tzdata.zi",
    "leapseconds", "zone.tab", "localtime", "posixrules", "right/Europe/Berlin", "CET-1CEST,M3.5.0,M10.5.0/3",
    "+02:00", "UTC+2",
    "Europe/Berlin/Mitte", "\u{202E}Berlin", String(repeating: "a/", count: 5000) + "a",
    String(repeating: "A", count: 65),
  ])
  func `A name that no installed zone has is refused at its place`(name: String) {
    let refusal = #expect(throws: Refusal.self) { try system.zone(named: name, at: "timezone") }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "timezone")
    #expect(refusal?.message.contains(printable(name)) == true)
    #expect(refusal.map { $0.message.utf8.count < 400 } == true)
  }

  @Test(arguments: [
    ("Europe/Berln", "Europe/Berlin"), ("europe/berlin", "Europe/Berlin"), ("Berlin", "Europe/Berlin"),
    ("Asia/Kolkatta", "Asia/Kolkata"), ("new_york", "America/New_York"),
  ])
  func `A slip is answered with the zone that was probably meant`(typed: String, meant: String) {
    let refusal = #expect(throws: Refusal.self) { try system.zone(named: typed) }
    #expect(refusal?.message.contains("did you mean \"\(meant)\"?") == true)
  }

  @Test func `What is not a zone file, or a damaged one, is refused and nothing waits for it`() throws {
    try withFolder { folder in
      try install("Asia/Tokyo", as: "Asia/Tokyo", in: folder)
      try Data("TZif2 and no more".utf8).write(to: folder.appending(path: "Damaged"))
      try Data("plain".utf8).write(to: folder.appending(path: "Plain"))
      try Data().write(to: folder.appending(path: "Empty"))
      try Data(count: 1_000_000).write(to: folder.appending(path: "Large"))
      #expect(mkfifo(folder.appending(path: "Pipe").path, 0o600) == 0)
      let database = ZoneDatabase(directory: folder.path)
      #expect(try database.zone(named: "Asia/Tokyo").offset(at: WallTime(milliseconds: 0)).seconds == 32_400)
      for name in ["Damaged", "Plain", "Empty", "Large", "Pipe", "Asia", "Europe/Berlin"] {
        let refusal = #expect(throws: Refusal.self) { try database.zone(named: name) }
        #expect(refusal?.code == .invalid)
        #expect(refusal?.message.contains("\"\(name)\"") == true)
      }
    }
  }

  @Test func `UTC needs no tzdata`() throws {
    let database = ZoneDatabase(directory: "/nonexistent/zoneinfo")
    #expect(try database.zone(named: "UTC").offset(at: WallTime(milliseconds: 0)).seconds == 0)
    #expect(throws: Refusal.self) { try database.zone(named: "Europe/Berlin") }
    #expect(database.version.hasPrefix("unknown-"))
    #expect(database.refresh() == false)
  }
}
