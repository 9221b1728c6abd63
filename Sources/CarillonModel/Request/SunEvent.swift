/// What the sun does in a day, at the place that the relay is configured with (protocol §3).
public enum SunEvent: String, CaseIterable, Hashable, Sendable {
  case sunrise, sunset
  /// The beginning of civil twilight in the morning: the sun's centre 6° below the horizon.
  case dawn
  /// The end of civil twilight in the evening.
  case dusk
  /// The sun's highest place in its day, not 12:00 on the clock.
  case noon
}
