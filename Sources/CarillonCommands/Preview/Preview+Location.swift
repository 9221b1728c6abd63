import CarillonModel
import CarillonSchedule

extension Preview {
  static let location = Option(
    "location", "LAT,LON",
    "Where the sun rises and sets, in degrees north and east: 52.5,13.4. Default: where relay.json5 says that the relay is."
  )

  /// Where on the earth a trigger of the sun is previewed for: the option, else the key of the client's own
  /// file, else what this machine's relay is told; `nil` where none of them says anything.
  ///
  /// - Throws: `Failure` with the place of the fault.
  static func location(_ call: Invocation) throws -> SunLocation? {
    if let setting = call.settings["location"], setting.source.isNear {
      do { return try SunLocation(parsing: setting.value) } catch { throw setting.failure(error.message) }
    }
    if let found = try location(in: call.settings.configuration) { return found }
    // A file that was asked for is the only one that is read.
    if call.settings.has("config") { return nil }
    return try location(in: Configuration.load(.relay, requested: nil, call.surroundings))
  }

  private static func location(in configuration: Configuration) throws -> SunLocation? {
    do { return try SunLocation.read("location", of: Fields(configuration.object)) } catch {
      throw configuration.failure(error)
    }
  }
}
