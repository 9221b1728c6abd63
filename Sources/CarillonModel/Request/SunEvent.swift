/// What a `sun` trigger waits for (protocol §3).
public enum SunEvent: String, CaseIterable, Hashable, Sendable {
  case sunrise
  case sunset
  /// The begin of civil twilight.
  case dawn
  /// The end of civil twilight.
  case dusk
  /// The sun's highest place; in a polar night too, although it is under the horizon.
  case noon
}
