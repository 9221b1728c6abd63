import CarillonModel

/// The page of metrics in Prometheus's text format (0.0.4), as node_exporter's textfile collector reads it.
struct MetricsPage {
  private(set) var text = ""

  /// - Parameter uptime: seconds.
  init(_ metrics: Metrics, _ gauges: MetricsGauges, uptime: Int64) {
    gauge("requests", "Requests that are pending or paused.", gauges.pending)
    gauge("requests_paused", "Requests that are paused, counted up to 1000.", gauges.paused)
    gauge("devices_known", "Devices that have announced themselves.", Int64(gauges.devicesKnown))
    gauge("devices_online", "Devices that are online.", Int64(gauges.devicesOnline))
    head("outbox_deliveries", "gauge", "Deliveries in memory on their way to devices.")
    for depth in gauges.outbox {
      line("outbox_deliveries{state=\"\(depth.state)\"}", Int64(depth.count))
    }
    counter("fired", "Notifications that went out.", gauges.fired)
    counter("failed", "Notifications that reached nobody.", gauges.failed)
    counter("commands", "Messages with commands whose effect is on disk.", metrics.commands)
    head("rejected_total", "counter", "Commands that were refused\(MetricsPage.sinceStart)")
    for code in RefusalCode.allCases {
      line("rejected_total{code=\"\(code.rawValue)\"}", metrics.rejected[code] ?? 0)
    }
    histogram(metrics.lateness)
    gauge("store_bytes", "Size of the store's file and its log.", gauges.storeSize)
    head("last_commit_timestamp_seconds", "gauge", "When the store last took a change; 0 before the first.")
    text += "carillon_last_commit_timestamp_seconds \(MetricsPage.seconds(metrics.committed ?? 0))\n"
    gauge("connected", "Whether the relay is connected to its broker.", gauges.isConnected ? 1 : 0)
    gauge("start_timestamp_seconds", "When the relay was started.", gauges.started)
    gauge("uptime_seconds", "How long the relay has been running.", uptime)
    head("build_info", "gauge", "The program's version and the store's id; always 1.")
    line("build_info{version=\"\(gauges.version)\",store=\"\(gauges.storeID)\"}", 1)
  }

  private static let sinceStart = "; counted from the relay's start on."

  private mutating func gauge(_ name: String, _ help: String, _ value: Int64) {
    head(name, "gauge", help)
    line(name, value)
  }

  private mutating func counter(_ name: String, _ help: String, _ value: Int64) {
    head(name + "_total", "counter", help.dropLast() + MetricsPage.sinceStart)
    line(name + "_total", value)
  }

  private mutating func histogram(_ lateness: Lateness) {
    let name = "lateness_seconds"
    head(
      name, "histogram",
      "How long after its time a scheduled delivery was handed to the connection with the broker\(MetricsPage.sinceStart)"
    )
    var sum: Int64 = 0
    for (index, end) in Lateness.ends.enumerated() {
      sum += lateness.counts[index]
      line("\(name)_bucket{le=\"\(MetricsPage.seconds(end))\"}", sum)
    }
    sum += lateness.counts[Lateness.ends.count]
    line("\(name)_bucket{le=\"+Inf\"}", sum)
    text += "carillon_\(name)_sum \(MetricsPage.seconds(lateness.sum))\n"
    line("\(name)_count", sum)
  }

  private mutating func head(_ name: String, _ kind: String, _ help: String) {
    text += "# HELP carillon_\(name) \(help)\n# TYPE carillon_\(name) \(kind)\n"
  }

  private mutating func line(_ name: String, _ value: Int64) { text += "carillon_\(name) \(value)\n" }

  /// Milliseconds as seconds, without a detour over floating point: `0.005`, `60`.
  private static func seconds(_ milliseconds: Int64) -> String {
    let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
    guard rest != 0 else { return "\(whole)" }
    var digits = String(1000 + rest).dropFirst()
    while digits.last == "0" { digits.removeLast() }
    return "\(whole).\(digits)"
  }
}
