import CarillonModel
import Testing

@testable import CarillonRelay

/// Requests that wait for a message on a topic.
@Suite struct WatchingTests {
  let phone = "home/phone"

  static func bench() throws -> RelayBench { try RelayBench(watchable: ["home/#"]) }

  /// A request that waits for a phone to be at home.
  static func home(_ more: String = "", _ beside: String = "", id: String = "a") -> String {
    #"{"id":"\#(id)","title":"t","to":"d","trigger":{"when":{"topic":"home/phone","equals":"home"\#(more)}\#(beside)}}"#
  }

  // MARK: Edges

  @Test func `A message that begins to match fires at once, in the transaction of its message`() throws {
    let bench = try Self.bench()
    let reply = try bench.send(Self.home())
    #expect(reply?["ok"] == true)
    #expect(reply?["next"] == .null)
    #expect(reply?["upcoming"] == .array([]))
    #expect(try bench.listed("a")?["state"] == "pending")
    #expect(try bench.listed("a")?["next"] == .null)
    #expect(bench.sent.isEmpty)
    // Nothing else is given a chance to send it.
    bench.mayFire = false
    try bench.publish(phone, "home")
    let fired = try #require(bench.notifications("a").first)
    #expect(fired.late == false)
    #expect(fired.at == RelayBench.noon)
    #expect(bench.queue.counters.pending == 0)
  }

  @Test func `Only the change counts, not that it still matches`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", #","repeats":true"#))
    for _ in 0..<3 {
      for text in ["home", "home", "away", "home?", "away"] {
        try bench.publish(phone, text)
        bench.advance(2000)
      }
    }
    #expect(bench.notifications("a").count == 3)
    #expect(Set(bench.sent.map(\.delivery)).count == 3)
    #expect(bench.queue.counters.pending == 1)
  }

  @Test func `Without repeats it fires once, and its topic is not subscribed to any more`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home())
    #expect(bench.broker.subscribed == [phone])
    try bench.publish(phone, "home")
    #expect(bench.broker.subscribed == [])
    try bench.publish(phone, "away")
    try bench.publish(phone, "home")
    #expect(bench.sent.count == 1)
    #expect(try bench.queue.watch(1) == nil)
  }

  @Test func `What is stored is where a request begins, and no edge`() throws {
    let bench = try Self.bench()
    try bench.publish(phone, "home", retain: true)
    try bench.send(Self.home())
    #expect(bench.sent.isEmpty)
    try bench.publish(phone, "home", retain: true)
    #expect(bench.sent.isEmpty)
    try bench.publish(phone, "away", retain: true)
    try bench.publish(phone, "home", retain: true)
    #expect(bench.notifications("a").map(\.late) == [false])
  }

  @Test func `Where nothing is stored, the first message that matches is an edge, also before the echo`()
    throws
  {
    let bench = try Self.bench()
    bench.broker.isSlow = true
    try bench.send(Self.home())
    try bench.publish(phone, "home")
    #expect(bench.notifications("a").map(\.late) == [false])
  }

  @Test func `A request that joins others on a topic learns where it begins, and disturbs nobody`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", #","repeats":true"#))
    try bench.publish(phone, "home", retain: true)
    #expect(bench.sent.count == 1)
    bench.advance(5000)
    // A message that overtakes the stored value is not news: the topic may have been like that all the time.
    bench.broker.isSlow = true
    try bench.send(Self.home("", #","repeats":true"#, id: "b"))
    try bench.publish(phone, "home")
    bench.broker.isSlow = false
    try bench.takeFromBroker()
    #expect(bench.sent.count == 1)
    try bench.publish(phone, "away")
    try bench.publish(phone, "home")
    #expect(bench.notifications("a").count == 2)
    #expect(bench.notifications("b").count == 1)
  }

  @Test func `A request that joins a topic without a stored value takes the first match after the echo`()
    throws
  {
    let bench = try Self.bench()
    try bench.send(Self.home("", #","repeats":true"#))
    try bench.send(Self.home("", "", id: "b"))
    try bench.publish(phone, "home")
    #expect(bench.notifications("b").count == 1)
  }

  @Test func `The echo of one subscription says nothing about the next`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", "", id: "first"))
    bench.broker.isSlow = true
    try bench.send(Self.home("", "", id: "second"))
    // As if an earlier one came back only now.
    var earlier = bench.broker.sending.removeLast()
    earlier.settlesWatches = 1
    try bench.take([earlier])
    try bench.publish(phone, "home")
    #expect(bench.sent.map(\.id) == ["first"])
  }

  @Test func `What is stored is the beginning also where the broker sends it after the echo`() throws {
    let bench = try Self.bench()
    try bench.publish(phone, "home", retain: true)
    bench.broker.isSlow = true
    try bench.send(Self.home())
    let (stored, echo) = (bench.broker.sending[0], bench.broker.sending[1])
    bench.broker.sending = []
    try bench.take([echo])
    try bench.take([stored])
    #expect(bench.sent.isEmpty)
    // For a request of an earlier connection it is news.
    bench.disconnect()
    try bench.publish(phone, "away", retain: true)
    try bench.connect()
    try bench.take([bench.message(on: phone, "home", isRetained: true)])
    #expect(bench.sent.map(\.late) == [true])
  }

  @Test func `Payloads over 64 KiB match nothing`() throws {
    let bench = try Self.bench()
    try bench.send(
      #"{"id":"a","title":"t","to":"d","trigger":{"when":{"topic":"home/x","matches":"*"},"repeats":true}}"#)
    try bench.publish("home/x", String(repeating: "x", count: 64 * 1024 + 1))
    #expect(bench.sent.isEmpty)
    try bench.publish("home/x", String(repeating: "x", count: 64 * 1024))
    #expect(bench.sent.count == 1)
  }

  @Test func `Values inside JSON are looked at one by one`() throws {
    let bench = try Self.bench()
    let tests = [#""above":20"#, #""below":20"#, #""equals":21.5"#, #""matches":"2*""#]
    for (index, test) in tests.enumerated() {
      try bench.send(
        #"{"id":"\#(index)","title":"t","to":"d","trigger":{"when":{"topic":"home/t","pointer":"/a/0",\#(test)}}}"#
      )
    }
    try bench.publish("home/t", #"{"a":[21.5]}"#)
    #expect(bench.sent.map(\.id) == ["0", "2", "3"])
    try bench.publish("home/t", #"{"a":["19"]}"#)
    #expect(bench.sent.map(\.id) == ["0", "2", "3", "1"])
  }

  // MARK: Many

  @Test func `A thousand requests on one topic fire on one message, each once, in the order of acceptance`()
    throws
  {
    let bench = try RelayBench(window: 2000, watchable: ["home/#"])
    for start in stride(from: 0, to: 1000, by: 250) {
      let commands = (start..<start + 250).map { Self.home("", "", id: "r\($0)") }
      try bench.send("[\(commands.joined(separator: ","))]")
    }
    bench.acknowledges = false
    try bench.publish(phone, "away")
    try bench.publish(phone, "home")
    let isInOrder = bench.sent.map(\.id) == (0..<1000).map { "r\($0)" }
    #expect(isInOrder)
    #expect(bench.queue.counters.pending == 0)
    #expect(bench.broker.subscribed == [])
  }

  @Test func `Messages that change nothing touch no row`() throws {
    let bench = try Self.bench()
    try bench.send(Self.home("", #","repeats":true"#))
    try bench.publish(phone, "away")
    let before = try bench.queue.watch(1)
    let taken = try bench.queue.takenMessages().count
    let batch = (0..<1000).map { bench.arrival(phone, "away", UInt16($0)) }
    try bench.take(batch)
    #expect(try bench.queue.watch(1) == before)
    #expect(try bench.queue.takenMessages().count == taken)
  }

  @Test func `Topics that differ in one byte are different topics`() throws {
    let bench = try Self.bench()
    for (id, topic) in [("a", "home/\u{e9}"), ("b", "home/e\u{301}"), ("c", "home//"), ("d", "home/")] {
      try bench.send(
        #"{"id":"\#(id)","title":"t","to":"d","trigger":{"when":{"topic":"\#(topic)","equals":"x"}}}"#)
    }
    try bench.take([bench.message(on: "home/e\u{301}", "x")])
    try bench.take([bench.message(on: "home//", "x")])
    #expect(bench.sent.map(\.id) == ["b", "c"])
  }
}
