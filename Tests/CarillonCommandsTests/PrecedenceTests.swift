import CarillonTestSupport
import Testing

@testable import CarillonCommands

/// A flag beats the environment, which beats the file of the user, which beats that of the machine.
@Suite struct PrecedenceTests {
  private let directory: TemporaryDirectory
  private var place = Run.Place()

  init() throws {
    directory = try TemporaryDirectory()
    place.system = directory.path + "/etc"
    place.environment = ["XDG_CONFIG_HOME": directory.path + "/home"]
  }

  private func preview(_ words: String..., place: Run.Place) -> Run {
    Run(["preview", "--at", "2027-06-01T12:00"] + words, at: place)
  }

  @Test func eachPlaceBeatsTheOneBehindIt() throws {
    var place = place
    try write("etc/client.json5", "{ timezone: 'Asia/Tokyo', count: 1 }", in: directory)
    #expect(preview(place: place).output == ["2027-06-01T12:00:00+09:00"])
    try write("home/carillon/client.json5", "{ timezone: 'Europe/Berlin' }", in: directory)
    #expect(preview(place: place).output == ["2027-06-01T12:00:00+02:00"])
    place.environment["CARILLON_TIMEZONE"] = "America/New_York"
    #expect(preview(place: place).output == ["2027-06-01T12:00:00-04:00"])
    #expect(preview("--timezone", "UTC", place: place).output == ["2027-06-01T12:00:00+00:00"])
  }

  @Test func keysOfTheMachinesFileStayWhereTheUsersFileIsSilent() throws {
    try write("etc/client.json5", "{ timezone: 'Asia/Tokyo' }", in: directory)
    try write("home/carillon/client.json5", "{ json: true }", in: directory)
    #expect(
      preview(place: place).output == [
        #"{"due":"2027-06-01T12:00:00.000+09:00","utc":"2027-06-01T03:00:00.000Z"}"#
      ])
  }

  @Test func aRequestedFileIsReadAloneAndMustBeThere() throws {
    var place = place
    try write("etc/client.json5", "{ timezone: 'Asia/Tokyo', json: true }", in: directory)
    try write("other.json5", "{ timezone: 'Europe/Berlin' }", in: directory)
    #expect(
      preview("--config", directory.path + "/other.json5", place: place).output == [
        "2027-06-01T12:00:00+02:00"
      ])
    place.environment["CARILLON_CONFIG"] = directory.path + "/none.json5"
    let run = preview(place: place)
    #expect(run.status == 78)
    #expect(
      run.errors == ["carillon preview: CARILLON_CONFIG: there is no file \(directory.path)/none.json5"])
  }

  @Test func aSwitchCanBeTurnedOffNearer() throws {
    var place = place
    try write("etc/client.json5", "{ json: true, timezone: 'UTC' }", in: directory)
    #expect(preview(place: place).output.first?.hasPrefix("{") == true)
    place.environment["CARILLON_JSON"] = "no"
    #expect(preview(place: place).output == ["2027-06-01T12:00:00+00:00"])
    place.environment["CARILLON_JSON"] = "maybe"
    #expect(
      preview(place: place).errors == ["carillon preview: CARILLON_JSON: \"maybe\" is neither true nor false"]
    )
    #expect(preview(place: place).status == 78)
    place.environment["CARILLON_JSON"] = ""
    #expect(preview(place: place).output.first?.hasPrefix("{") == true)
  }

  @Test func aTriggerOnTheCommandLineHidesOneInTheEnvironment() {
    var place = place
    place.environment["CARILLON_EVERY"] = "1h"
    #expect(Run("preview", "--timezone", "UTC", at: place).output.count == 5)
    #expect(preview("--timezone", "UTC", place: place).output == ["2027-06-01T12:00:00+00:00"])
  }

  @Test func aListInTheEnvironmentIsSplit() throws {
    let settings = try Settings(
      table: Schedule.verb.options, words: ParsedWords(),
      environment: [
        "CARILLON_TO": "desk,kitchen", "CARILLON_ACTION": "a=A, B\nb=C", "CARILLON_CATCH_UP": "all",
      ],
      configuration: .empty)
    #expect(settings.list("to") == ["desk", "kitchen"])
    #expect(settings.list("action") == ["a=A, B", "b=C"])
    #expect(settings.text("catch-up") == "all")
  }

  /// Programs that a route has started carry CARILLON_OPEN=1; a companion among them is not told how to open
  /// by it.
  @Test func theMarkAgainstLoopsIsNoWayOfOpening() throws {
    let environment = ["CARILLON_OPEN": "1"]
    let settings = try Settings(
      table: CompanionVerb.verb.options, words: ParsedWords(), environment: environment, configuration: .empty
    )
    #expect(!settings.has("open"))
  }

  @Test(arguments: Carillon.verbs.flatMap(\.options)) func everyOptionHasAVariable(_ option: Option) {
    #expect(option.variable.hasPrefix("CARILLON_"))
    #expect(option.variable.allSatisfy { $0.isUppercase || $0 == "_" })
    if option.key == .sameName { #expect(option.configurationKey?.contains("-") == false) }
  }

  @Test func namesFollowTheProtocol() {
    #expect(Service.keepAlive.variable == "CARILLON_KEEP_ALIVE")
    #expect(Service.keepAlive.configurationKey == "keepAlive")
  }
}
