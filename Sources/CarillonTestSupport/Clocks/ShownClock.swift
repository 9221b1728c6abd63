import Glibc
import Testing

/// The clocks that one process sees, moved by libfaketime.
public enum ShownClock {
  /// Not under the address sanitizer: libfaketime and it wait for each other before the program begins.
  public static var isPossible: ConditionTrait {
    .disabled(if: Sanitizer.isOn, "libfaketime does not run under the address sanitizer")
  }

  /// The library that a program loads first.
  public static func library() throws -> String {
    for folder in ["x86_64-linux-gnu", "aarch64-linux-gnu", "arm-linux-gnueabihf"] {
      let path = "/usr/lib/\(folder)/faketime/libfaketime.so.1"
      if access(path, R_OK) == 0 { return path }
    }
    throw TestFailure("faketime is not installed")
  }

  /// Variables of a program for which all clocks, and so all its timers, run that many times as fast.
  public static func running(times rate: Int) throws -> [String: String] {
    ["LD_PRELOAD": try library(), "FAKETIME": "+0 x\(rate)"]
  }

  /// Variables of a program whose wall clock alone runs that many times as fast.
  public static func wall(times rate: Int) throws -> [String: String] {
    try running(times: rate).merging(["DONT_FAKE_MONOTONIC": "1"]) { $1 }
  }

  /// Variables of a program whose wall clock alone is so many seconds ahead.
  public static func wall(ahead seconds: Int) throws -> [String: String] {
    ["LD_PRELOAD": try library(), "FAKETIME": "+\(seconds)", "DONT_FAKE_MONOTONIC": "1"]
  }
}
