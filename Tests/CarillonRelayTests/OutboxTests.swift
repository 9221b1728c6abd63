import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// The way of deliveries to devices: windows, repeats, absence.
@Suite struct OutboxTests {
  private func now(_ bench: RelayBench, _ ids: Range<Int>, more: String = "") throws {
    for id in ids { try bench.send(#"{"id":"\#(id)","title":"t","to":"desk"\#(more)}"#) }
  }

  @Test func `At most a hundred are at a device without its word`() throws {
    let bench = try RelayBench(window: 1000)
    try bench.status("desk", "online")
    try now(bench, 0..<250)
    #expect(bench.sent.map(\.id) == (0..<100).map(String.init))
    for sent in bench.sent { try bench.respond("desk", "received", to: sent.delivery) }
    #expect(bench.sent.count > 100)
    while let sent = bench.sent.last, bench.sent.count < 250 {
      for sent in bench.sent { try bench.respond("desk", "received", to: sent.delivery) }
      if bench.sent.last == sent { break }
    }
    #expect(bench.sent.map(\.id) == (0..<250).map(String.init), "each once, in order")
  }

  @Test func `A broker that takes five at a time gets all, in order, once each`() throws {
    let bench = try RelayBench(window: 5)
    bench.acknowledges = false
    try now(bench, 0..<50)
    #expect(bench.sent.count == 5)
    while !bench.unacknowledged.isEmpty { bench.acknowledge(1) }
    #expect(bench.sent.map(\.id) == (0..<50).map(String.init))
  }

  @Test func `A plain subscriber is not sent again what the broker has just acknowledged`() throws {
    let bench = try RelayBench(window: 20)
    bench.loseConnection()
    try now(bench, 0..<150)
    bench.acknowledges = false
    try bench.reconnect(window: 20)
    while !bench.unacknowledged.isEmpty { bench.acknowledge(3) }
    #expect(bench.sent.map(\.id) == (0..<150).map(String.init))
  }

  @Test func `What fell due without a connection goes out after it, in the order of its due times`() throws {
    let bench = try RelayBench(window: 5)
    try bench.status("desk", "online")
    bench.loseConnection()
    for id in 0..<50 {
      try bench.send(#"{"id":"\#(id)","title":"t","to":"desk","trigger":{"after":\#(50 - id)}}"#)
    }
    bench.advance(60_000)
    #expect(bench.sent.isEmpty)
    bench.acknowledges = false
    try bench.reconnect(window: 5)
    while !bench.unacknowledged.isEmpty { bench.acknowledge(1) }
    #expect(bench.sent.map(\.id) == (0..<50).reversed().map(String.init))
  }

  @Test func `Without an answer it is sent again after a minute, two, four, up to an hour`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(#"{"id":"a","title":"t"}"#)
    bench.advance(8 * 3_600_000)
    let times = bench.sent.map { ($0.at - RelayBench.noon) / 1000 }
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect(pauses.prefix(8) == [60, 120, 240, 480, 960, 1920, 3600, 3600])
    #expect(Set(bench.sent.map(\.delivery)).count == 1)
    try bench.respond("desk", "received")
    let count = bench.sent.count
    bench.advance(8 * 3_600_000)
    #expect(bench.sent.count == count)
  }

  @Test func `What the broker refuses is tried again, not at once`() throws {
    let bench = try RelayBench()
    bench.acknowledges = false
    try now(bench, 0..<1)
    bench.acknowledge(isAccepted: false)
    #expect(bench.sent.count == 1)
    bench.acknowledges = true
    bench.advance(61_000)
    #expect(bench.sent.count == 2)
    bench.advance(3_600_000)
    #expect(bench.sent.count == 2)
  }

  @Test func `A device that comes and goes while a message is on the way is sent it again`() throws {
    let bench = try RelayBench()
    bench.acknowledges = false
    try bench.status("desk", "online")
    try now(bench, 0..<1)
    try bench.take([
      bench.arrival("carillon/device/desk/status", "offline", 0),
      bench.arrival("carillon/device/desk/status", "online", 0),
    ])
    bench.acknowledge()
    #expect(bench.sent.count == 2, "the first may have found nobody there")
    bench.acknowledge()
    try bench.respond("desk", "received")
    bench.advance(3_600_000)
    #expect(bench.sent.count == 2)
  }

  @Test func `A device that comes and goes while all slots are taken is sent everything again, in order`()
    throws
  {
    let bench = try RelayBench(window: 20)
    bench.acknowledges = false
    try bench.status("desk", "online")
    try now(bench, 0..<40)
    #expect(bench.sent.map(\.id) == (0..<20).map(String.init))
    bench.forgetSent()
    try bench.status("desk", "offline")
    try bench.status("desk", "online")
    while !bench.unacknowledged.isEmpty { bench.acknowledge(1) }
    #expect(bench.sent.map(\.id) == (0..<40).map(String.init))
  }

  @Test func `A withdrawal goes out for what still waits for a slot`() throws {
    let bench = try RelayBench(window: 1)
    bench.acknowledges = false
    try bench.send(#"{"id":"a","title":"t","to":"desk"}"#)
    try bench.send(#"{"id":"b","title":"t","to":"desk"}"#)
    try bench.send(#"{"command":"withdraw","ids":["b"]}"#)
    while !bench.unacknowledged.isEmpty { bench.acknowledge(1) }
    #expect(bench.notifications("b").isEmpty)
    #expect(bench.withdrawals(to: "desk").map(\.id) == ["b"])
  }

  @Test func `A withdrawal does not wait for the answer to its notification`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(#"{"id":"a","title":"t"}"#)
    try bench.send(#"{"command":"withdraw","ids":["a"]}"#)
    #expect(bench.sent.map(\.kind) == [.notification, .withdrawal])
    try bench.respond("desk", "received")
    bench.advance(61_000)
    #expect(bench.sent.map(\.kind) == [.notification, .withdrawal, .withdrawal], "not answered yet")
    try bench.respond("desk", "withdrawn")
    bench.advance(3_600_000)
    #expect(bench.sent.count == 3)
  }

  @Test func `What expires while it waits for a slot does not stop what is behind it`() throws {
    let bench = try RelayBench(window: 2)
    bench.acknowledges = false
    try now(bench, 0..<2)
    try now(bench, 2..<30, more: #","expires":5"#)
    try now(bench, 30..<32)
    bench.pass(6000)
    bench.acknowledge(2)
    #expect(bench.sent.map(\.id) == ["0", "1", "30", "31"])
  }

  // MARK: Absence

  @Test func `Of what a repeating request fired during an absence the newest arrives`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "offline")
    try bench.send(#"{"id":"a","title":"t","trigger":{"every":"10m"}}"#)
    bench.advance(6 * 3_600_000)
    #expect(bench.sent.isEmpty)
    try bench.status("desk", "online")
    #expect(bench.notifications("a").map(\.at) == [RelayBench.noon + 6 * 3_600_000])
  }

  @Test func `With catchUp all, each arrives, in order`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "offline")
    try bench.send(#"{"id":"a","title":"t","catchUp":"all","trigger":{"every":"10m"}}"#)
    bench.advance(6 * 3_600_000)
    try bench.status("desk", "online")
    #expect(bench.notifications("a").count == 36)
    #expect(Set(bench.sent.map(\.delivery)).count == 36)
  }

  @Test func `What was answered, withdrawn or has expired during an absence does not arrive`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.status("away", "offline")
    for id in ["answered", "withdrawn", "kept"] { try bench.send(#"{"id":"\#(id)","title":"t"}"#) }
    try bench.send(#"{"id":"expired","title":"t","expires":5}"#)
    let answered = try #require(bench.notifications("answered").first?.delivery)
    try bench.respond("desk", "dismissed", to: answered)
    try bench.send(#"{"command":"withdraw","ids":["withdrawn"]}"#)
    bench.advance(6000)
    bench.forgetSent()
    try bench.status("away", "online")
    #expect(bench.sent.filter { $0.device == "away" }.map(\.id) == ["kept"])
  }

  @Test func `An older one is not sent after a later one of its id was received`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(#"{"id":"a","title":"1"}"#)
    try bench.send(#"{"id":"a","title":"2"}"#)
    try bench.respond("desk", "received")
    bench.forgetSent()
    bench.loseConnection()
    try bench.reconnect()
    #expect(bench.sent.isEmpty)
  }

  // MARK: Answers

  @Test func `The first of two answers counts, and takes the notification from the others`() throws {
    let bench = try RelayBench()
    for device in ["a", "b", "c"] { try bench.status(device, "online") }
    try bench.send(#"{"id":"x","title":"t"}"#)
    let delivery = try #require(bench.sent.first?.delivery)
    for device in ["a", "b", "c"] { try bench.respond(device, "received", to: delivery) }
    try bench.take(
      ["a", "b"].map { device in
        bench.arrival(
          "carillon/device/\(device)/response", #"{"delivery":"\#(delivery)","event":"acted","action":"ok"}"#,
          0)
      })
    #expect(bench.withdrawals(to: "a").isEmpty)
    #expect(bench.withdrawals(to: "c").count == 1)
    let id = try #require(DeliveryID(parsing: delivery))
    #expect(try bench.queue.firing(id)?.endedBy == "a")
    // The second one has answered before its withdrawal came: there is nothing left to take back.
    bench.advance(3_600_000)
    #expect(bench.withdrawals(to: "b").count <= 1)
  }

  @Test func `Opened by arrival is no answer`() throws {
    let bench = try RelayBench()
    for device in ["a", "b"] { try bench.status(device, "online") }
    try bench.send(#"{"id":"x","title":"t"}"#)
    try bench.respond("a", "opened", more: #","by":"arrival""#)
    #expect(bench.withdrawals(to: "b").isEmpty)
    try bench.respond("a", "opened", more: #","by":"tap""#)
    #expect(bench.withdrawals(to: "b").count == 1)
  }

  @Test func `Only a device that a delivery is addressed to may answer it`() throws {
    let bench = try RelayBench()
    for device in ["a", "b"] { try bench.status(device, "online") }
    try bench.send(#"{"id":"x","title":"t","to":"a"}"#)
    let delivery = try #require(bench.sent.first?.delivery)
    try bench.respond("b", "dismissed", to: delivery)
    let id = try #require(DeliveryID(parsing: delivery))
    #expect(try bench.queue.firing(id)?.ended == nil)
  }

  @Test func `Withdrawing takes back what is shown, not what was replaced long ago`() throws {
    let bench = try RelayBench()
    try bench.status("desk", "online")
    try bench.send(#"{"id":"a","title":"t","trigger":{"every":60,"count":40}}"#)
    for _ in 0..<40 {
      bench.advance(60_000)
      try bench.respond("desk", "opened", more: #","by":"arrival""#)
    }
    #expect(bench.notifications("a").count == 40)
    #expect(try bench.send(#"{"command":"withdraw","ids":["a"]}"#)?.outcome("a") == "withdrawn")
    #expect(bench.withdrawals(to: "desk").count == 1)
    #expect(bench.withdrawals(to: "desk").first?.delivery == bench.notifications("a").last?.delivery)
  }

  private func delivery(_ row: Int64, release: Int64, fired: Int64? = nil) -> OutgoingDelivery {
    var firing = StoredFiring(
      sequence: row, stamp: release, due: WallTime(milliseconds: release), axis: .wall, release: release,
      fired: fired.map { WallTime(milliseconds: $0) })
    firing.row = row
    return OutgoingDelivery(
      device: 1, open: .notification, state: .waiting, firing: firing, id: "\(row)", publisher: nil,
      zone: "UTC",
      content: [], keepsAll: false)
  }

  @Test func `What comes into a burst that is half out goes behind the other half`() {
    let (before, due) = (
      Moment(wall: WallTime(milliseconds: 0), elapsed: 0),
      Moment(wall: WallTime(milliseconds: 1000), elapsed: 1000)
    )
    var outbox = Outbox()
    _ = outbox.open(window: 1000)
    for row in 1...100 { #expect(outbox.add(delivery(Int64(row), release: 1000), at: before).isEmpty) }
    var actions = outbox.release(at: due, limit: 50)
    actions += outbox.add(delivery(101, release: 1000, fired: 1000), at: due)
    let rows = actions.compactMap { action in
      if case .publish(let delivery) = action { delivery.firing.row } else { nil }
    }
    #expect(rows == Array(1...101))
  }
}
