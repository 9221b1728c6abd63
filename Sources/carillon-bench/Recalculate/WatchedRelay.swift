import CarillonModel
import CarillonTestSupport
import CarillonTime
import Glibc

/// The program as a relay, beside a plain subscriber that notes how late notifications come.
final class WatchedRelay {
  private let relay: Program
  private let client: TestClient
  private var seen = 0
  private static let device = "carillon/device/bench/notification"
  private static let (command, reply) = ("carillon/command/bench", "carillon/reply/bench/x")

  /// Starts it; it has read its broker's backlog when this returns.
  init(store: String, zones: ReplaceableZones, broker: Broker) throws {
    client = try TestClient(port: broker.port)
    try client.subscribe(WatchedRelay.device)
    try client.subscribe(WatchedRelay.reply)
    try client.subscribe("carillon/relay/status")
    relay = try Program(
      ["relay", "--broker", broker.url, "--store", "sqlite:\(store)", "--timezone", "UTC"],
      environment: ["TZDIR": zones.path])
    try client.waitForMessage(within: .seconds(60)) {
      $0.topic == "carillon/relay/status" && $0.text == "online"
    }
  }

  func stop() throws {
    relay.terminate()
    try relay.waitForExit(within: .seconds(60))
  }

  // MARK: Requests

  /// Twenty that fire every second, 50 ms apart, and one every minute in a zone that stays as it is.
  func addRegularFirings() throws {
    let start = (WallClock.milliseconds / 1000 + 3) * 1000
    for number in 0..<20 {
      let from = timestamp(utc: WallTime(milliseconds: start + Int64(number) * 50))
      try add("every-\(number)", #"{"every":"1s","from":"\#(from)"}"#)
    }
    try add("minute", #"{"cron":"* * * * *"}"#)
  }

  private func add(_ id: String, _ trigger: String) throws {
    let answer = try ask(
      #"{"id":"\#(id)","to":"bench","title":"\#(id)","timezone":"\#(ReplaceableZones.other)","trigger":\#(trigger)}"#
    )
    guard answer["ok"] == .bool(true) else { throw TestFailure("\(id) was refused: \(answer)") }
  }

  private func ask(_ command: String) throws -> JSON {
    try client.publish(WatchedRelay.command, command, responseTopic: WatchedRelay.reply)
    return try JSON(parsing: try client.waitForMessage(on: WatchedRelay.reply).payload)
  }

  /// The samples that are listed with another next firing, in words.
  func wrong(_ samples: [PendingMix.Sample], by zone: Zone) throws -> [String] {
    var wrong: [String] = []
    for start in stride(from: 0, to: samples.count, by: WatchedRelay.page) {
      let page = samples[start..<min(start + WatchedRelay.page, samples.count)]
      let ids = JSON.array(page.map { .string($0.id) })
      let answer = try ask(
        String(decoding: JSON.object(["command": "pending", "ids": ids]).encoded, as: UTF8.self))
      let items = answer["items"]?.elements ?? []
      for sample in page {
        let next = items.first { $0["id"]?.text == sample.id }?["next"]?.text ?? "none"
        let right = zone.instant(of: sample.reading)
        if case .instant(right)? = try? WrittenTime(parsing: next) { continue }
        wrong.append("\(sample.id): next is \(next), not \(zone.timestamp(right))")
      }
    }
    return wrong
  }

  /// As many as one answer lists.
  private static let page = 100

  // MARK: Watching

  /// - Returns: the lateness in milliseconds of what fires in that time.
  @discardableResult
  func watch(for time: Duration) throws -> Distribution {
    let deadline = Deadline(after: time)
    return try watch { deadline.hasPassed }
  }

  /// Until the relay says something that begins like that.
  ///
  /// - Returns: the lateness in milliseconds of what fires meanwhile.
  @discardableResult
  func watch(until beginning: String, within limit: Duration) throws -> Distribution {
    let deadline = Deadline(after: limit)
    return try watch {
      let lines = relay.lines(.errors)
      defer { seen = lines.count }
      guard !deadline.hasPassed, !relay.hasEnded else {
        throw TestFailure("the relay does not say \"\(beginning)\" but: \(lines.suffix(5))")
      }
      return lines.dropFirst(seen).contains { $0.hasPrefix(beginning) }
    }
  }

  /// Something fires every 50 ms, so the end is noticed about as soon.
  private func watch(until isOver: () throws -> Bool) throws -> Distribution {
    var late: [Double] = []
    while try !isOver() {
      try Interruption.check()
      let message = try client.waitForMessage(on: WatchedRelay.device)
      let received = WallClock.nanoseconds
      guard let text = try JSON(parsing: message.payload)["due"]?.text,
        case .instant(let due) = try WrittenTime(parsing: text)
      else { throw TestFailure("a notification without due: \(message.text)") }
      late.append(Double(received - due.milliseconds * 1_000_000) / 1e6)
    }
    return Distribution(late)
  }

  // MARK: What it takes

  /// Processor time in seconds, and bytes written, since it was started.
  var taken: (processor: Double, written: Double) {
    let usage = ProcessUsage(pid: relay.pid)
    return (usage.processor, usage.written)
  }
}
