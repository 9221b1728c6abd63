import CNova
import CarillonModel

/// When something of the sun's day happens at a place, by libnova's positions (VSOP87).
///
/// Days are counted by noons: day n is that of the noon near 12:00 local mean time of the n-th day since 1970-01-01. So
/// each has one noon, one sunrise before it and one sunset after it, or none, whatever clocks show there. libnova's own
/// risings are not used: they are those of a day of UTC, which holds two of a kind, or none, where one comes near midnight.
struct SunTimes: Hashable {
  let event: SunEvent
  let location: SunLocation

  /// Noon by local mean time, in days since 1970-01-01T00:00:00Z.
  func meanNoon(_ day: Int) -> Double { Double(day) + 0.5 - location.longitude / 360 }

  /// The day to which an instant belongs by local mean time.
  func day(of time: WallTime) -> Int {
    Int((Double(time.milliseconds) / 86_400_000 + location.longitude / 360).rounded(.down))
  }

  /// Noon of a day to within some seconds.
  func roughNoon(_ day: Int) -> WallTime {
    let noon = meanNoon(day)
    return SunTimes.instant(noon - SunSketch(day: noon).equationOfTime)
  }

  /// Whether it happens on a day. Of the one or two days of a year on which the sun barely does, or barely does not, this
  /// may be wrong: the air decides.
  func happens(_ day: Int) -> Bool {
    guard event != .noon else { return true }
    let declination = SunSketch(day: meanNoon(day)).declination
    return hourAngle(altitude: event.altitude, latitude: location.latitude, declination: declination) != nil
  }

  /// When it happens, on a whole second; `nil` where it does not.
  func instant(_ day: Int) -> WallTime? {
    guard happens(day) else { return nil }
    var time = meanNoon(day)
    time -= SunTimes.sun(time, location.longitude).angle
    guard event != .noon else { return SunTimes.instant(time) }
    var declination = SunSketch(day: time).declination
    time += wanted(declination)
    // Where the sun is by then is another question, so a second look is needed, and near the poles some more.
    for _ in 0..<SunTimes.looks {
      let sun = SunTimes.sun(time, location.longitude)
      declination = sun.declination
      let error = wrapped(wanted(declination) - sun.angle)
      time += error
      if abs(error) < SunTimes.precise { break }
    }
    return SunTimes.instant(time)
  }

  /// How far past the meridian the sun is when it happens. On a day on which it only just does not, as far as it can be.
  private func wanted(_ declination: Double) -> Double {
    event.side
      * (hourAngle(
        altitude: event.altitude, latitude: location.latitude, declination: declination, isClamped: true) ?? 0)
  }

  private static let looks = 8
  /// A second, as a part of a day.
  private static let precise = 1.0 / 86_400

  /// The sun's declination in radians, and how far it is past the meridian, as a part of a turn.
  ///
  /// libnova's own step from here to declination and right ascension is not taken: it leaves out that the directions of
  /// the year 2000 turn by 50″ a year, which by 2045 makes two and a half minutes, and it keeps nutation from one call to
  /// the next, so that a firing could be a second later when it is computed again. Without nutation on either side, the
  /// sun's place and the sidereal time are the mean ones, and the angle between them is the same.
  private static func sun(_ day: Double, _ longitude: Double) -> (declination: Double, angle: Double) {
    // 1970-01-01T00:00:00Z is Julian day 2440587.5, and the year 2000 begins at 2451545 at noon.
    let julian = day + 2_440_587.5
    let centuries = (julian - 2_451_545) / 36_525
    var position = ln_helio_posn()
    carillon_sun_position(julian, &position)
    // Precession in longitude and aberration, in seconds of arc (Meeus, chapters 21 and 25).
    let turned = (5029.0966 + 1.11113 * centuries) * centuries - 20.4898 / position.R
    let place = radians(position.L + turned / 3600)
    let obliquity = radians(23.439291 - 0.0130042 * centuries)
    let ascension = atan2(cos(obliquity) * sin(place), cos(place)) / (2 * .pi)
    let angle = ln_get_mean_sidereal_time(julian) / 24 + longitude / 360 - ascension
    return (asin(sin(obliquity) * sin(place)), wrapped(angle))
  }

  private static func instant(_ day: Double) -> WallTime {
    // What lies beyond the years that can be written is cut off before.
    WallTime(seconds: Int64(exactly: (day * 86_400).rounded()) ?? 0)
  }
}
