import CarillonTestSupport
import Testing

@testable import CarillonCommands

/// What keeps a service from starting. None of it gets as far as its loop.
@Suite struct ServiceTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func run(_ words: String..., environment: [String: String] = [:]) -> Run {
    var place = Run.Place()
    place.environment = ["STATE_DIRECTORY": directory.file("state")].merging(environment) { $1 }
    return Run(words, at: place)
  }

  @Test func aLinkIsOpenedByTapOrArrivalAndNothingElse() {
    let run = run("companion", "--open", "soon")
    #expect(run.status == 78)
    #expect(run.errors.first?.hasPrefix("carillon companion: --open: ") == true)
    #expect(
      self.run("companion", environment: ["CARILLON_OPEN": "soon"]).errors.first?.contains("CARILLON_OPEN: ")
        == true)
  }

  @Test(arguments: ["relay", "companion"]) func aBadSettingIsNamedAsItWasGiven(_ verb: String) throws {
    let flag = run(verb, "--keep-alive", "1s")
    #expect(flag.status == 78)
    #expect(flag.errors.first?.hasPrefix("carillon \(verb): --keep-alive: ") == true)
    let variable = run(verb, environment: ["CARILLON_BROKER": "http://x"])
    #expect(variable.status == 78)
    #expect(variable.errors.first?.hasPrefix("carillon \(verb): CARILLON_BROKER: ") == true)
    let file = try directory.write("c.json5", "{\n  keepAlive: 'soon',\n}")
    let written = run(verb, "--config", file)
    #expect(written.status == 78)
    #expect(
      written.errors.first?.hasPrefix("carillon \(verb): \(file), line 2, column 3: keepAlive: ") == true)
  }

  @Test(arguments: [
    ("relay", "homeAssistant"), ("relay", "stroe"), ("companion", "presentations"),
    ("companion", "rotes"),
  ]) func aKeyWithoutMeaningIsRefusedByName(_ verb: String, _ key: String) throws {
    let file = try directory.write("c.json5", "{ \(key): {} }")
    let run = run(verb, "--config", file)
    #expect(run.status == 78)
    #expect(run.errors.first?.hasPrefix("carillon \(verb): \(file), line 1, column 3: \(key): ") == true)
  }

  @Test func anUnknownZoneOfTheRelayIsABadConfiguration() {
    let run = run("relay", "--timezone", "Mars/Olympus")
    #expect(run.status == 78)
    #expect(run.errors.first?.contains("Mars/Olympus") == true)
  }

  @Test func aFaultyRoutesFileKeepsTheCompanionFromStarting() throws {
    let file = try directory.write("r.json5", "{ routes: [ { link: 'a://b' } ] }")
    let run = run("companion", "--routes", file)
    #expect(run.status == 78)
    #expect(run.errors.first?.contains("\(file), line 1, column 13: routes[0].navigate: ") == true)
    #expect(self.run("companion", "--routes", "/nonexistent").status == 78)
  }

  @Test func aServiceWithoutAPlaceForItsStateSaysHowToNameOne() {
    var place = Run.Place()
    for (verb, option) in [("relay", "--store"), ("companion", "--state")] {
      place.environment = [:]
      let nowhere = Run(verb, at: place)
      #expect(nowhere.status == 78)
      #expect(nowhere.errors.first?.contains(option) == true)
      place.environment = ["STATE_DIRECTORY": "/proc/nonexistent"]
      let forbidden = Run(verb, at: place)
      #expect(forbidden.status == 78)
      #expect(forbidden.errors.first?.contains("/proc/nonexistent") == true)
    }
  }

  @Test func thePasswordOfASystemdCredentialIsUsed() throws {
    try directory.write("carillon-password", "secret")
    var surroundings = Surroundings(
      environment: ["CREDENTIALS_DIRECTORY": directory.path], console: Console { _, _ in true },
      now: { .init(milliseconds: 0) })
    #expect(surroundings.passwordCredential == directory.file("carillon-password"))
    surroundings.environment["CREDENTIALS_DIRECTORY"] = directory.file("none")
    #expect(surroundings.passwordCredential == nil)
  }
}
