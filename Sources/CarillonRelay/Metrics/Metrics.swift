import CarillonModel

/// What the relay counts from its start on.
struct Metrics: Hashable, Sendable {
  /// Messages with commands whose effect is on disk.
  var commands: Int64 = 0
  var rejected: [RefusalCode: Int64] = [:]
  var lateness = Lateness()
  /// When the store last took a change, in milliseconds since 1970; `nil` before the first.
  var committed: Int64?
}

/// What stands at this moment, for the same page.
struct MetricsGauges: Hashable, Sendable {
  var pending: Int64 = 0
  var paused: Int64 = 0
  var devicesKnown = 0
  var devicesOnline = 0
  var outbox: [OutboxDepth] = []
  var fired: Int64 = 0
  var failed: Int64 = 0
  /// Bytes of the store and its log.
  var storeSize: Int64 = 0
  var isConnected = false
  /// Seconds since 1970.
  var started: Int64 = 0
  var version = ""
  var storeID = ""
}

/// How many deliveries in memory wait for one thing.
struct OutboxDepth: Hashable, Sendable {
  var state: String
  var count: Int
}
