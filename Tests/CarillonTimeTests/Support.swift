import CarillonModel
import CarillonTime

/// An instant by its RFC 3339 text.
func instant(_ text: String) throws -> WallTime {
  guard case .instant(let time) = try WrittenTime(parsing: text) else {
    throw Refusal(.invalid, "\(text) has no offset")
  }
  return time
}

/// A reading by its RFC 3339 text without an offset.
func reading(_ text: String) throws -> CivilTime {
  guard case .local(let time) = try WrittenTime(parsing: text) else {
    throw Refusal(.invalid, "\(text) has an offset")
  }
  return time
}

/// A zone of the installed tzdata.
func installed(_ name: String) throws -> Zone {
  try ZoneDatabase(directory: ZoneDatabase.systemDirectory).zone(named: name)
}
