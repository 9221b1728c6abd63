/// What ends a repeating trigger (protocol §3): a number of occurrences, missed ones included, and a last time.
public struct Ending: Hashable, Sendable {
  /// At least 1; default `nil`: no limit.
  public var count: Int64?
  /// Inclusive, in milliseconds on the trigger's clock; default `nil`: no limit.
  public var until: Int64?

  public init(count: Int64? = nil, until: Int64? = nil) {
    self.count = count
    self.until = until
  }

  /// No end.
  public static let never = Ending()

  public func allows(_ occurrence: Occurrence) -> Bool {
    (count.map { occurrence.number <= $0 } ?? true) && (until.map { occurrence.due <= $0 } ?? true)
  }
}
