import CarillonStore
import Glibc

/// A relay's store with many pending requests.
enum StoreFilling {
  /// In one transaction.
  private static let batch = 10_000

  static func fill(_ path: String, with mix: PendingMix, count: Int) throws {
    Bench.say("storing \(count) requests in \(path)")
    let watch = Stopwatch()
    let queue = try Queue(path: path)
    for start in stride(from: 0, to: count, by: batch) {
      try Interruption.check()
      let requests = try (start..<min(start + batch, count)).map { number in try mix.request(number) }
      try queue.transaction { () throws(StoreError) in
        for request in requests { _ = try queue.insert(request) }
      }
    }
    Bench.say("stored in \(Int(watch.seconds)) s, \(size(path) / 1_000_000) MB")
  }

  /// In bytes.
  static func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }
}
