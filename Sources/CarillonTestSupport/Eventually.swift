import CarillonLoop
import Glibc

/// What a test waited for and did not get, or could not set up.
public struct TestFailure: Error, CustomStringConvertible {
  public var description: String

  public init(_ description: String) { self.description = description }
}

/// Waits until the condition holds, looking every two milliseconds.
///
/// - Parameters:
///   - what: for the message.
///   - limit: default 30 s; generous, since it is only used up by a test that fails.
/// - Throws: `TestFailure` after `limit`, or what the condition throws.
public func eventually(
  _ what: String = "the condition", within limit: Duration = .seconds(30), _ condition: () throws -> Bool
) throws {
  let deadline = Deadline(after: limit)
  while try !condition() {
    guard !deadline.hasPassed else { throw TestFailure("\(what) did not come within \(limit)") }
    // Nothing says when a condition begins to hold, so it is looked at again.
    usleep(2000)
  }
}

/// An instant on the elapsed clock.
public struct Deadline {
  private let end: Int64

  public init(after limit: Duration) {
    end = SystemClock.elapsedMilliseconds + limit.wholeMilliseconds
  }

  public var hasPassed: Bool { SystemClock.elapsedMilliseconds >= end }

  /// Milliseconds, at least 0.
  public var remaining: Int32 { Int32(clamping: max(end - SystemClock.elapsedMilliseconds, 0)) }
}

extension Duration {
  /// For the short times of tests.
  var wholeMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
