import CNova

/// Where the sun is on a day, to about a hundredth of a degree, in a few dozen nanoseconds: enough to say on which days
/// something happens at all and on which date its noon falls. The minute itself comes from `SunTimes`.
///
/// The formulae are those of low accuracy in Meeus, Astronomical Algorithms, chapters 25 and 28.
struct SunSketch {
  /// In radians.
  let declination: Double
  /// By how much a sundial is ahead of a clock, as a part of a day.
  let equationOfTime: Double

  /// - Parameter day: days since 1970-01-01T00:00:00Z.
  init(day: Double) {
    // 2000-01-01T12:00:00Z.
    let centuries = (day - 10_957.5) / 36_525
    let meanLongitude = radians(280.46646 + 36_000.76983 * centuries)
    let anomaly = radians(357.52911 + 35_999.05029 * centuries)
    let node = radians(125.04 - 1934.136 * centuries)
    let centre =
      (1.914602 - 0.004817 * centuries) * sin(anomaly) + 0.019993 * sin(2 * anomaly)
      + 0.000289 * sin(3 * anomaly)
    let longitude = meanLongitude + radians(centre - 0.00569 - 0.00478 * sin(node))
    let obliquity = radians(23.439291 - 0.0130042 * centuries + 0.00256 * cos(node))
    declination = asin(sin(obliquity) * sin(longitude))
    let ascension = atan2(cos(obliquity) * sin(longitude), cos(longitude))
    let difference = meanLongitude - radians(0.0057183) - ascension
    equationOfTime = wrapped(difference / (2 * .pi))
  }
}

/// A number of degrees in radians.
func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }

/// A number of turns as the nearest to none, within half a turn.
func wrapped(_ turns: Double) -> Double { turns - turns.rounded() }

/// The angle, as a part of a turn, from noon to where the sun has an altitude; `nil` where it does not have it that day.
///
/// - Parameters:
///   - isClamped: whether a sun that stays above, or below, is taken at midnight or at noon.
func hourAngle(altitude: Double, latitude: Double, declination: Double, isClamped: Bool = false) -> Double? {
  let (sine, cosine) = (sin(radians(latitude)) * sin(declination), cos(radians(latitude)) * cos(declination))
  let value = (sin(radians(altitude)) - sine) / cosine
  guard isClamped || (-1...1).contains(value) else { return nil }
  return acos(min(max(value, -1), 1)) / (2 * .pi)
}
