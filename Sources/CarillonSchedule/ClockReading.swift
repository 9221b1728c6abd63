import CarillonModel

/// The two clocks, read at one moment. Intervals live on the elapsed clock, which goes on through suspend and does not move
/// when the wall clock is set; this is what carries a time from the one to the other.
public struct ClockReading: Hashable, Sendable {
  public var wall: WallTime
  /// Milliseconds of elapsed time since some start.
  public var elapsed: Int64

  public init(wall: WallTime, elapsed: Int64) {
    self.wall = wall
    self.elapsed = elapsed
  }

  /// Where on the elapsed clock a wall time lies, as long as nobody sets the wall clock; stops at the ends of the axis.
  public func elapsed(at time: WallTime) -> Int64 {
    ClockReading.moved(time.milliseconds, from: wall.milliseconds, to: elapsed)
  }

  /// What the wall clock shows at a point of the elapsed clock, as long as nobody sets it; stops at the ends of the axis.
  public func wall(at elapsed: Int64) -> WallTime {
    WallTime(milliseconds: ClockReading.moved(elapsed, from: self.elapsed, to: wall.milliseconds))
  }

  private static func moved(_ time: Int64, from origin: Int64, to target: Int64) -> Int64 {
    target.addingSaturated(time.subtractingSaturated(origin))
  }
}
