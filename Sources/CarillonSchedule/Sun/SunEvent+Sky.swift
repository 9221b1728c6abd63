import CarillonModel

extension SunEvent {
  /// Whether it comes before noon (-1), after it (1), or is noon.
  var side: Double {
    switch self {
    case .sunrise, .dawn: -1
    case .noon: 0
    case .sunset, .dusk: 1
    }
  }

  /// How high the centre of the sun's disc then is, in degrees.
  ///
  /// The upper edge rises when the centre is 50′ under the horizon: 16′ are half the disc, and the air lifts it by 34′
  /// (Meeus, Astronomical Algorithms, chapter 15). Civil twilight reaches to 6°.
  var altitude: Double {
    switch self {
    case .sunrise, .sunset: -50.0 / 60
    case .dawn, .dusk: -6
    case .noon: 90
    }
  }
}
