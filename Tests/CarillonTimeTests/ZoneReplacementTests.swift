import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonTime

/// How a tzdata that is replaced under a running program is noticed.
struct ZoneReplacementTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    #expect(mkdir(folder.file("zones"), 0o700) == 0)
    #expect(mkdir(folder.file("zones/Test"), 0o700) == 0)
    try folder.write("zones/tzdata.zi", "# version 2031a\nrest\n")
    try install("zones/Test/Town", hours: 1)
  }

  private var database: ZoneDatabase { ZoneDatabase(directory: folder.file("zones")) }

  /// A zone that is as many hours east of Greenwich for ever. All such files have the same size.
  private func install(_ name: String, hours: Int32) throws {
    let file = TZifFile(kinds: [.init(seconds: hours * 3600)], footer: "")
    try folder.write("new", file.bytes)
    try replace(name, by: "new")
  }

  private func replace(_ name: String, by other: String) throws {
    guard rename(folder.file(other), folder.file(name)) == 0 else {
      throw TestFailure("cannot rename \(other) to \(name)")
    }
  }

  private func link(_ name: String, to target: String) throws {
    guard symlink(target, folder.file("new")) == 0 else { throw TestFailure("cannot link \(name)") }
    try replace(name, by: "new")
  }

  private func hours(_ name: String, in database: ZoneDatabase) throws -> Int {
    try database.zone(named: name).offset(at: WallTime(milliseconds: 0)).seconds / 3600
  }

  @Test func `Where nothing has changed there is nothing to notice`() throws {
    let database = database
    #expect(database.version.hasPrefix("2031a-"))
    #expect(database.version == self.database.version)
    #expect(try hours("Test/Town", in: database) == 1)
    #expect(database.refresh() == false)
    #expect(ZoneDatabase(directory: ZoneDatabase.systemDirectory).refresh() == false)
  }

  /// What is noticed: a change, and the hours of `Test/Town` and `Test/Other` afterwards.
  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var apply: @Sendable (ZoneReplacementTests) throws -> Void
    var town: Int? = 1
    var other: Int?

    static let all = [
      Change(
        testDescription: "a file renamed over another",
        apply: { try $0.install("zones/Test/Town", hours: 2) }, town: 2),
      Change(
        testDescription: "a file written anew",
        apply: { try $0.folder.write("zones/Test/Town", TZifFile(footer: "XST-3").bytes) }, town: 3),
      Change(
        testDescription: "a file added", apply: { try $0.install("zones/Test/Other", hours: 4) }, other: 4),
      Change(
        testDescription: "a file removed", apply: { #expect(unlink($0.folder.file("zones/Test/Town")) == 0) },
        town: nil),
      Change(
        testDescription: "a link added", apply: { try $0.link("zones/Test/Other", to: "Town") }, other: 1),
      Change(
        testDescription: "a new release with the same zones",
        apply: { try $0.folder.write("zones/tzdata.zi", "# version 2031b\nrest\n") }),
    ]
  }

  @Test(arguments: Change.all)
  func `A change of the installed zones is noticed, and they are read anew`(change: Change) throws {
    let database = database
    let before = database.version
    let old = try database.zone(named: "Test/Town")
    try apply(change.apply, until: database)
    #expect(database.version != before)
    #expect(change.town == (try? hours("Test/Town", in: database)))
    #expect(change.other == (try? hours("Test/Other", in: database)))
    #expect(
      database.allNames() == (change.other == nil ? [] : ["Test/Other"])
        + (change.town == nil ? [] : ["Test/Town"]))
    #expect(old.offset(at: WallTime(milliseconds: 0)).seconds == 3600)
    #expect(database.refresh() == false)
    #expect(database.version == self.database.version)
  }

  @Test func `What has been read stays until it is looked whether something has changed`() throws {
    let database = database
    #expect(try hours("Test/Town", in: database) == 1)
    try install("zones/Test/Town", hours: 2)
    #expect(try hours("Test/Town", in: database) == 1)
  }

  /// Changes something until that is noticed: within one tick of the file system's clock, nothing tells a file from another
  /// of its size.
  private func apply(
    _ change: (ZoneReplacementTests) throws -> Void, until database: ZoneDatabase
  ) throws {
    try eventually("the change") {
      try change(self)
      return database.refresh()
    }
  }

  /// Packages set the time of their files; on some systems all files have the same.
  @Test func `A file with the size and the time of the one it replaces is noticed`() throws {
    func setTime(_ name: String) {
      let times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
      #expect(utimensat(AT_FDCWD, folder.file(name), times, 0) == 0)
    }
    setTime("zones/Test/Town")
    let database = database
    _ = try hours("Test/Town", in: database)
    try apply(
      { test in
        try test.folder.write("other", TZifFile(kinds: [.init(seconds: 7200)], footer: "").bytes)
        setTime("other")
        try test.replace("zones/Test/Town", by: "other")
      }, until: database)
    #expect(try hours("Test/Town", in: database) == 2)
  }

  @Test func `A link that leads elsewhere now, or whose target is replaced, is noticed`() throws {
    try install("zones/Test/Other", hours: 5)
    try link("zones/Test/Link", to: "Town")
    let database = database
    #expect(try hours("Test/Link", in: database) == 1)
    try apply({ try $0.link("zones/Test/Link", to: "Other") }, until: database)
    #expect(try hours("Test/Link", in: database) == 5)
    try apply({ try $0.install("zones/Test/Other", hours: 6) }, until: database)
    #expect(try hours("Test/Link", in: database) == 6)
  }

  @Test func `A folder that is a link to the release is followed to the next`() throws {
    #expect(mkdir(folder.file("2031b"), 0o700) == 0)
    try folder.write("2031b/tzdata.zi", "# version 2031b\nrest\n")
    try install("2031b/Town", hours: 7)
    try link("current", to: "zones/Test")
    let database = ZoneDatabase(directory: folder.file("current"))
    #expect(try hours("Town", in: database) == 1)
    try apply({ try $0.link("current", to: "2031b") }, until: database)
    #expect(try hours("Town", in: database) == 7)
    #expect(database.version.hasPrefix("2031b-"))
  }

  /// Debian has such a link among the zones; what is set on a machine changes no zone.
  @Test func `The machine's own zone is no change of tzdata`() throws {
    try install("clock", hours: 1)
    try link("zones/localtime", to: "../clock")
    let database = database
    try install("clock", hours: 9)
    try folder.write("clock", TZifFile(footer: "<+10>-10").bytes)
    #expect(database.refresh() == false)
    #expect(database.allNames() == ["Test/Town"])
  }

  @Test func `The release is also taken from +VERSION`() throws {
    #expect(unlink(folder.file("zones/tzdata.zi")) == 0)
    #expect(database.version.hasPrefix("unknown-"))
    try folder.write("zones/+VERSION", "2030b\n")
    #expect(database.version.hasPrefix("2030b-"))
  }
}
