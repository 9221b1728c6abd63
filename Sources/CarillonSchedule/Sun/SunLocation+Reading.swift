import CarillonModel

extension SunLocation {
  /// The place in a field, such as `location: { latitude: 52.5, longitude: 13.4 }`; `nil` where the field is not there,
  /// or null.
  ///
  /// - Throws: `unknown-field`, or `invalid` where a degree is missing, no number, or on no map.
  public static func read(_ name: String, of fields: Fields) throws(Refusal) -> SunLocation? {
    guard let place = try fields.object(name) else { return nil }
    try place.allow(only: ["latitude", "longitude"])
    return try SunLocation(
      latitude: degrees("latitude", of: place), longitude: degrees("longitude", of: place),
      at: fields.place(name))
  }

  private static func degrees(_ name: String, of place: Fields) throws(Refusal) -> Double {
    guard let degrees = try place.number(name) else {
      throw place.refusal(name, "is missing; write { latitude: 52.5, longitude: 13.4 }, in degrees")
    }
    return degrees
  }

  /// Reads `52.5,13.4`: degrees north, then degrees east, in decimals.
  ///
  /// - Parameter path: the place that a refusal names.
  /// - Throws: `invalid`.
  public init(parsing text: String, at path: String = "location") throws(Refusal) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map(SunLocation.degrees)
    guard parts.count == 2, let latitude = parts[0], let longitude = parts[1] else {
      throw Refusal(
        .invalid, at: path,
        "\"\(printable(text))\" is no place; write degrees north and east, such as 52.5,13.4 (south and west are negative)"
      )
    }
    try self.init(latitude: latitude, longitude: longitude, at: path)
  }

  /// A decimal number, blanks around it allowed; no exponent, and nothing else that a floating-point number can be.
  private static func degrees(_ text: Substring) -> Double? {
    let words = text.split(separator: " ")
    let isDecimal = text.utf8.allSatisfy {
      (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || "+-. ".utf8.contains($0)
    }
    return words.count == 1 && isDecimal ? Double(words[0]) : nil
  }

  /// As a configuration file has it.
  public var json: JSON { ["latitude": .number(latitude), "longitude": .number(longitude)] }
}
