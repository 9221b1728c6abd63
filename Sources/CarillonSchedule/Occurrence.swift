/// One time at which a request is due.
///
/// The axis is milliseconds of whichever clock the trigger lives on: the wall clock for times of day, the elapsed clock for
/// intervals. A clock is never read here; its time comes in.
public struct Occurrence: Hashable, Sendable {
  /// Milliseconds on the trigger's clock.
  public var due: Int64
  /// Which one of the request's it is, counted from 1 with the first after acceptance; missed ones count too.
  public var number: Int64

  public init(due: Int64, number: Int64) {
    self.due = due
    self.number = number
  }
}
