/// A place in the order in which pending requests of one axis fall due.
public struct DuePlace: Hashable, Comparable, Sendable {
  /// Milliseconds on the axis.
  public var due: Int64
  /// The acceptance number.
  public var sequence: Int64

  public init(due: Int64, sequence: Int64) {
    self.due = due
    self.sequence = sequence
  }

  /// Before all others.
  public static let start = DuePlace(due: .min, sequence: .min)

  public static func < (left: DuePlace, right: DuePlace) -> Bool {
    (left.due, left.sequence) < (right.due, right.sequence)
  }
}
