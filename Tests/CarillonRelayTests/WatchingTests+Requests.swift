import CarillonModel
import Testing

@testable import CarillonRelay

private let minute: Int64 = 60_000

/// What commands do to requests that watch something, and what they may watch.
extension WatchingTests {
  private static let repeating = #","repeats":true"#

  private func pause(_ bench: RelayBench, while body: () throws -> Void) throws {
    #expect(try bench.send(#"{"command":"pause","ids":["a"]}"#)?.outcome("a") == "paused")
    try body()
    #expect(try bench.send(#"{"command":"resume","ids":["a"]}"#)?.outcome("a") == "pending")
  }

  // MARK: Pause

  @Test(arguments: [("latest", [true]), ("all", [true]), ("none", [])])
  func `What comes while a repeating request is paused follows catchUp when it is resumed`(
    _ catchUp: String, _ late: [Bool]
  ) throws {
    let bench = try Self.bench()
    try bench.send(
      Self.home("", Self.repeating).replacing(#""to""#, with: #""catchUp":"\#(catchUp)","to""#))
    try pause(bench) {
      for text in ["home", "away", "home", "away"] {
        try bench.publish(phone, text)
        bench.advance(2000)
      }
      #expect(bench.sent.isEmpty)
    }
    #expect(bench.sent.map(\.late) == late)
    bench.forgetSent()
    bench.advance(2000)
    try bench.publish(phone, "home")
    #expect(bench.sent.map(\.late) == [false], "how it stands was followed meanwhile")
  }

  @Test func `One that fires once fires late when it is resumed, whatever catchUp says`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","delay":"10m""#).replacing(#""to""#, with: #""catchUp":"none","to""#))
    try bench.publish(phone, "home")
    try pause(bench) { bench.advance(20 * minute) }
    #expect(bench.sent.map(\.late) == [true])
    #expect(bench.queue.counters.pending == 0)
  }

  @Test func `What is not due yet when it is resumed comes at its time`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","for":"10m""#))
    try pause(bench) {
      try bench.publish(phone, "home")
      bench.advance(5 * minute)
    }
    bench.advance(5 * minute)
    #expect(bench.sent.map(\.late) == [false])
  }

  @Test func `A match that ends while it is paused is called off`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","for":"10m""#))
    try bench.publish(phone, "home")
    try pause(bench) {
      try bench.publish(phone, "away")
      bench.advance(20 * minute)
    }
    bench.advance(20 * minute)
    #expect(bench.sent.isEmpty)
  }

  @Test func `A silence begins anew while it is paused`() throws {
    let bench = try Self.bench()
    try bench.send(
      #"{"id":"a","title":"t","to":"d","trigger":{"when":{"topic":"home/phone","silent":"10m"}}}"#)
    try pause(bench) {
      bench.advance(9 * minute)
      try bench.publish(phone, "x")
      bench.advance(9 * minute)
    }
    #expect(bench.sent.isEmpty)
    bench.advance(minute)
    #expect(bench.sent.map(\.late) == [false])
  }

  @Test func `Pausing and resuming everything includes them`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", "", id: "now"))
    try bench.send(Self.home(#","delay":"10m""#, "", id: "soon"))
    try bench.send(Self.home(#","delay":"50m""#, "", id: "later"))
    try bench.send(#"{"command":"pause","all":true}"#)
    try bench.publish(phone, "home")
    bench.advance(20 * minute)
    #expect(bench.sent.isEmpty)
    try bench.send(#"{"command":"resume","all":true}"#)
    #expect(Set(bench.sent.map(\.id)) == ["now", "soon"])
    bench.advance(30 * minute)
    #expect(bench.sent.map(\.id).last == "later")
    #expect(bench.queue.counters.pending == 0)
  }

  // MARK: Cancel and replace

  @Test func `A cancel is decisive, and gives up the topic that nobody else needs`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","delay":"10m""#))
    try bench.send(Self.home("", "", id: "b"))
    try bench.publish(phone, "home")
    #expect(try bench.send(#"{"command":"cancel","ids":["b"]}"#)?.outcome("b") == "fired")
    #expect(bench.broker.subscribed == [phone])
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "cancelled")
    #expect(bench.broker.subscribed == [])
    bench.advance(20 * minute)
    #expect(bench.notifications("a").isEmpty)
  }

  @Test func `Cancelling many gives up their topics, and nobody else's`() throws {
    let bench = try Self.bench()
    for index in 0..<5 {
      let request = #"{"id":"\#(index)","thread":"t\#(index % 2)","title":"t","to":"d","trigger":"#
      try bench.send(request + #"{"when":{"topic":"home/\#(index)","silent":60}}}"#)
    }
    try bench.send(#"{"command":"cancel","thread":"t0"}"#)
    #expect(bench.broker.subscribed == ["home/1", "home/3"])
    try bench.publish("home/1", "x")
    bench.advance(60_000)
    #expect(bench.sent.map(\.id).sorted() == ["1", "3"])
    try bench.send(#"{"id":"6","title":"t","trigger":{"when":{"topic":"home/6","equals":1}}}"#)
    try bench.send(#"{"command":"cancel","all":true}"#)
    #expect(bench.broker.subscribed == [])
    #expect(bench.queue.counters.pending == 0)
  }

  @Test func `A replacement begins anew, on the same topic or on another`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","delay":"10m""#, Self.repeating))
    try bench.publish(phone, "home", retain: true)
    #expect(try bench.send(Self.home("", Self.repeating))?["replaced"] == true)
    bench.advance(20 * minute)
    #expect(bench.sent.isEmpty, "what was due is gone, and home is where it begins")
    #expect(bench.broker.subscribed == [phone])
    try bench.send(
      #"{"id":"a","title":"t","to":"d","trigger":{"when":{"topic":"home/door","equals":"open"}}}"#)
    #expect(bench.broker.subscribed == ["home/door"])
    try bench.send(#"{"id":"a","title":"t","to":"d","trigger":{"after":60}}"#)
    #expect(bench.broker.subscribed == [])
    #expect(bench.queue.counters.pending == 1)
  }

  @Test func `What nobody needs any more is given up when it comes all the same`() throws {
    let bench = try Self.bench()
    bench.broker.subscribed = ["home/stale"]
    try bench.publish("home/stale", "x")
    #expect(bench.broker.subscribed == [])
  }

  @Test func `What an event has fired is nagged about until somebody answers`() throws {
    let bench = try Self.bench()
    try bench.status("d", "online")
    try bench.send(Self.home().replacing(#""to""#, with: #""nag":{"every":"5m","times":3},"to""#))
    try bench.publish(phone, "home")
    try bench.respond("d", "received")
    bench.advance(5 * minute)
    try bench.respond("d", "dismissed")
    bench.advance(20 * minute)
    #expect(bench.notifications("a").map { $0.at - RelayBench.noon } == [0, 5 * minute])
  }

  @Test func `Fired by command, it goes on waiting`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home())
    #expect(try bench.send(#"{"command":"fire","id":"a"}"#)?.outcome("a") == "fired")
    try bench.publish(phone, "home")
    #expect(bench.notifications("a").count == 2)
  }

  @Test func `Expired by the time it is up to date, it does not fire`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home(#","delay":"1m""#).replacing(#""to""#, with: #""expires":"5m","to""#))
    try bench.publish(phone, "home")
    bench.stopRelay()
    try bench.startRelay(after: 10 * minute)
    try bench.connect()
    #expect(bench.sent.isEmpty)
    #expect(bench.queue.counters.pending == 0)
  }

  // MARK: Permission

  @Test(arguments: [
    ("home/phone", nil), ("office/phone", "forbidden"), ("home", nil), ("homes/x", "forbidden"),
    ("carillon/command", "forbidden"), ("carillon", "forbidden"),
    ("carillon/device/desk/status", "forbidden"),
    ("carillons/x", "forbidden"), ("/home/phone", "forbidden"), ("home//", nil),
    ("$SYS/broker/uptime", "invalid"),
    ("$share/g/home/phone", "invalid"), ("home/+", "invalid"), ("home/#", "invalid"), ("", "invalid"),
  ])
  func `A topic is watched only where the configuration allows it`(_ topic: String, _ code: String?) throws {
    let bench = try Self.bench()
    let reply = try bench.send(
      #"{"id":"a","title":"t","trigger":{"when":{"topic":"\#(topic)","equals":1}}}"#)
    #expect(reply?.code == code)
    if code != nil {
      #expect(reply?["error"]?["path"] == "trigger.when.topic")
      #expect(bench.broker.subscribed == [])
    }
  }

  @Test func `Whatever the configuration allows, the relay's own topics and overlong ones are refused`()
    throws
  {
    let bench = try RelayBench(watchable: ["#"])
    func code(_ topic: String) throws -> String? {
      try bench.send(#"{"title":"t","trigger":{"when":{"topic":"\#(topic)","equals":1}}}"#)?.code
    }
    #expect(try code("carillon/relay/state") == "forbidden")
    #expect(try code("carillon") == "forbidden")
    #expect(try code(String(repeating: "/", count: 200)) == "forbidden")
    #expect(try code(String(repeating: "/", count: 199)) == nil)
    bench.relay.packetLimit = 1000
    #expect(try code(String(repeating: "x", count: 1000)) == "too-large")
    #expect(try RelayBench().send(Self.home())?.code == "forbidden", "nothing is allowed by default")
  }

  @Test func `A topic that may not be watched any more makes its requests invalid, until it may again`()
    throws
  {
    let bench = try Self.bench()
    try bench.send(Self.home("", Self.repeating))
    try bench.send(#"{"id":"s","title":"t","to":"d","trigger":{"when":{"topic":"home/s","silent":"10m"}}}"#)
    bench.stopRelay()
    try bench.startRelay(after: 20 * minute, watchable: ["office/#"])
    try bench.connect()
    #expect(bench.broker.subscribed == [])
    for id in ["a", "s"] {
      #expect(try bench.listed(id)?["state"] == "invalid")
      #expect(try bench.listed(id)?["next"] == .null)
    }
    #expect(bench.queue.counters.pending == 2)
    bench.stopRelay()
    try bench.publish(phone, "home", retain: true)
    try bench.startRelay(after: 20 * minute, watchable: ["home/#"])
    try bench.connect()
    #expect(bench.broker.subscribed == [phone, "home/s"])
    #expect(bench.sent.isEmpty, "what was stored meanwhile is where it begins")
    bench.advance(10 * minute)
    #expect(bench.sent.map(\.id) == ["s"])
    try bench.publish(phone, "away")
    try bench.publish(phone, "home")
    #expect(bench.notifications("a").count == 1)
  }

  @Test(arguments: [#""topic":"home/phone","equals":"home""#, #""topic":"home/phone","silent":"10m""#])
  func `One that was paused is paused again when its topic may be watched again`(condition: String) throws {
    let bench = try Self.bench()
    let trigger = #"{"when":{\#(condition)},"repeats":true}"#
    try bench.send(#"{"id":"a","title":"t","to":"d","trigger":\#(trigger)}"#)
    try bench.send(#"{"id":"b","title":"t","to":"d","trigger":\#(trigger)}"#)
    try bench.send(#"{"command":"pause","ids":["a"]}"#)
    for watchable in ["office/#", "cellar/#", "home/#"] {
      bench.stopRelay()
      try bench.startRelay(watchable: [watchable])
      try bench.connect()
      let state: JSON = watchable == "home/#" ? "paused" : "invalid"
      #expect(try bench.listed("a")?["state"] == state)
    }
    #expect(try bench.listed("b")?["state"] == "pending")
    #expect(bench.queue.counters.pending == 2)
    for text in ["away", "home"] { try bench.publish(phone, text) }
    bench.advance(10 * minute)
    #expect(bench.sent.map(\.id) == ["b"])
    #expect(try bench.send(#"{"command":"resume","ids":["a"]}"#)?.outcome("a") == "pending")
    #expect(bench.sent.map(\.id) == ["b", "a"])
  }

  @Test func `One that is invalid can be cancelled`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home())
    bench.stopRelay()
    try bench.startRelay(watchable: [])
    try bench.connect()
    #expect(try bench.send(#"{"command":"cancel","ids":["a"]}"#)?.outcome("a") == "cancelled")
    #expect(bench.queue.counters.pending == 0)
    #expect(try bench.queue.watchedTopics(suspended: true) == [])
  }
}
