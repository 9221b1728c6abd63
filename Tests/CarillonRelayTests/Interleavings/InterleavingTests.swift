import CarillonModel
import CarillonTime
import Testing

@testable import CarillonRelay

/// What happens at nearly the same time, in every order. A failure names the order, which `CARILLON_ORDER` runs alone.
@Suite struct InterleavingTests {
  /// What a publisher does about a request that is about to fire.
  enum Change: String, CaseIterable {
    case cancel, replaceAtOnce, replaceLater, cancelAndAskAgain, pause

    var steps: [Ledger.Ask] {
      let everybody = ["a", "b"]
      return switch self {
      case .cancel: [.cancel("r")]
      case .replaceAtOnce: [.schedule("r", title: "new", to: everybody, trigger: nil)]
      case .replaceLater: [.schedule("r", title: "new", to: everybody, trigger: #"{"after":1.5}"#)]
      case .cancelAndAskAgain:
        [.cancel("r"), .schedule("r", title: "new", to: everybody, trigger: #"{"after":0.5}"#)]
      case .pause: [.pause("r"), .resume("r")]
      }
    }
  }

  private typealias Step = Scenario<Household>.Step

  /// What is due in two seconds is prepared, and falls due.
  private static var lastSecond: [Step] { [.pass(1500), .pass(500)] }
  private static let inTwoSeconds = #"{"after":2}"#
  private static let atTwoSeconds = #"{"at":"2027-05-10T12:00:02Z"}"#

  /// Runs every order in households of their own, with one request to both devices.
  ///
  /// - Parameter isPrompt: whether the broker acknowledges notifications at once, and keeps nothing for devices that are
  ///   away; else it is late with all acknowledgements, and keeps their sessions.
  private func faults(
    _ name: String, _ actors: [[Step]], trigger: String?, isAsked: Bool = true, isPrompt: Bool = true
  ) -> [Scenario<Household>.Fault] {
    let zones = ZoneDatabase()
    return Scenario(
      name: name, actors: actors,
      begin: {
        let household = try Household(acknowledges: isPrompt, keepsSessions: !isPrompt, zones: zones)
        if isAsked { try household.ask(.schedule("r", title: "old", to: ["a", "b"], trigger: trigger)) }
        return household
      }, end: { try $0.judge() }
    ).explore()
  }

  @Test(arguments: Change.allCases, Trouble.allCases)
  func `Changed in its last second, with the relay in trouble, a request is changed or has gone out`(
    change: Change, trouble: Trouble
  ) {
    let found = faults(
      "\(change), \(trouble)", [change.steps.map { .ask($0) }, Self.lastSecond, trouble.steps],
      trigger: Self.inTwoSeconds)
    #expect(found.isEmpty, "\(found.told())")
  }

  @Test(arguments: [Change.cancel, .replaceAtOnce], [true, false])
  func `Changed in its last second while a device goes away, it reaches both or nobody`(
    change: Change, isPrompt: Bool
  ) {
    let found = faults(
      "\(change), b goes, prompt: \(isPrompt)",
      [change.steps.map { .ask($0) }, Self.lastSecond, Trouble.kill.steps, [.leaves("b")]],
      trigger: Self.inTwoSeconds, isPrompt: isPrompt)
    #expect(found.isEmpty, "\(found.told())")
  }

  @Test(arguments: Trouble.allCases)
  func `After an answer no device is left that shows it, however one was away`(trouble: Trouble) {
    let found = faults(
      "an answer, b away, \(trouble)",
      [
        [.ask(.schedule("n", title: "n", to: ["a", "b"], trigger: nil))], [.answers("a")],
        [.losesUplink("b"), .leaves("b"), .returns("b")], trouble.steps,
      ], trigger: nil, isAsked: false, isPrompt: false)
    #expect(found.isEmpty, "\(found.told())")
  }

  @Test(arguments: [true, false])
  func `After an answer no device is left that shows it whose absence nobody noticed`(isPrompt: Bool) {
    let found = faults(
      "an answer, b half open, prompt: \(isPrompt)",
      [
        [.ask(.schedule("n", title: "n", to: ["a", "b"], trigger: nil))], [.answers("a")],
        [.losesUplink("b"), .goes("b"), .returns("b")], Trouble.kill.steps,
      ], trigger: nil, isAsked: false, isPrompt: isPrompt)
    #expect(found.isEmpty, "\(found.told())")
  }

  @Test(arguments: Trouble.allCases)
  func `Of two devices that answer at once the first counts, also while the relay is down`(trouble: Trouble) {
    let found = faults(
      "two answers, \(trouble)",
      [[.answers("a")], [.losesUplink("b"), .acts("b"), .returns("b")], trouble.steps], trigger: nil)
    #expect(found.isEmpty, "\(found.told())")
  }

  @Test(arguments: [(-500, 500), (-5000, 5000), (1500, -1500), (90_000, -90_000), (-3_600_000, 3_600_000)])
  func `A clock that is set in the second in which it is due fires it once`(there: Int64, back: Int64) {
    let found = faults(
      "the clock by \(there), and by \(back)",
      [[.setClock(there), .setClock(back)], Self.lastSecond, Trouble.kill.steps], trigger: Self.atTwoSeconds)
    #expect(found.isEmpty, "\(found.told())")
  }

  @Test(arguments: [-1500, 1500]) func `A clock that is set while it is cancelled brings nothing back`(
    by: Int64
  ) {
    let found = faults(
      "a cancel, and the clock by \(by)",
      [[.setClock(by)], Self.lastSecond, [.ask(.cancel("r"))], Trouble.kill.steps], trigger: Self.atTwoSeconds
    )
    #expect(found.isEmpty, "\(found.told())")
  }
}
