import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonCommands

@Suite struct ConfigurationTests {
  private let directory: TemporaryDirectory
  private var place = Run.Place()

  init() throws {
    directory = try TemporaryDirectory()
    place.system = directory.path + "/etc"
  }

  private func preview(_ words: String...) -> Run {
    Run(["preview", "--at", "2027-06-01T12:00"] + words, at: place)
  }

  @Test func aMissingFileThatWasAskedForIsFatal() {
    let run = preview("--config", directory.file("none.json5"))
    #expect(run.status == 78)
    #expect(run.errors == ["carillon preview: --config: there is no file \(directory.file("none.json5"))"])
  }

  @Test func withoutAnyFileEverythingHasItsDefault() {
    #expect(preview("--timezone", "UTC").status == 0)
  }

  @Test func anUnknownKeyIsRefusedByNameAndPlace() throws {
    let file = try directory.write("c.json5", "{\n  brokr: 'mqtt://x',\n}")
    let run = preview("--config", file)
    #expect(run.status == 78)
    #expect(
      run.errors == [
        "carillon preview: \(file), line 2, column 3: brokr: there is no field \"brokr\" here; did you mean \"broker\"?",
        "    brokr: 'mqtt://x',", "    ^",
      ])
  }

  @Test func aSyntaxErrorIsShownInItsLine() throws {
    let file = try directory.write("c.json5", "{ prefix: 'a'\n  wait: '1s' }")
    let run = preview("--config", file)
    #expect(run.status == 78)
    #expect(
      run.errors == [
        "carillon preview: \(file), line 2, column 3: \"w\" where a comma or \"}\" is missing",
        "    wait: '1s' }",
        "    ^",
      ])
  }

  @Test func aFileThatIsNoObjectOrUnreadableIsRefused() throws {
    let file = try directory.write("c.json5", "[]")
    #expect(
      preview("--config", file).errors.first
        == "carillon preview: \(file), line 1, column 1: holds a list where { … } is wanted")
    let folder = Run("preview", "--every", "1h", "--config", directory.path, at: place)
    #expect(folder.status == 78)
    #expect(folder.errors.first?.contains("cannot be read") == true)
  }

  @Test func aSwitchMustBeTrueOrFalse() throws {
    let file = try directory.write("c.json5", "{ json: 'yes' }")
    let run = preview("--config", file)
    #expect(run.status == 78)
    #expect(
      run.errors.first
        == "carillon preview: \(file), line 1, column 3: json: expected true or false, got a text")
  }

  /// The keys of a daemon's file tell a client how to reach the broker, and where the relay is. `timezone` and
  /// `device` mean something else there.
  @Test func aDaemonsFileTellsOnlyHowToReachTheBrokerAndWhereTheRelayIs() throws {
    let file = try ConfigurationFile(
      path: try directory.write(
        "relay.json5",
        "{ broker: 'mqtt://x', passwordFile: 'pw', timezone: 'Asia/Tokyo', location: {}, groups: {}, prefix: 'p' }"
      ))
    let options: Set<String> = ["broker", "prefix", "passwordFile", "timezone"]
    let configuration = try Configuration(files: [try #require(file)]).forClient(options: options)
    #expect(
      configuration.object.members.map(\.name).sorted() == ["broker", "location", "passwordFile", "prefix"])
  }

  /// `when` is a trigger of a client, and says in a relay's file, whatever that is called, which topics it may watch.
  @Test func theTopicsOfARelayAreNoTrigger() throws {
    let file = try directory.write(
      "my.json5", "{ when: { topics: ['home/+/presence'] }, timezone: 'Asia/Tokyo', broker: 'mqtt://x' }")
    let configuration = try Configuration(files: [try #require(try ConfigurationFile(path: file))])
      .forClient(options: Carillon.clientKeys)
    #expect(configuration.object.members.map(\.name) == ["broker"])
  }

  @Test func clientsUseTheBrokerOfACompanionOrRelayOnTheMachine() throws {
    try write("etc/relay.json5", "{ broker: 'mqtt://relay.example' }", in: directory)
    var settings = try configuration()
    #expect(settings.object["broker"] == "mqtt://relay.example")
    try write("etc/companion.json5", "{ broker: 'mqtt://companion.example' }", in: directory)
    settings = try configuration()
    #expect(settings.object["broker"] == "mqtt://companion.example")
    try write("etc/client.json5", "{ broker: 'mqtt://client.example' }", in: directory)
    settings = try configuration()
    #expect(settings.object["broker"] == "mqtt://client.example")
  }

  private func configuration() throws -> Configuration {
    let surroundings = Surroundings(
      environment: [:], console: Console { _, _ in true }, systemConfiguration: place.system,
      now: { WallTime(milliseconds: 0) })
    return try Configuration.load(.client, requested: nil, surroundings)
  }

  /// A password file that a configuration file names stands beside it, wherever the program was started.
  @Test func pathsInAFileAreMeantFromItsFolder() throws {
    let configuration = Configuration(
      files: [
        try #require(try ConfigurationFile(path: try directory.write("c.json5", "{ passwordFile: 'pw' }")))
      ])
    let settings = try Settings(
      table: Schedule.verb.options, words: ParsedWords(), environment: [:], configuration: configuration)
    #expect(settings.text("password-file") == directory.file("pw"))
    let near = try Settings(
      table: Schedule.verb.options, words: ParsedWords(), environment: ["CARILLON_PASSWORD_FILE": "pw"],
      configuration: configuration)
    #expect(near.text("password-file") == "pw")
  }

  @Test func theUsersFolderIsSearchedBeforeTheMachines() {
    func folders(_ environment: [String: String]) -> [String] {
      Surroundings(
        environment: environment, console: Console { _, _ in true }, now: { WallTime(milliseconds: 0) }
      ).configurationFolders
    }
    #expect(folders(["XDG_CONFIG_HOME": "/x", "HOME": "/h"]) == ["/x/carillon", "/etc/carillon"])
    #expect(folders(["HOME": "/h"]) == ["/h/.config/carillon", "/etc/carillon"])
    #expect(folders(["XDG_CONFIG_HOME": "relative"]) == ["/etc/carillon"])
  }

  @Test func theStateFolderFollowsSystemdThenXDG() {
    func folder(_ environment: [String: String]) -> String? {
      Surroundings(
        environment: environment, console: Console { _, _ in true }, now: { WallTime(milliseconds: 0) }
      ).stateFolder
    }
    #expect(folder(["STATE_DIRECTORY": "/a:/b", "XDG_STATE_HOME": "/x"]) == "/a")
    #expect(folder(["XDG_STATE_HOME": "/x", "HOME": "/h"]) == "/x/carillon")
    #expect(folder(["HOME": "/h"]) == "/h/.local/state/carillon")
    #expect(folder([:]) == nil)
  }
}
