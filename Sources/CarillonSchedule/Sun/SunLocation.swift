import CarillonModel

/// A place on the earth, in degrees.
public struct SunLocation: Hashable, Sendable {
  /// -90 to 90; north is positive.
  public let latitude: Double
  /// -180 to 180; east is positive.
  public let longitude: Double

  /// - Throws: `invalid` at `latitude` or `longitude` below `path`, for what is on no map.
  public init(latitude: Double, longitude: Double, at path: String = "location") throws(Refusal) {
    guard (-90...90).contains(latitude) else {
      throw Refusal(.invalid, at: path + ".latitude", "a latitude is within -90 to 90 degrees")
    }
    guard (-180...180).contains(longitude) else {
      throw Refusal(.invalid, at: path + ".longitude", "a longitude is within -180 to 180 degrees")
    }
    (self.latitude, self.longitude) = (latitude, longitude)
  }
}
