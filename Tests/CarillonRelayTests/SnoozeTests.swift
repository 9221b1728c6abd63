import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// A button puts a notification off: it comes once more.
@Suite struct SnoozeTests {
  private static let request =
    #""id":"a","title":"t","to":["one","two"],"actions":[{"id":"later","title":"L","snooze":"10m"},{"id":"done","title":"D"}]"#
  private static let later = #","action":"later""#

  /// A notification at two devices, put off by the first after a minute.
  private func putOff(_ more: String = "") throws -> RelayBench {
    let bench = try RelayBench.withDevices("one", "two")
    try bench.send("{\(SnoozeTests.request)\(more)}")
    for device in ["one", "two"] { try bench.respond(device, "received") }
    bench.advance(60_000)
    try bench.respond("one", "acted", more: SnoozeTests.later)
    return bench
  }

  @Test func `It comes once more after the time, to all of its devices, and no third time`() throws {
    let bench = try putOff()
    #expect(bench.withdrawals(to: "two").count == 1, "it is an answer")
    bench.advance(7_200_000)
    #expect(bench.story() == ["one 0", "two 0", "one 660", "two 660"])
    let again = bench.firings("a").last
    #expect(again?.due == RelayBench.noon + 660_000)
    #expect(again?.late == false)
    #expect(again?.content == bench.sent[0].content)
    #expect(again?.delivery != bench.sent[0].delivery)
    #expect(again?.series == nil)
  }

  @Test func `Put off again, it comes again`() throws {
    let bench = try putOff()
    bench.advance(610_000)
    try bench.respond("two", "acted", more: SnoozeTests.later)
    bench.advance(7_200_000)
    #expect(bench.story() == ["one 0", "two 0", "one 660", "two 660", "one 1270", "two 1270"])
  }

  @Test(arguments: [
    ("acted", #","action":"done""#), ("acted", #","action":"nothing""#), ("acted", #","text":"later""#),
    ("dismissed", #","action":"later""#), ("opened", #","by":"tap","action":"later""#),
    ("opened", #","by":"arrival","action":"later""#), ("presented", #","action":"later""#),
  ])
  func `Nothing else puts it off`(event: String, more: String) throws {
    let bench = try RelayBench.withDevices("one", "two")
    try bench.send("{\(SnoozeTests.request)}")
    try bench.respond("one", event, more: more)
    #expect(try bench.queue.nextFollowup() == nil)
  }

  @Test func `Only the first answer puts it off, and only once`() throws {
    let bench = try putOff()
    let (one, two) = (bench.sent[0].delivery, bench.sent[1].delivery)
    bench.advance(60_000)
    for _ in 0..<2 {
      try bench.respond("one", "acted", to: one, more: SnoozeTests.later)
      try bench.respond("two", "acted", to: two, more: SnoozeTests.later)
      try bench.restart()
    }
    bench.advance(7_200_000)
    #expect(bench.story() == ["one 0", "two 0", "one 660", "two 660"])
  }

  @Test func `After another answer it cannot be put off`() throws {
    let bench = try RelayBench.withDevices("one", "two")
    try bench.send("{\(SnoozeTests.request)}")
    try bench.respond("two", "dismissed")
    try bench.respond("one", "acted", to: bench.sent[0].delivery, more: SnoozeTests.later)
    #expect(try bench.queue.nextFollowup() == nil)
  }

  @Test func `Only a device that was addressed can put it off`() throws {
    let bench = try RelayBench.withDevices("one", "two", "three")
    try bench.send("{\(SnoozeTests.request)}")
    try bench.respond("three", "acted", to: bench.sent[0].delivery, more: SnoozeTests.later)
    #expect(try bench.queue.nextFollowup() == nil)
  }

  // MARK: Restart, clocks, expiry

  @Test func `It survives a restart, and what was missed comes late`() throws {
    let bench = try putOff()
    try bench.restart(after: 300_000)
    bench.advance(299_000)
    #expect(bench.firings("a").count == 2)
    try bench.restart(after: 62_000)
    #expect(bench.story() == ["one 0", "two 0", "one 721 late", "two 721 late"])
    #expect(bench.sent.last?.due == RelayBench.noon + 660_000)
  }

  @Test func `It counts from when the relay gets the answer`() throws {
    let bench = try RelayBench.withDevices("one", "two")
    try bench.send("{\(SnoozeTests.request)}")
    let delivery = bench.sent[0].delivery
    try bench.restart(after: 3_600_000) {
      try bench.respond("one", "acted", to: delivery, more: SnoozeTests.later)
    }
    bench.advance(7_200_000)
    #expect(bench.story() == ["one 0", "two 0", "one 4200", "two 4200"])
  }

  @Test func `It has a life of its own`() throws {
    let bench = try putOff(#","expires":120"#)
    bench.advance(7_200_000)
    #expect(bench.firings("a").map(\.expires) == [120, 120, 780, 780].map { RelayBench.noon + $0 * 1000 })
  }

  @Test func `Its life over before it could fire, it does not come`() throws {
    let bench = try putOff(#","expires":120"#)
    try bench.restart(after: 720_000)
    #expect(bench.firings("a").count == 2)
    #expect(try bench.queue.nextFollowup() == nil)
  }

  // MARK: The schedule, nags

  @Test func `The schedule is untouched`() throws {
    let bench = try RelayBench.withDevices("one", "two")
    try bench.send(#"{\#(SnoozeTests.request),"trigger":{"every":400}}"#)
    bench.advance(410_000)
    try bench.respond("one", "acted", more: SnoozeTests.later)
    bench.advance(800_000)
    #expect(bench.story().filter { $0.hasPrefix("one") } == ["one 400", "one 800", "one 1010", "one 1200"])
  }

  @Test func `It ends a nag, and starts none`() throws {
    let bench = try putOff(#","nag":{"every":30,"times":5,"then":"three"}"#)
    #expect(bench.story().last == "two 60 2/5")
    bench.advance(7_200_000)
    #expect(bench.story().suffix(2) == ["one 660", "two 660"])
    #expect(bench.firings("a").count == 8)
  }

  @Test func `Put off by those of then, it comes back to them`() throws {
    let bench = try RelayBench.withDevices("one", "two", "three")
    try bench.send(#"{\#(SnoozeTests.request),"nag":{"every":30,"times":1,"then":"three"}}"#)
    bench.advance(70_000)
    try bench.respond("three", "acted", more: SnoozeTests.later)
    bench.advance(7_200_000)
    #expect(bench.story().last == "three 670")
    #expect(bench.firings("a", to: "one").count == 2)
  }

  // MARK: Commands

  @Test(arguments: [#""ids":["a"]"#, #""thread":"x""#, #""all":true"#])
  func `A cancel takes it away, and says so`(selection: String) throws {
    let bench = try putOff(#","thread":"x""#)
    #expect(try bench.send(#"{"command":"cancel",\#(selection)}"#)?["ids"] == ["a": "cancelled"])
    bench.advance(7_200_000)
    #expect(bench.firings("a").count == 2)
  }

  @Test func `A replacement takes it away`() throws {
    let bench = try putOff()
    try bench.send(#"{"id":"a","title":"new","to":"one"}"#)
    bench.advance(7_200_000)
    #expect(bench.firings("a").count == 3)
  }

  @Test func `A withdrawal leaves it`() throws {
    let bench = try putOff()
    try bench.send(#"{"command":"withdraw","ids":["a"]}"#)
    bench.advance(7_200_000)
    #expect(bench.firings("a").count == 4)
  }

  @Test func `What was replaced can still be put off, and taken back after that`() throws {
    let bench = try RelayBench.withDevices("one", "two")
    try bench.send("{\(SnoozeTests.request)}")
    try bench.send(
      #"{\#(SnoozeTests.request.replacing("\"t\"", with: "\"tomorrow\"")),"trigger":{"after":900}}"#)
    try bench.respond("one", "acted", to: bench.sent[0].delivery, more: SnoozeTests.later)
    bench.advance(600_000)
    #expect(bench.firings("a").last?.at == RelayBench.noon + 600_000)
    #expect(bench.firings("a").last?.content.contains("tomorrow") == false)
    bench.advance(300_000)
    #expect(bench.firings("a").last?.content.contains("tomorrow") == true)
    // Now one of the replaced request is the newest.
    let delivery = bench.firings("a", to: "one")[1].delivery
    try bench.respond("one", "acted", to: delivery, more: SnoozeTests.later)
    bench.advance(600_000)
    let newest = bench.firings("a").suffix(2).map(\.delivery)
    for device in ["one", "two"] { try bench.respond(device, "received") }
    bench.forgetSent()
    #expect(try bench.send(#"{"command":"withdraw","ids":["a"]}"#)?.outcome("a") == "withdrawn")
    #expect(Set(bench.sent.map(\.delivery)).isSuperset(of: newest))
  }

  @Test func `Cancelled, the notification on a screen can still be put off, and that be cancelled`() throws {
    let bench = try RelayBench.withDevices("one", "two")
    try bench.send(#"{\#(SnoozeTests.request),"trigger":{"every":5}}"#)
    bench.advance(5500)
    try bench.send(#"{"command":"cancel","ids":["a"]}"#)
    try bench.respond("one", "acted", more: SnoozeTests.later)
    #expect(try bench.queue.nextFollowup() != nil)
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "cancelled")
    #expect(try bench.queue.nextFollowup() == nil)
  }

  @Test(arguments: [#""ids":["a"]"#, #""all":true"#])
  func `Paused, it is held; resumed, it comes`(selection: String) throws {
    let bench = try putOff()
    #expect(try bench.send(#"{"command":"pause",\#(selection)}"#)?["ids"] == ["a": "paused"])
    bench.advance(700_000)
    #expect(bench.firings("a").count == 2)
    try bench.restart()
    #expect(bench.firings("a").count == 2)
    #expect(try bench.send(#"{"command":"resume",\#(selection)}"#)?["ids"] == ["a": "pending"])
    #expect(bench.story().suffix(2) == ["one 760 late", "two 760 late"])
  }

  @Test func `Put off while its request is paused, it is held as well`() throws {
    let bench = try RelayBench.withDevices("one", "two")
    try bench.send(#"{\#(SnoozeTests.request),"trigger":{"every":60}}"#)
    bench.advance(61_000)
    try bench.send(#"{"command":"pause","ids":["a"]}"#)
    try bench.respond("one", "acted", more: SnoozeTests.later)
    #expect(try bench.queue.nextFollowup() == nil)
    try bench.send(#"{"command":"resume","ids":["a"]}"#)
    #expect(try bench.queue.nextFollowup() != nil)
  }
}
