import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// An answer to one of a series answers them all.
@Suite struct NagAnswerTests {
  /// The series of `nagging`, answered after so many firings.
  private func answered(
    after position: Int, _ event: String, _ more: String = "", to firing: Int? = nil
  ) throws -> RelayBench {
    let bench = try RelayBench.withDevices("kitchen", "bedroom")
    try bench.send("{\(nagging)}")
    for _ in 0..<position {
      try bench.respond(bench.sent.last?.device ?? "", "received")
      bench.advance(60_000)
    }
    let notifications = bench.firings("a")
    #expect(notifications.count == position + 1)
    let chosen = notifications[firing ?? position]
    try bench.respond(chosen.device, event, to: chosen.delivery, more: more)
    return bench
  }

  @Test(arguments: 0...5, ["acted", "dismissed", "opened"])
  func `Whichever is answered, however, nothing comes any more`(position: Int, event: String) throws {
    let bench = try answered(after: position, event, event == "opened" ? #","by":"tap""# : "")
    #expect(try bench.queue.nextFollowup() == nil)
    bench.advance(7_200_000)
    #expect(bench.firings("a").count == position + 1)
    // All that the kitchen has is taken back where the bedroom has answered.
    let expected = position > 2 ? Set(bench.firings("a", to: "kitchen").map(\.delivery)) : []
    #expect(Set(bench.withdrawals(to: "kitchen").map(\.delivery)) == expected)
    #expect(bench.withdrawals(to: "bedroom").isEmpty)
  }

  @Test func `An answer to the first one counts while the bedroom is being rung`() throws {
    let bench = try answered(after: 4, "dismissed", to: 0)
    #expect(try bench.queue.nextFollowup() == nil)
    #expect(
      bench.withdrawals(to: "bedroom").map(\.delivery)
        == bench.firings("a", to: "bedroom").map(\.delivery))
    let later = bench.firings("a", to: "kitchen").dropFirst().map(\.delivery)
    #expect(
      bench.withdrawals(to: "kitchen").map(\.delivery) == later, "what came after it is still shown there")
  }

  @Test func `Opened by arrival, received and failed are no answers`() throws {
    let bench = try RelayBench.withDevices("kitchen")
    try bench.send("{\(nagging)}")
    for (event, more) in [("received", ""), ("opened", #","by":"arrival""#), ("failed", "")] {
      try bench.respond("kitchen", event, more: more)
    }
    bench.advance(60_000)
    #expect(bench.firings("a").count == 2)
  }

  @Test func `Of two answers that come at once the first counts`() throws {
    let bench = try RelayBench.withDevices("kitchen", "bedroom")
    try bench.send("{\(nagging)}")
    bench.advance(180_000)
    let deliveries = bench.firings("a").map(\.delivery)
    try bench.take([
      bench.arrival(
        "carillon/device/bedroom/response", #"{"delivery":"\#(deliveries[3])","event":"acted","action":"x"}"#,
        0),
      bench.arrival(
        "carillon/device/kitchen/response", #"{"delivery":"\#(deliveries[2])","event":"dismissed"}"#, 0),
    ])
    let firings = try bench.queue.live(id: "a")
    #expect(firings.isEmpty)
    for delivery in deliveries {
      let id = try #require(DeliveryID(parsing: delivery))
      let firing = try #require(try bench.queue.firing(id))
      #expect(firing.ended == "acted")
      #expect(firing.endedBy == "bedroom")
    }
    bench.advance(7_200_000)
    #expect(bench.firings("a").count == 4)
  }

  @Test func `An answer that comes when all is over still answers every firing`() throws {
    let bench = try RelayBench.withDevices("kitchen", "bedroom")
    try bench.send("{\(nagging)}")
    bench.advance(3_600_000)
    #expect(bench.withdrawals(to: "bedroom").isEmpty)
    try bench.respond("kitchen", "acted", more: #","action":"x""#)
    #expect(Set(bench.withdrawals(to: "bedroom").map(\.delivery)).count == 3)
    #expect(bench.withdrawals(to: "kitchen").isEmpty)
  }

  @Test func `A device that was away gets nothing of what was answered`() throws {
    let bench = try RelayBench.withDevices("one", "two")
    try bench.status("two", "offline")
    try bench.send(#"{"id":"a","title":"t","nag":{"every":60,"times":3}}"#)
    bench.advance(130_000)
    try bench.respond("one", "dismissed")
    try bench.status("two", "online")
    bench.advance(3_600_000)
    #expect(bench.sent.allSatisfy { $0.device == "one" })
  }

  @Test func `The answering device is not sent an earlier one again`() throws {
    let bench = try RelayBench.withDevices("kitchen")
    try bench.send("{\(nagging)}")
    bench.advance(60_000)
    // It never said that it had received the first.
    try bench.respond("kitchen", "acted", more: #","action":"x""#)
    bench.forgetSent()
    bench.advance(7_200_000)
    #expect(bench.sent.isEmpty)
    try bench.status("kitchen", "offline")
    try bench.status("kitchen", "online")
    #expect(bench.sent.isEmpty)
  }

  @Test func `An answer to an earlier occurrence leaves the nag of the newest`() throws {
    let bench = try RelayBench.withDevices("kitchen")
    try bench.send(#"{\#(nagging),"trigger":{"every":90}}"#)
    bench.advance(200_000)
    #expect(bench.story() == ["kitchen 90", "kitchen 150 1/2", "kitchen 180"])
    try bench.respond("kitchen", "acted", to: bench.sent.first?.delivery, more: #","action":"x""#)
    bench.advance(40_000)
    #expect(bench.story().last == "kitchen 240 1/2")
  }

  @Test func `Another request's answer is none of its business`() throws {
    let bench = try RelayBench.withDevices("kitchen")
    try bench.send("{\(nagging)}")
    try bench.send(#"{"id":"b","title":"t","to":"kitchen","nag":{"every":60,"times":2}}"#)
    try bench.respond("kitchen", "acted", more: #","action":"x""#)
    bench.advance(60_000)
    #expect(bench.firings("a").count == 2)
    #expect(bench.firings("b").count == 1)
  }
}
