import CarillonModel
import CarillonTestSupport
import FoundationEssentials
import Glibc
import Testing

@testable import CarillonTime

struct LocalZoneTests {
  private let database = ZoneDatabase(directory: ZoneDatabase.systemDirectory)

  /// The machine's zone with a folder of settings that holds only what is given.
  private func local(
    variable: String? = nil, link: String? = nil, localtime: String? = nil, timezone: String? = nil
  ) throws -> LocalZone {
    let folder = FileManager.default.temporaryDirectory.appending(path: "etc-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let clock = folder.appending(path: "localtime").path
    if let link { try FileManager.default.createSymbolicLink(atPath: clock, withDestinationPath: link) }
    if let localtime { try Data(localtime.utf8).write(to: URL(filePath: clock)) }
    if let timezone { try Data(timezone.utf8).write(to: folder.appending(path: "timezone")) }
    return database.local(variable: variable, etc: folder.path)
  }

  @Test(arguments: [
    "Europe/Berlin", ":Europe/Berlin", "/usr/share/zoneinfo/Europe/Berlin",
    ":/usr/share/zoneinfo/posix/Europe/Berlin",
  ])
  func `TZ comes first`(variable: String) throws {
    let local = try local(
      variable: variable, link: "/usr/share/zoneinfo/Asia/Tokyo", timezone: "Asia/Tokyo\n")
    #expect(local.zone.name == "Europe/Berlin")
    #expect(!local.isAssumed)
  }

  @Test(arguments: [
    "/usr/share/zoneinfo/Asia/Tokyo", "../usr/share/zoneinfo/Asia/Tokyo", "/etc/zoneinfo/Asia/Tokyo",
    "/usr/share/zoneinfo/posix/Asia/Tokyo",
  ])
  func `Then the link localtime`(target: String) throws {
    let local = try local(link: target, timezone: "Europe/Berlin\n")
    #expect(local.zone.name == "Asia/Tokyo")
    #expect(!local.isAssumed)
  }

  /// As on systems with a read-only `/etc`.
  @Test func `A link to a link is followed, by whatever path`() throws {
    let folder = try TemporaryDirectory()
    func link(_ name: String, to target: String) { #expect(symlink(target, folder.file(name)) == 0) }
    #expect(mkdir(folder.file("writable"), 0o700) == 0)
    link("localtime", to: "writable/localtime")
    link("writable/localtime", to: "../../usr/share/zoneinfo/Asia/Tokyo")
    #expect(database.local(variable: nil, etc: folder.path).zone.name == "Asia/Tokyo")
    #expect(unlink(folder.file("writable/localtime")) == 0)
    link("writable/localtime", to: folder.file("localtime"))
    #expect(database.local(variable: nil, etc: folder.path).problem?.contains("no time zone by name") == true)
  }

  @Test func `A zone's old name is kept`() throws {
    #expect(try local(link: "/usr/share/zoneinfo/Europe/Kiev").zone.name == "Europe/Kiev")
  }

  @Test func `Then the file timezone, where localtime is a copy without a name`() throws {
    #expect(try local(timezone: "Asia/Tokyo\n").zone.name == "Asia/Tokyo")
    #expect(try local(localtime: "TZif", timezone: "Asia/Tokyo").zone.name == "Asia/Tokyo")
  }

  @Test func `Empty TZ is UTC and no assumption`() throws {
    let local = try local(variable: "", link: "/usr/share/zoneinfo/Asia/Tokyo")
    #expect(local.zone.name == "UTC")
    #expect(!local.isAssumed)
  }

  @Test func `What cannot be used gives UTC, and says why`() throws {
    let cases = [
      (try local(), "no time zone is set"), (try local(variable: "CET-1CEST"), "CET-1CEST"),
      (try local(variable: "Mars/Olympus", link: "/usr/share/zoneinfo/Asia/Tokyo"), "Mars/Olympus"),
      (try local(variable: "/etc/passwd"), "/etc/passwd"), (try local(link: "/somewhere/else"), "localtime"),
      (try local(link: "/usr/share/zoneinfo/Mars/Olympus"), "Mars/Olympus"),
      (try local(timezone: "../../etc/passwd"), "passwd"),
      (try local(localtime: "TZif"), "no time zone is set"),
    ]
    for (local, word) in cases {
      #expect(local.zone.name == "UTC")
      #expect(local.isAssumed)
      #expect(local.problem?.contains(word) == true)
    }
  }
}
