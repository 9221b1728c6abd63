/// The clock that a trigger lives on.
public enum TimeAxis: Int64, Sendable, CaseIterable {
  /// The wall clock: milliseconds since 1970, which setting the clock moves.
  case wall = 0
  /// Elapsed time: milliseconds on the store's own axis, which nothing moves and which goes on over restarts.
  case elapsed = 1
  /// Elapsed time too, of requests that an event makes due: another event may call that off until the last moment, so
  /// nothing here is prepared ahead. Their firings are on `elapsed`.
  case event = 2

  /// The clock that the axis shows.
  public var clock: TimeAxis { self == .event ? .elapsed : self }
}

/// The two clocks read at one instant.
public struct Moment: Hashable, Sendable {
  public var wall: WallTime
  /// Milliseconds on the store's axis of elapsed time.
  public var elapsed: Int64
  /// What the wall clock is ahead of the elapsed axis, in milliseconds. It is given rather than subtracted, so that one
  /// time does not come out a millisecond different at two readings.
  public var ahead: Int64

  /// - Parameter ahead: default: the difference of the two.
  public init(wall: WallTime, elapsed: Int64, ahead: Int64? = nil) {
    self.wall = wall
    self.elapsed = elapsed
    self.ahead = ahead ?? wall.milliseconds.subtractingSaturated(elapsed)
  }

  /// Milliseconds on one axis.
  public func on(_ axis: TimeAxis) -> Int64 { axis == .wall ? wall.milliseconds : elapsed }

  /// What the wall clock shows, or will show if nobody sets it, at a time of the elapsed axis.
  public func wall(at elapsed: Int64) -> WallTime { WallTime(milliseconds: elapsed.addingSaturated(ahead)) }

  /// Where a wall time lies on the elapsed axis, as long as nobody sets the wall clock.
  public func elapsed(at time: WallTime) -> Int64 { time.milliseconds.subtractingSaturated(ahead) }

  /// What the wall clock shows at a time of an axis.
  public func wall(at time: Int64, on axis: TimeAxis) -> WallTime {
    axis == .wall ? WallTime(milliseconds: time) : wall(at: time)
  }
}
