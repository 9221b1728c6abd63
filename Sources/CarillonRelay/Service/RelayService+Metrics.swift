import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonStore
import Glibc

/// What `--metrics` needs besides the counts.
struct MetricsState {
  var counts = Metrics()
  /// What was written last.
  var written: Metrics?
  var writtenGauges: MetricsGauges?
  /// On the boot clock.
  var writtenAt: Int64 = .min
  var lookedAt: Int64 = .min
  /// The store's own counts at the start, from which those of this run are taken.
  var firedBefore: Int64 = 0
  var failedBefore: Int64 = 0
  /// Seconds since 1970.
  let started = SystemClock.wallMilliseconds / 1000

  /// So often it is looked whether something has changed, as collectors do; and written at least so often.
  static let (pause, period): (Int64, Int64) = (15_000, 60_000)
}

extension RelayService {
  /// Writes the metrics where it is time for that. Once a second, also while the store takes nothing.
  func writeMetrics() {
    guard let path = configuration.metrics else { return }
    let now = SystemClock.elapsedMilliseconds
    guard metrics.lookedAt == .min || now - metrics.lookedAt >= MetricsState.pause else { return }
    metrics.lookedAt = now
    let gauges = gauges()
    let isSame = metrics.written == metrics.counts && metrics.writtenGauges == gauges
    if isSame, now - metrics.writtenAt < MetricsState.period { return }
    let page = MetricsPage(metrics.counts, gauges, uptime: (now - started) / 1000)
    guard replace(path, with: Array(page.text.utf8)) else {
      return log.limited(
        "metrics", level: .warning, "metrics are not written to \(path): \(systemMessage(errno))")
    }
    metrics.written = metrics.counts
    metrics.writtenGauges = gauges
    metrics.writtenAt = now
  }

  private func gauges() -> MetricsGauges {
    var gauges = MetricsGauges()
    gauges.pending = queue.counters.pending
    gauges.paused = (try? queue.countPaused(atMost: 1000)) ?? 0
    for device in relay.devices.byRow.values where device.isAnnounced {
      gauges.devicesKnown += 1
      if device.isOnline == true { gauges.devicesOnline += 1 }
    }
    gauges.outbox = outbox.depth
    gauges.fired = queue.counters.fired - metrics.firedBefore
    gauges.failed = queue.counters.failed - metrics.failedBefore
    gauges.storeSize = [path, path + "-wal"].reduce(0) { $0 + size($1) }
    gauges.isConnected = session.isConnected
    gauges.started = metrics.started
    gauges.version = version
    gauges.storeID = queue.storeID
    return gauges
  }

  private func size(_ path: String) -> Int64 {
    var status = stat()
    return stat(path, &status) == 0 ? Int64(status.st_size) : 0
  }

  /// In one piece: a collector finds the old page or the new one. It need not outlive a power cut, so the disk is not
  /// waited for.
  private func replace(_ path: String, with bytes: [UInt8]) -> Bool {
    // Collectors read what ends in .prom.
    let part = "\(path).part"
    let descriptor = open(part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { return false }
    let count = write(descriptor, bytes, bytes.count)
    guard close(descriptor) == 0, count == bytes.count, rename(part, path) == 0 else {
      let error = errno
      unlink(part)
      errno = error
      return false
    }
    return true
  }
}

extension Arrival {
  /// Whether it came on one of the topics for commands.
  func isCommand(_ topics: Topics) -> Bool {
    let prefix = topics.prefix.utf8
    return topic.utf8.starts(with: prefix)
      && topic.utf8.dropFirst(prefix.count).starts(with: "/command".utf8)
  }
}
