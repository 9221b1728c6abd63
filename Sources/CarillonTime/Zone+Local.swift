import CarillonModel

/// At which instants local clocks show a reading.
public enum LocalResolution: Hashable, Sendable {
  /// Once.
  case unique(WallTime)
  /// Never: the clocks skip it. The instant is the first after the skipped time.
  case gap(firstInstantAfter: WallTime)
  /// Twice, because the clocks are set back.
  case repeated(first: WallTime, second: WallTime)
}

extension Zone {
  /// At which instants the clocks of this zone show `local`.
  public func resolve(_ local: CivilTime) -> LocalResolution {
    let reading = local.utc
    let seconds = reading.seconds
    let fraction = reading.milliseconds.subtractingSaturated(WallTime(seconds: seconds).milliseconds)
    var search = LocalSearch(reading: seconds)
    var start = seconds.subtractingSaturated(Zone.offsetRange.upperBound)
    let last = seconds.subtractingSaturated(Zone.offsetRange.lowerBound)
    var current = stretch(at: start)
    search.visit(current, from: .min)
    while search.second == nil, let end = current.end, end <= last {
      start = end
      let next = stretch(at: start)
      search.change(at: start, from: current.offset.seconds, to: next.offset.seconds)
      search.visit(next, from: start)
      current = next
    }
    func instant(_ seconds: Int64) -> WallTime {
      WallTime(milliseconds: WallTime(seconds: seconds).milliseconds.addingSaturated(fraction))
    }
    if let first = search.first {
      guard let second = search.second else { return .unique(instant(first)) }
      return .repeated(first: instant(first), second: instant(second))
    }
    if let gap = search.gap { return .gap(firstInstantAfter: WallTime(seconds: gap)) }
    // Only at the very ends of the axis, where sums stop.
    return .unique(instant(seconds.subtractingSaturated(Int64(current.offset.seconds))))
  }

  /// The one instant that a fixed wall time stands for: one that the clocks skip is the first instant after the gap, one
  /// that occurs twice is the first of the two (protocol §3).
  public func instant(of local: CivilTime) -> WallTime {
    switch resolve(local) {
    case .unique(let time), .gap(firstInstantAfter: let time), .repeated(first: let time, second: _): time
    }
  }

  /// The instant of a written time, which is taken as a reading of this zone's clocks where it has no offset.
  public func instant(of written: WrittenTime) -> WallTime {
    switch written {
    case .instant(let time): time
    case .local(let time): instant(of: time)
    }
  }

  /// The offsets that a zone may have, in seconds: those of RFC 9636 §3.2. Everything within them of a reading is searched.
  public static let offsetRange: ClosedRange<Int64> = -89_999...93_599
}

/// Collects, in ascending order, the instants at which a reading is shown, and the jump that skips it.
private struct LocalSearch {
  let reading: Int64
  var first: Int64?
  var second: Int64?
  var gap: Int64?

  init(reading: Int64) { self.reading = reading }

  mutating func visit(_ stretch: Zone.Stretch, from start: Int64) {
    let instant = reading.subtractingSaturated(Int64(stretch.offset.seconds))
    guard instant >= start, stretch.end.map({ instant < $0 }) ?? true else { return }
    if first == nil { first = instant } else if second == nil { second = instant }
  }

  mutating func change(at instant: Int64, from before: Int, to after: Int) {
    guard gap == nil, instant.addingSaturated(Int64(before)) <= reading,
      reading < instant.addingSaturated(Int64(after))
    else { return }
    gap = instant
  }
}
