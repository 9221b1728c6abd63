import CarillonModel

/// How fast each publisher may send commands: a bucket each, which holds a minute's commands and fills again as elapsed
/// time passes.
///
/// Only buckets that are not full are remembered, and of those a limited number. A restart fills them all.
struct CommandRates: Sendable {
  let perMinute: Int64
  private var buckets: [Name?: Bucket] = [:]

  private struct Bucket {
    /// What is in it, in parts of which a command takes `command`.
    var level: Int64
    /// When it held that, on the elapsed axis.
    var at: Int64
  }

  /// Milliseconds of a minute: so a bucket gets `perMinute` parts each millisecond, and nothing is rounded.
  private static let command: Int64 = 60_000
  /// So many publishers are told apart. Beyond, those that are nearest to a full bucket are forgotten.
  static let publishers = 1000

  /// - Parameter perMinute: 1 to 1,000,000,000.
  init(perMinute: Int64) {
    self.perMinute = perMinute
  }

  /// Publishers that are remembered.
  var count: Int { buckets.count }

  /// Takes one command out of a publisher's bucket.
  ///
  /// - Returns: `nil`; where the bucket does not hold one, the milliseconds until it does.
  mutating func take(_ publisher: Name?, at elapsed: Int64) -> Int64? {
    let level = level(buckets[publisher], at: elapsed)
    guard level >= CommandRates.command else {
      return (CommandRates.command - level + perMinute - 1) / perMinute
    }
    if buckets[publisher] == nil { makeRoom(at: elapsed) }
    buckets[publisher] = Bucket(level: level - CommandRates.command, at: elapsed)
    return nil
  }

  private var full: Int64 { perMinute * CommandRates.command }

  private func level(_ bucket: Bucket?, at elapsed: Int64) -> Int64 {
    guard let bucket, case let passed = elapsed.subtractingSaturated(bucket.at), passed < 60_000 else {
      return full
    }
    return min(full, bucket.level + max(0, passed) * perMinute)
  }

  private mutating func makeRoom(at elapsed: Int64) {
    guard buckets.count >= CommandRates.publishers else { return }
    buckets = buckets.filter { level($0.value, at: elapsed) < full }
    guard buckets.count >= CommandRates.publishers else { return }
    let emptiest = buckets.sorted { level($0.value, at: elapsed) < level($1.value, at: elapsed) }
    buckets = Dictionary(uniqueKeysWithValues: emptiest.prefix(CommandRates.publishers / 2).map { $0 })
  }
}
