import CarillonModel
import CarillonStore
import Testing

@testable import CarillonCompanion

@Suite("The inbox when the companion is killed")
struct InboxCrashTests {
  /// What may happen to two deliveries, one with a link and one without.
  enum Input: CaseIterable {
    case link, plain, both, withdrawLink, withdrawPlain, opens, fails

    func happen(on bench: InboxBench) throws {
      switch self {
      case .link: try bench.take(notification("link", url: "x:a"))
      case .plain: try bench.take(notification("plain"))
      case .both: try bench.take(notification("plain"), notification("link", url: "x:a"))
      case .withdrawLink: try bench.take(withdrawal("link"))
      case .withdrawPlain: try bench.take(withdrawal("plain"))
      case .opens: try bench.navigated()
      case .fails: try bench.navigated(.failed("x"))
      }
    }
  }

  @Test("After its receipt is on disk, a link is opened after the crash")
  func received() throws {
    let bench = try InboxBench()
    bench.fuse = 1
    #expect(throws: InboxBench.Killed.self) { try bench.take(notification("a", url: "x:a")) }
    #expect(bench.steps.isEmpty)
    try bench.start()
    #expect(bench.lines == ["notification a"])
    #expect(bench.navigations(of: "a") == 1)
  }

  @Test("Once it is started it is not run again, but reported")
  func started() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:a"), notification("b", url: "x:b"))
    try bench.start()
    #expect(bench.lines == ["notification a", "notification b", "failed a: interrupted"])
    #expect(bench.navigations(of: "a") == 1)
    #expect(bench.navigations(of: "b") == 1)
    #expect(try bench.responses() == ["a received", "b received", "a failed: interrupted"])
  }

  @Test("Once it is done it is a repeat")
  func done() throws {
    let bench = try InboxBench()
    try bench.take(notification("a", url: "x:a"))
    try bench.navigated()
    try bench.acknowledgeAll()
    try bench.start()
    try bench.take(notification("a", url: "x:a"))
    #expect(bench.navigations(of: "a") == 1)
    #expect(try bench.responses() == ["a opened: arrival"])
  }

  @Test(
    "Whatever happens in whatever order, killed at any transaction: nothing is done twice, and all is told")
  func exhaustive() throws {
    for first in Input.allCases {
      for second in Input.allCases {
        for third in Input.allCases { try check([first, second, third]) }
      }
    }
  }

  /// Runs the inputs once without a crash to count the transactions, then once for each place to be killed at.
  private func check(_ inputs: [Input]) throws {
    let calm = try InboxBench()
    for input in inputs { try input.happen(on: calm) }
    for place in 1..<max(calm.transactions, 1) {
      let bench = try InboxBench()
      bench.fuse = place
      for input in inputs {
        do { try input.happen(on: bench) } catch is InboxBench.Killed { try bench.start() }
      }
      try settle(bench)
      try expectSound(bench, inputs, place)
    }
  }

  /// Lets everything come to its end, the relay repeating what it has.
  private func settle(_ bench: InboxBench) throws {
    for _ in 1...4 { try bench.navigated() }
    try bench.take(notification("link", url: "x:a"), notification("plain"))
    for _ in 1...4 { try bench.navigated() }
  }

  private func expectSound(_ bench: InboxBench, _ inputs: [Input], _ place: Int) throws {
    let story: Comment = "\(inputs) killed after transaction \(place): \(bench.lines)"
    #expect(try bench.unfinished() == [], story)
    for delivery in ["link", "plain"] {
      #expect(bench.notificationLines(of: delivery) <= 1, story)
      #expect(bench.navigations(of: delivery) <= (delivery == "link" ? 1 : 0), story)
      let answer = try #require(try bench.entry(delivery)?.answer, story)
      let responses = try bench.responses()
      #expect(responses.contains { $0.hasPrefix("\(delivery) \(answer.event.rawValue)") }, story)
      switch answer.event {
      case .opened: #expect(bench.navigations(of: delivery) == 1, story)
      // Whether its line was written is not known, so it is not written again; the desktop shows it.
      case .presented: #expect(try delivery == "plain" && bench.shown().contains(delivery), story)
      case .failed, .withdrawn: break
      default: Issue.record("\(answer.event): \(story)")
      }
    }
  }
}
