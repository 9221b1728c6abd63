import Glibc

/// How much a line matters. The numbers are syslog's, which the journal understands.
public enum LogLevel: Int, Hashable, Comparable, Sendable, CaseIterable {
  case error = 3
  case warning = 4
  case info = 6
  case debug = 7

  /// `error`, `warning`, `info` or `debug`; nil for any other word.
  public init?(_ name: String) {
    guard let level = LogLevel.allCases.first(where: { "\($0)" == name }) else { return nil }
    self = level
  }

  /// A level is less than one that matters more: `.debug < .error`.
  public static func < (one: LogLevel, other: LogLevel) -> Bool { one.rawValue > other.rawValue }
}

/// Lines for the people who run the program, on standard error, one event a line.
///
/// In the journal each line carries its priority as `<4>`; elsewhere it is the bare text. No line may hold a payload or a
/// secret. Copies of a log share its level, so that it can be changed while the program runs.
public struct Log {
  /// What matters less is not written.
  public var level: LogLevel {
    get { limiter.level }
    nonmutating set { limiter.level = newValue }
  }
  private let isJournal: Bool
  private let output: (String) -> Void
  private let limiter = LogLimiter()

  /// - Parameters:
  ///   - level: default `info`.
  ///   - output: where complete lines go, without their line feed; default standard error.
  public init(level: LogLevel = .info, output: ((String) -> Void)? = nil) {
    isJournal = Log.isJournal
    self.output = output ?? writeToStandardError
    self.level = level
  }

  /// Whether standard error is the journal: systemd names its device and inode. A program that was started from a
  /// service has the variable too, but its errors may go to a terminal.
  private static var isJournal: Bool {
    guard let stream = getenv("JOURNAL_STREAM") else { return false }
    var status = stat()
    guard fstat(STDERR_FILENO, &status) == 0 else { return false }
    return String(cString: stream) == "\(status.st_dev):\(status.st_ino)"
  }

  public func error(_ message: @autoclosure () -> String) { write(.error, message) }
  public func warning(_ message: @autoclosure () -> String) { write(.warning, message) }
  public func info(_ message: @autoclosure () -> String) { write(.info, message) }
  public func debug(_ message: @autoclosure () -> String) { write(.debug, message) }

  /// A line that somebody else can cause at will: of each `key` at most ten a minute are written, then one line that
  /// counts what was left out. Default level: warning.
  public func limited(
    _ key: String, level: LogLevel = .warning, _ message: @autoclosure () -> String
  ) {
    guard level >= self.level else { return }
    settle()
    if limiter.admits(key, level, at: SystemClock.elapsedMilliseconds) { write(level, message) }
  }

  /// Writes the counts of the windows that have ended. `limited` does it too; call it before the program ends, with
  /// `all` for the windows that are still open.
  public func settle(all: Bool = false) {
    for (key, level, count) in limiter.settled(at: all ? .max : SystemClock.elapsedMilliseconds) {
      write(level) { "\(key): \(count) more like this" }
    }
  }

  private func write(_ level: LogLevel, _ message: () -> String) {
    guard level >= self.level else { return }
    output((isJournal ? "<\(level.rawValue)>" : "") + oneLine(message()))
  }
}

/// Control characters would let a value in a message forge another line.
private func oneLine(_ text: String) -> String {
  guard text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { return text }
  return String(
    String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
}

private func writeToStandardError(_ line: String) {
  var text = line + "\n"
  text.withUTF8 { bytes in
    // A log that cannot be written is nothing to stop for.
    _ = write(STDERR_FILENO, bytes.baseAddress, bytes.count)
  }
}

/// Counts lines a key and window. A class because a log is passed around by value and must share the counts, and the level.
final class LogLimiter {
  /// Lines of one key in one window: enough to see what happens, too few to fill a disk.
  static let linesInWindow = 10
  /// Milliseconds.
  static let window: Int64 = 60_000
  /// Keys come from outside in part (topics, names), so their number is limited too.
  static let keyLimit = 1000

  var level = LogLevel.info

  private struct Count {
    var level: LogLevel
    var end: Int64
    var lines: Int
  }

  private var counts: [String: Count] = [:]
  private var earliestEnd = Int64.max

  func admits(_ key: String, _ level: LogLevel, at now: Int64) -> Bool {
    let key = counts.count < LogLimiter.keyLimit || counts[key] != nil ? key : "other"
    var count = counts[key] ?? Count(level: level, end: now + LogLimiter.window, lines: 0)
    count.lines += 1
    counts[key] = count
    earliestEnd = min(earliestEnd, count.end)
    return count.lines <= LogLimiter.linesInWindow
  }

  /// The keys whose window has ended with lines left out, and how many; those windows are forgotten.
  func settled(at now: Int64) -> [(key: String, level: LogLevel, count: Int)] {
    guard now >= earliestEnd || now == .max else { return [] }
    let ended = counts.filter { $0.value.end <= now }
    for key in ended.keys { counts[key] = nil }
    earliestEnd = counts.values.map(\.end).min() ?? .max
    return ended.filter { $0.value.lines > LogLimiter.linesInWindow }
      .map { ($0.key, $0.value.level, $0.value.lines - LogLimiter.linesInWindow) }
      .sorted { $0.key < $1.key }
  }
}
