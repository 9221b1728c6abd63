import Glibc

/// The address sanitizer, which looks at every access to memory.
public enum Sanitizer {
  /// Whether this process was built with it.
  public static let isOn = dlsym(nil, "__asan_init") != nil

  /// A limit of processor time: what the work itself may take, and under the sanitizer what it makes of that.
  public static func allowing(_ limit: Duration) -> Duration { isOn ? limit * 5 : limit }
}
