import CarillonModel
import CarillonRelay
import CarillonSchedule
import CarillonTestSupport
import Testing

@testable import CarillonCommands

/// Where on the earth the sun rises and sets: a key of the relay's file, and an option of `relay` and `preview`.
@Suite struct LocationTests {
  private let directory: TemporaryDirectory
  private var place = Run.Place()
  private let berlin: SunLocation
  private let sydney: SunLocation

  init() throws {
    directory = try TemporaryDirectory()
    place.system = directory.path + "/etc"
    berlin = try SunLocation(latitude: 52.5, longitude: 13.4)
    sydney = try SunLocation(latitude: -33.87, longitude: 151.21)
  }

  private func call(_ verb: CommandLineVerb, _ words: [String], _ variables: [String: String] = [:]) throws
    -> Invocation
  {
    let surroundings = Surroundings(
      environment: variables, console: Console { _, _ in true }, systemConfiguration: place.system,
      now: { WallTime(milliseconds: 0) })
    let parsed = try OptionParser(table: verb.options).parse(words)
    return Invocation(
      verb: verb, settings: try Carillon.settings(verb, parsed, surroundings), operands: [],
      surroundings: surroundings)
  }

  private func relay(_ words: String..., variables: [String: String] = [:]) throws -> SunLocation? {
    try RelayConfiguration(reading: RelayVerb.document(call(RelayVerb.verb, words, variables))).location
  }

  private func preview(_ words: String..., variables: [String: String] = [:]) throws -> SunLocation? {
    try Preview.location(call(Preview.verb, words, variables))
  }

  @Test func theRelayIsToldByItsFileTheEnvironmentAndTheCommandLine() throws {
    #expect(try relay() == nil)
    try write("etc/relay.json5", "{ location: { latitude: 52.5, longitude: +13.4 } }", in: directory)
    #expect(try relay() == berlin)
    #expect(try relay(variables: ["CARILLON_LOCATION": "-33.87,151.21"]) == sydney)
    #expect(
      try relay("--location", "52.5,13.4", variables: ["CARILLON_LOCATION": "-33.87,151.21"]) == berlin)
    #expect(try relay("--location", "-33.87, 151.21") == sydney)
  }

  @Test func whatIsNullIsNowhere() throws {
    try write("etc/relay.json5", "{ location: null }", in: directory)
    #expect(try relay() == nil)
    #expect(try preview() == nil)
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let text: String
    let column: Int
    let message: String
    var testDescription: String { text }

    init(_ text: String, _ column: Int, _ message: String) {
      (self.text, self.column, self.message) = (text, column, message)
    }
  }

  static let faults = [
    Fault("{}", 3, "location.latitude: is missing"),
    Fault("{ longitude: 1 }", 3, "location.latitude: is missing"),
    Fault("{ latitude: 1 }", 3, "location.longitude: is missing"),
    Fault("{ latitude: 1, longitude: null }", 28, "location.longitude: is missing"),
    Fault("{ latitude: '1', longitude: 2 }", 15, "location.latitude: expected a number, got a text"),
    Fault("{ latitude: true, longitude: 2 }", 15, "location.latitude: expected a number, got"),
    Fault("{ latitude: 90.001, longitude: 2 }", 15, "location.latitude: a latitude is within -90 to 90"),
    Fault("{ latitude: 1e300, longitude: 2 }", 15, "location.latitude: a latitude is within -90 to 90"),
    Fault("{ latitude: 0, longitude: -180.5 }", 28, "location.longitude: a longitude is within -180 to 180"),
    Fault("{ latitude: 1, longitude: 2, hight: 3 }", 42, "location.hight: there is no field \"hight\" here"),
    Fault("{ lattitude: 1, longitude: 2 }", 15, "location.lattitude: there is no field"),
    Fault("'52.5,13.4'", 3, "location: expected an object, got a text"),
    Fault("[52.5, 13.4]", 3, "location: expected an object, got a list"),
  ]

  @Test(arguments: faults) func aFaultInAFileIsToldWithItsPlace(_ fault: Fault) throws {
    let file = try directory.write("relay.json5", "{ location: \(fault.text) }")
    let expected = "\(file), line 1, column \(fault.column): \(fault.message)"
    let run = Run("relay", "--config", file, at: place)
    #expect(run.status == 78)
    let message = try #require(run.errors.first)
    #expect(message.hasPrefix("carillon relay: \(expected)"), "\(message)")
    let failure = try #require(throws: Failure.self) { try preview("--config", file) }
    #expect(failure.status == .configuration)
    #expect(failure.message.hasPrefix(expected), "\(failure.message)")
  }

  @Test(arguments: [
    "", "52.5", "52.5,13.4,0", "52,5,13,4", "52.5;13.4", "52.5N,13.4E", "nan,0", "0,inf", "0x10,0", "1e1,0",
    "52 .5,13.4", ",", "90.1,0", "0,-181",
  ]) func aTextThatIsNoPlaceIsRefused(_ text: String) throws {
    let relay = Run(["relay", "--location", text], at: place)
    #expect(relay.status == 78)
    #expect(relay.errors.first?.hasPrefix("carillon relay: --location: ") == true)
    let option = try #require(throws: Failure.self) { try preview("--location", text) }
    #expect(option.status == .usage)
    #expect(option.message.hasPrefix("--location: "))
    // An empty variable is none.
    guard !text.isEmpty else { return }
    let variable = try #require(throws: Failure.self) { try preview(variables: ["CARILLON_LOCATION": text]) }
    #expect(variable.status == .configuration)
    #expect(variable.message.hasPrefix("CARILLON_LOCATION: "))
  }

  /// The companion's file, which tells a client its broker, does not hide what the relay's says of its place.
  @Test func aPreviewIsForThePlaceOfTheMachinesRelay() throws {
    #expect(try preview() == nil)
    try write("etc/relay.json5", "{ location: { latitude: 52.5, longitude: 13.4 } }", in: directory)
    #expect(try preview() == berlin)
    try write("etc/companion.json5", "{ device: 'desk' }", in: directory)
    #expect(try preview() == berlin)
    try write("etc/client.json5", "{ json: true }", in: directory)
    #expect(try preview() == berlin)
    try write("etc/client.json5", "{ location: { latitude: -33.87, longitude: 151.21 } }", in: directory)
    #expect(try preview() == sydney)
    #expect(try preview("--location", "52.5,13.4") == berlin)
    #expect(try preview(variables: ["CARILLON_LOCATION": "52.5,13.4"]) == berlin)
  }

  @Test func aFileThatWasAskedForIsTheOnlyOne() throws {
    try write("etc/relay.json5", "{ location: { latitude: 52.5, longitude: 13.4 } }", in: directory)
    let other = try directory.write("other.json5", "{ groups: {} }")
    #expect(try preview("--config", other) == nil)
    let south = try directory.write("south.json5", "{ location: { latitude: -33.87, longitude: 151.21 } }")
    #expect(try preview("--config", south) == sydney)
  }

  @Test func withoutAPlaceTheSunHasNoTimes() {
    let run = Run("preview", "--sun", "sunset", at: place)
    #expect(run.status == 65)
    #expect(run.errors.first?.hasPrefix("carillon preview: invalid at trigger.sun: ") == true)
    #expect(run.errors.first?.contains("--location LAT,LON") == true)
  }
}
