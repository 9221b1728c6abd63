import CarillonModel
import CarillonStore
import Testing

@testable import CarillonCompanion

@Suite("The inbox and withdrawals")
struct InboxWithdrawalTests {
  @Test("A withdrawal that overtakes its notification keeps it from being shown", arguments: [nil, "x:a"])
  func before(url: String?) throws {
    let bench = try InboxBench()
    try bench.take(withdrawal("a"))
    try bench.take(notification("a", url: url))
    #expect(bench.lines.isEmpty && bench.bubbles.isEmpty)
    #expect(try bench.responses() == ["a withdrawn"])
  }

  @Test("What was shown is taken from the screen")
  func after() throws {
    let bench = try InboxBench()
    try bench.take(notification("a"))
    try bench.take(withdrawal("a"))
    #expect(bench.lines == ["notification a", "withdrawn a: opened"])
    #expect(try bench.shown() == [])
    #expect(try bench.entry("a")?.payload == nil)
    #expect(try bench.responses() == ["a received", "a presented", "a withdrawn"])
    #expect(bench.steps.contains(.hidden("a")))
  }

  @Test("A link that waits for its turn is not opened after its withdrawal")
  func waiting() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:a"), notification("b", url: "x:b"))
    try bench.take(withdrawal("b"))
    try bench.navigated()
    #expect(bench.navigations(of: "b") == 0)
    #expect(bench.lines == ["notification a", "notification b", "withdrawn b: opened", "opened a"])
  }

  @Test("A notification and its withdrawal in one turn: nothing is seen of it")
  func together() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:a"), withdrawal("a"))
    #expect(bench.lines.isEmpty && bench.bubbles.isEmpty)
    #expect(try bench.responses() == ["a received", "a withdrawn"])
  }

  @Test("A navigation that goes on is not broken off; the withdrawal is answered when it has ended")
  func navigating() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:a"))
    try bench.take(withdrawal("a"))
    try bench.take(withdrawal("a"))
    #expect(try bench.responses() == ["a received"])
    #expect(try bench.shown() == [])
    try bench.navigated()
    #expect(bench.lines == ["notification a", "withdrawn a: opened", "opened a"])
    #expect(try bench.responses() == ["a received", "a opened: arrival", "a withdrawn"])
  }

  @Test("A withdrawal of what had failed is answered with that")
  func failed() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:none"))
    try bench.acknowledgeAll()
    try bench.take(withdrawal("a"))
    #expect(try bench.responses() == ["a failed: no route"])
    #expect(bench.lines == ["notification a", "failed a: no route"])
  }

  @Test("A withdrawal that comes again is answered again")
  func again() throws {
    let bench = try InboxBench()
    try bench.take(notification("a"))
    try bench.take(withdrawal("a"))
    try bench.acknowledgeAll()
    try bench.take(withdrawal("a"))
    #expect(try bench.responses() == ["a withdrawn"])
    #expect(bench.lines.count == 2)
  }
}
