import CarillonCompanion
import CarillonTestSupport
import Testing

@testable import CarillonCommands

@Suite struct DeviceVerbsTests {
  private let directory: TemporaryDirectory
  private let place: Run.Place

  init() throws {
    directory = try TemporaryDirectory()
    var place = Run.Place()
    // Nobody listens there.
    place.environment = ["STATE_DIRECTORY": directory.path, "XDG_RUNTIME_DIR": directory.file("run")]
    self.place = place
  }

  private func run(_ words: String...) -> Run { Run(["device"] + words + ["--device", "desk"], at: place) }

  @Test func decisionsAreKeptInTheCompanionsStateFolder() throws {
    let denied = run("deny", "--publisher", "ads", "--level", "passive")
    #expect(denied.status == 0)
    #expect(denied.errors.isEmpty)
    #expect(denied.output == [#"desk: denied for the publisher "ads", the level passive"#])
    #expect(run("deny", "--publisher", "").output == ["desk: denied for commands without a publisher"])
    #expect(run("deny").output == ["desk: denied for everybody"])
    #expect(
      run("authorize", "--publisher", "ads", "--level", "passive").output
        == [#"desk: authorized for the publisher "ads", the level passive"#])
    let decisions = try AuthorizationFile(in: directory.file("companion/desk")).load()
    #expect(decisions.standard == .denied)
    #expect(
      decisions.rules == [
        .init(publisher: "", standing: .denied),
        .init(publisher: "ads", level: "passive", standing: .authorized),
      ])
  }

  @Test func theFolderCanBeNamed() throws {
    #expect(run("deny", "--thread", "t", "--state", directory.file("mine")).status == 0)
    #expect(try AuthorizationFile(in: directory.file("mine")).load().rules.count == 1)
  }

  @Test(arguments: [("--publisher", "a b"), ("--level", "loud"), ("--thread", "a\u{7}"), ("--device", "all")])
  func aChoiceThatNothingFitsIsAWrongOption(_ option: String, _ value: String) {
    let run = Run("device", "deny", option, value, at: place)
    #expect(run.status == 64)
    #expect(run.errors.first?.hasPrefix("carillon device deny: \(option): ") == true)
  }

  @Test func aDamagedFileIsNamed() throws {
    try write("companion/desk/authorization.json", "{", in: directory)
    let run = run("deny")
    #expect(run.status == 78)
    #expect(run.errors.first?.contains("authorization.json: ") == true)
  }
}
