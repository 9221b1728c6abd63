import Glibc
import Synchronization

/// Named places at which a test build kills itself with SIGKILL, as if the power had gone there.
///
/// `CARILLON_FAULT=name` chooses the place, `name:3` the third time that it is reached. The release build does not
/// contain them: FAULT_POINTS is defined only for debug builds.
public enum FaultPoint {
  /// Dies here if this is the chosen place and time, after a line on standard error that says so.
  @inlinable @inline(__always)
  public static func reached(_ name: StaticString) {
    #if FAULT_POINTS
      FaultPlan.reached(name)
    #endif
  }

  /// The same for a place that counts only in some cases; the release build does not look at the condition.
  @inlinable @inline(__always)
  public static func reached(_ name: StaticString, if condition: @autoclosure () -> Bool) {
    #if FAULT_POINTS
      if condition() { FaultPlan.reached(name) }
    #endif
  }
}

#if FAULT_POINTS
  /// What the environment asked for.
  @usableFromInline
  enum FaultPlan {
    private static let chosen: (name: String, turn: Int)? = {
      guard let text = getenv("CARILLON_FAULT").map({ String(cString: $0) }), !text.isEmpty else {
        return nil
      }
      let parts = text.split(separator: ":", maxSplits: 1)
      guard let name = parts.first else { return nil }
      return (String(name), parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
    }()

    private static let count = Atomic<Int>(0)

    @usableFromInline
    static func reached(_ name: StaticString) {
      guard let chosen, chosen.name == "\(name)" else { return }
      guard count.add(1, ordering: .relaxed).newValue == chosen.turn else { return }
      let line = "fault point \(name)\n"
      _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
      kill(getpid(), SIGKILL)
    }
  }
#endif
