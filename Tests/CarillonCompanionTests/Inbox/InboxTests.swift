import CarillonModel
import CarillonStore
import Testing

@testable import CarillonCompanion

@Suite("The inbox")
struct InboxTests {
  @Test("A notification with a link is received, shown, opened, and answered at each step")
  func link() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:a"))
    #expect(bench.lines == ["notification a"])
    #expect(bench.navigations(of: "a") == 1)
    #expect(try bench.entry("a")?.state == .started)
    try bench.navigated()
    #expect(bench.lines == ["notification a", "opened a"])
    #expect(try bench.entry("a")?.state == .listed)
    #expect(try bench.responses() == ["a received", "a opened: arrival"])
    #expect(try bench.entry("a")?.answer?.by == .arrival)
    #expect(try bench.shown() == ["a"])
  }

  @Test("A notification without a link is shown and never navigates")
  func noLink() throws {
    let bench = try InboxBench()
    try bench.take(notification("a"))
    #expect(bench.lines == ["notification a"])
    #expect(bench.navigations(of: "a") == 0)
    #expect(try bench.entry("a")?.state == .listed)
    #expect(try bench.responses() == ["a received", "a presented"])
  }

  @Test("A repeat is answered with its state again and acted on no second time")
  func repeats() throws {
    let bench = try InboxBench()
    let message = try notification("a", url: "x:a")
    try bench.take(message, message)
    try bench.acknowledgeAll()
    try bench.take(message)
    #expect(try bench.responses() == ["a received"])
    try bench.navigated()
    try bench.acknowledgeAll()
    try bench.take(message)
    #expect(try bench.responses() == ["a opened: arrival"])
    #expect(bench.lines == ["notification a", "opened a"])
    #expect(bench.navigations(of: "a") == 1)
  }

  @Test("A response that waits already is not stored twice")
  func oneResponse() throws {
    let bench = try InboxBench()
    for _ in 1...5 { try bench.take(notification("a")) }
    #expect(try bench.responses() == ["a received", "a presented"])
  }

  @Test("One navigation at a time, in the order in which they came")
  func order() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:a"), notification("b", url: "x:b"))
    try bench.take(notification("c"), notification("d", url: "x:d"))
    for _ in 1...3 { try bench.navigated() }
    #expect(
      bench.lines == [
        "notification a", "notification b", "notification c", "notification d", "opened a", "opened b",
        "opened d",
      ])
    let navigations = bench.steps.filter { if case .navigation = $0 { true } else { false } }
    #expect(navigations == [.navigation("a"), .navigation("b"), .navigation("d")])
  }

  @Test("A link without a route fails, nothing runs, and the next one is opened")
  func noRoute() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:none"), notification("b", url: "x:b"))
    #expect(bench.navigations(of: "a") == 0)
    #expect(bench.navigations(of: "b") == 1)
    #expect(try bench.responses() == ["a received", "b received", "a failed: no route"])
    #expect(bench.lines == ["notification a", "notification b", "failed a: no route"])
  }

  @Test("A navigation that fails is told with its reason")
  func failure() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:a"))
    try bench.navigated(.failed("step 1 ended with status 1"))
    #expect(try bench.responses() == ["a received", "a failed: step 1 ended with status 1"])
  }

  @Test("What has expired is neither shown nor opened", arguments: [nil, "x:a"])
  func expired(url: String?) throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: url, expires: bench.now))
    #expect(bench.lines == ["expired a"])
    #expect(try bench.responses() == ["a expired"])
    #expect(try bench.shown() == [])
    try bench.take(notification("a", url: url, expires: bench.now))
    #expect(bench.lines.count == 1)
    #expect(bench.bubbles.isEmpty)
  }

  @Test("A link whose time passes while another one is navigated is not opened any more")
  func expiresInQueue() throws {
    let bench = try InboxBench()
    let end = bench.now + .seconds(60)
    try bench.take(notification("a", url: "x:a"), notification("b", url: "x:b", expires: end))
    bench.now = end
    try bench.navigated()
    #expect(bench.navigations(of: "b") == 0)
    #expect(bench.lines == ["notification a", "notification b", "opened a", "expired b"])
    #expect(try bench.responses().last == "b expired")
    #expect(try bench.shown() == ["a"])
  }

  @Test(
    "Behind a long navigation any number may have become void: the next good one is opened at once, whole")
  func manyExpireInQueue() throws {
    let bench = try InboxBench()
    let end = bench.now + .seconds(60)
    try bench.take(notification("a", url: "x:a"))
    for index in 1...300 {
      try bench.take(notification("b\(index)", url: index % 3 == 0 ? "x:none" : "x:b", expires: end))
    }
    try bench.take(notification("c", url: "x:c"), notification("d", url: "x:d"))
    bench.now = end
    let before = bench.transactions
    try bench.navigated()
    #expect(bench.transactions == before + 1)
    #expect(bench.navigations(of: "c") == 1)
    #expect(bench.navigations(of: "d") == 0)
    #expect(bench.lines.count { $0.hasPrefix("expired b") } == 300)
    try bench.navigated()
    guard case .line(.opened(let opened, _, _))? = bench.steps.dropLast().last else {
      Issue.record("\(bench.lines.suffix(2))")
      return
    }
    guard case .message(.notification(let sent)) = try notification("c", url: "x:c") else { return }
    #expect(opened == sent)
  }

  @Test("The newest firing of a request has the place of the older ones on the screen")
  func replacement() throws {
    let bench = try InboxBench()
    try bench.take(notification("a1", id: "a", url: "x:a"), notification("b"))
    try bench.take(notification("a2", id: "a", url: "x:a"))
    #expect(try bench.shown() == ["a2", "b"])
    try bench.navigated()
    try bench.navigated()
    #expect(try bench.shown() == ["a2", "b"])
    #expect(try bench.entry("a1")?.payload == nil)
    #expect(try bench.entry("a2")?.payload != nil)
  }

  @Test("Two ids that only look alike are two")
  func bytes() throws {
    let bench = try InboxBench()
    try bench.take(notification("é", url: "x:a"), notification("e\u{301}", url: "x:b"))
    try bench.take(withdrawal("e\u{301}"))
    try bench.navigated()
    #expect(bench.lines.count == 4)
    #expect(bench.lines.last?.isIdentical(to: "opened é") == true)
    #expect(bench.steps.count { if case .navigation = $0 { true } else { false } } == 1)
  }

  @Test("A message that cannot be read is answered, so that it is not sent for ever")
  func unreadable() throws {
    let bench = try InboxBench()
    try bench.take(.unreadable(delivery: "a", id: "a", reason: "invalid at title"))
    #expect(bench.lines == ["failed a: invalid at title"])
    #expect(try bench.responses() == ["a failed: invalid at title"])
    try bench.acknowledgeAll()
    try bench.take(.unreadable(delivery: "a", id: "a", reason: "invalid at title"))
    #expect(bench.lines.count == 1)
    #expect(try bench.responses() == ["a failed: invalid at title"])
  }
}
