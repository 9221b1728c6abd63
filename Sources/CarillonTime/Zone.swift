import CarillonModel

/// The history and the rule of one time zone, as a value: what the clocks of a region show at an instant, and at which
/// instants they show a reading. It is made from the system's compiled tzdata (RFC 9636) and reads nothing afterwards.
public struct Zone: Sendable {
  /// What sets local clocks apart from UTC for a while.
  public struct Offset: Hashable, Sendable {
    /// East of Greenwich.
    public let seconds: Int
    /// Such as `CET`, or `+0545` where a region has no letters of its own.
    public let abbreviation: String
    /// Whether tzdata counts this as daylight saving time. (Ireland's winter is; its summer is standard time.)
    public let isDaylight: Bool
  }

  /// The IANA name under which it was asked for.
  public let name: String
  /// The instants at which clocks were changed, in seconds of POSIX time, strictly ascending.
  let transitions: [Int64]
  /// For each transition the place in `offsets` of what holds from then on.
  let kinds: [UInt8]
  /// Not empty; the first holds before the first transition.
  let offsets: [Offset]
  /// What holds from the last transition on; `nil` where that is what the last transition began.
  let rule: PosixRule?

  /// Coordinated universal time, which needs no tzdata.
  public static let utc = Zone(
    name: "UTC", transitions: [], kinds: [],
    offsets: [Offset(seconds: 0, abbreviation: "UTC", isDaylight: false)], rule: nil)

  /// What holds at an instant, past or future.
  public func offset(at time: WallTime) -> Offset {
    stretch(at: time.seconds).offset
  }

  /// What a local clock shows at an instant.
  public func reading(at time: WallTime) -> CivilTime {
    CivilTime(utc: time + .seconds(offset(at: time).seconds))
  }

  /// The first instant after `time` at which clocks may be changed (or only the abbreviation is); `nil` where there is
  /// none any more.
  public func nextTransition(after time: WallTime) -> WallTime? {
    stretch(at: time.seconds).end.map(WallTime.init(seconds:))
  }

  /// An instant as RFC 3339 has it, read in this zone.
  public func timestamp(_ time: WallTime, milliseconds: Bool = true) -> String {
    CarillonModel.timestamp(
      time, offsetSeconds: offset(at: time).seconds, milliseconds: milliseconds)
  }

  /// A time during which one offset holds.
  public struct Stretch: Sendable {
    public let offset: Offset
    /// In seconds of POSIX time, no longer part of it; `nil` where it lasts for ever.
    public let end: Int64?
  }

  /// What holds at an instant in seconds of POSIX time, and how long. The next stretch may have the same offset.
  public func stretch(at seconds: Int64) -> Stretch {
    let later = firstTransition(after: seconds)
    if later == transitions.count, let rule {
      return rule.stretch(at: seconds)
    }
    let offset = later == 0 ? offsets[0] : offsets[Int(kinds[later - 1])]
    return Stretch(offset: offset, end: later < transitions.count ? transitions[later] : nil)
  }

  /// The place of the first transition after an instant, by halving.
  private func firstTransition(after seconds: Int64) -> Int {
    var low = 0
    var high = transitions.count
    while low < high {
      let middle = (low + high) / 2
      if transitions[middle] <= seconds { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
