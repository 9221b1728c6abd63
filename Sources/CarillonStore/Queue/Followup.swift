/// What comes after a firing besides the schedule.
public struct Followup: Hashable, Sendable {
  public enum Kind: Int64, Sendable {
    /// The next firing of a series that goes on until somebody answers.
    case nag = 0
    /// The notification once more, because a person has put it off.
    case snooze = 1
  }

  /// Its row; 0 before it is stored.
  public var row: Int64 = 0
  /// The request's acceptance number.
  public var sequence: Int64
  /// The row of the firing that a nag's series began with, or of the one that was put off.
  public var firing: Int64
  public var kind: Kind
  /// Which firing of its series is next: 0 while the first one, which is a firing of the schedule, has not gone out. 0 for
  /// a snooze.
  public var position: Int64
  /// When, in milliseconds on the elapsed axis.
  public var due: Int64

  public init(sequence: Int64, firing: Int64, kind: Kind, position: Int64 = 0, due: Int64) {
    self.sequence = sequence
    self.firing = firing
    self.kind = kind
    self.position = position
    self.due = due
  }
}

/// A firing's place in a series that goes on until somebody answers.
///
/// Positions are counted from the first firing, which has 0: up to `times` they are its repetitions, the next one is the
/// first firing for the recipients of `then`, and the rest are the repetitions of that.
public struct SeriesPlace: Hashable, Sendable {
  /// The row of the series' first firing.
  public var first: Int64
  public var position: Int64
  /// Repetitions after a first firing.
  public var times: Int64

  public init(first: Int64, position: Int64, times: Int64) {
    self.first = first
    self.position = position
    self.times = times
  }

  /// Whether it is for the recipients of `then`.
  public var isForThen: Bool { position > times }

  /// Which repetition it is, counted from 1; `nil` for a first firing.
  public var repetition: Int64? {
    let number = isForThen ? position - times - 1 : position
    return number > 0 ? number : nil
  }
}
