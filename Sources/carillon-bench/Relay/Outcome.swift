import CarillonTestSupport

/// What came of a load, and how long each firing took.
struct Outcome {
  var sent: Int
  var arrivals: [LoadSubscriber.Arrival]
  /// In milliseconds.
  var latency: Distribution
  /// Of the relay, in seconds; nil where it mostly waited.
  var processor: Double?

  /// - Parameter starts: from when each number's time is counted, in nanoseconds of the subscriber's clock.
  init(_ subscriber: LoadSubscriber, from starts: [Int64]) {
    sent = starts.count
    arrivals = subscriber.arrivals.filter { $0.number < starts.count }
    latency = Distribution(arrivals.map { Double($0.time - starts[$0.number]) / 1e6 })
  }

  var distinct: Int { Set(arrivals.map(\.number)).count }

  /// Firings a second from an instant, or from the first arrival, to the last arrival.
  func rate(from start: Int64? = nil) -> Double {
    guard let first = start ?? arrivals.first?.time, let last = arrivals.last?.time, last > first else {
      return 0
    }
    return Double(arrivals.count) * 1e9 / Double(last - first)
  }

  static let columns: [Report.Column] = [
    .init("firings"), .init("per_second"), .init("p50", "ms"), .init("p90", "ms"), .init("p99", "ms"),
    .init("max", "ms"), .init("lost"), .init("repeats"), .init("processor", "µs"),
  ]

  /// - Parameter rate: nil where it is given by how the load is sent.
  func row(_ name: String, rate: Double?) -> Report.Row {
    let quantiles = [latency.median, latency.quantile(0.9), latency.p99, latency.max]
    return Report.Row(
      name,
      [.count(arrivals.count), rate.map { .number($0) } ?? .none] + quantiles.map { .number($0) }
        + [
          .count(sent - distinct), .count(arrivals.count - distinct),
          processor.map { .number($0 / Double(max(1, arrivals.count)) * 1e6) } ?? .none,
        ],
      Report.Target("none lost", distinct == sent))
  }
}
