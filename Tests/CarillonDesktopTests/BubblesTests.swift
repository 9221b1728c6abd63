import CarillonTestSupport
import Testing

@testable import CarillonDesktop

/// Decisions about what is on the screen, without a bus.
@Suite struct BubblesTests {
  var bubbles = Bubbles()
  let bins = Bubble.bins()
  let again = Bubble.bins("2")

  @Test mutating func aBubbleIsShownClosedAndForgotten() {
    #expect(bubbles.show(bins) == [.notify(bins, replaces: 0, slot: 1)])
    #expect(bubbles.answered(1, number: 7) == [.tell(.shown(key: "1"))])
    #expect(bubbles.close("1") == [.closeNotification(7, slot: 1)])
    #expect(bubbles.close("1") == [])
    #expect(bubbles.closed(number: 7, reason: 3) == [.tell(.closed(key: "1", .taken))])
    #expect(bubbles.closeAnswered(1) == [])
    #expect(bubbles.count == 0)
  }

  @Test mutating func whatIsBeingClosedIsNoPlaceForAnother() {
    _ = bubbles.show(bins)
    _ = bubbles.answered(1, number: 7)
    _ = bubbles.close("1")
    #expect(bubbles.show(again) == [.notify(again, replaces: 0, slot: 2)])
    #expect(bubbles.closeAnswered(1) == [.tell(.closed(key: "1", .taken))])
    #expect(bubbles.answered(2, number: 8) == [.tell(.shown(key: "2"))])
  }

  @Test mutating func signalsBeforeTheAnswerAreAboutWhatWasReplaced() {
    _ = bubbles.show(bins)
    _ = bubbles.answered(1, number: 7)
    #expect(bubbles.show(again) == [.notify(again, replaces: 7, slot: 1)])
    #expect(bubbles.invoked(number: 7, action: "default") == [])
    #expect(bubbles.closed(number: 7, reason: 2) == [])
    #expect(bubbles.answered(1, number: 7) == [.tell(.shown(key: "2"))])
    #expect(bubbles.closed(number: 7, reason: 2) == [.tell(.closed(key: "2", .dismissed))])
    #expect(bubbles.count == 0)
  }

  @Test mutating func whatWaitsForAPlaceCanBeClosed() {
    _ = bubbles.show(bins)
    #expect(bubbles.show(again) == [])
    #expect(bubbles.close("1") == [])
    #expect(bubbles.close("2") == [])
    #expect(bubbles.answered(1, number: 7) == [.closeNotification(7, slot: 1)])
    #expect(bubbles.closeAnswered(1) == [.tell(.closed(key: "2", .taken))])
    #expect(bubbles.count == 0)
  }

  @Test mutating func aReplacementThatIsRefusedTakesWhatIsOverFromTheScreen() {
    _ = bubbles.show(bins)
    _ = bubbles.answered(1, number: 7)
    _ = bubbles.show(again)
    #expect(
      bubbles.failed(1, "full") == [
        .closeNotification(7, slot: 1), .tell(.refused(key: "2", reason: "full")),
      ])
    #expect(bubbles.count == 0)
  }

  @Test mutating func afterARefusalWhatWaitsIsTried() {
    _ = bubbles.show(bins)
    _ = bubbles.show(again)
    #expect(bubbles.failed(1, "full") == [.notify(again, replaces: 0, slot: 1)])
    #expect(bubbles.answered(1, number: 7) == [.tell(.shown(key: "2"))])
  }

  @Test mutating func aNumberThatIsGivenTwiceBelongsToTheLater() {
    var other = again
    other.tag = "other"
    _ = bubbles.show(bins)
    _ = bubbles.show(other)
    _ = bubbles.answered(1, number: 7)
    #expect(
      bubbles.answered(2, number: 7) == [.tell(.closed(key: "1", .unknown)), .tell(.shown(key: "2"))])
    #expect(bubbles.closed(number: 7, reason: 1) == [.tell(.closed(key: "2", .timedOut))])
    #expect(bubbles.count == 0)
  }

  @Test mutating func aKeyThatChangesItsTagLeavesItsPlace() {
    var moved = bins
    moved.tag = "other"
    _ = bubbles.show(bins)
    _ = bubbles.answered(1, number: 7)
    #expect(
      bubbles.show(moved) == [.closeNotification(7, slot: 1), .notify(moved, replaces: 0, slot: 2)])
    #expect(bubbles.answered(2, number: 8) == [.tell(.shown(key: "1"))])
    #expect(bubbles.closed(number: 7, reason: 3) == [.tell(.closed(key: "1", .taken))])
    #expect(bubbles.close("1") == [.closeNotification(8, slot: 2)])
  }

  @Test mutating func afterAResetNothingIsKnown() {
    _ = bubbles.show(bins)
    _ = bubbles.answered(1, number: 7)
    bubbles.reset()
    #expect(bubbles.closed(number: 7, reason: 2) == [])
    #expect(bubbles.close("1") == [])
    #expect(bubbles.answered(1, number: 7) == [])
    #expect(bubbles.show(bins) == [.notify(bins, replaces: 0, slot: 2)])
  }

  /// Whatever comes in whatever order: nothing is told of a key twice as shown or closed, and nothing stays behind.
  @Test func anyOrderLeavesNothingBehind() {
    for seed in 1...500 {
      var random = SplitMix(seed: UInt64(seed))
      var model = BubblesModel()
      for _ in 0..<40 { model.step(&random) }
      #expect(model.settle() == [], "seed \(seed)")
    }
  }
}

/// A service that does what the specification allows, in any order, beside the value.
private struct BubblesModel {
  var bubbles = Bubbles()
  /// The calls that it has not answered, in their order.
  var calls: [Bubbles.Action] = []
  var onScreen: Set<UInt32> = []
  var lastNumber: UInt32 = 0
  var lastKey = 0
  var shown: [String: Int] = [:]
  var closed: [String: Int] = [:]

  mutating func step(_ random: inout SplitMix) {
    switch Int.random(in: 0..<7, using: &random) {
    case 0, 1:
      lastKey += 1
      take(bubbles.show(.bins("\(lastKey)", tag: "\(Int.random(in: 0..<3, using: &random))")))
    case 2: take(bubbles.close("\(Int.random(in: 0...lastKey, using: &random))"))
    case 3, 4: answer(fails: Int.random(in: 0..<5, using: &random) == 0)
    case 5:
      if let number = onScreen.sorted().randomElement(using: &random) {
        onScreen.remove(number)
        take(bubbles.closed(number: number, reason: UInt32.random(in: 1...4, using: &random)))
      }
    default:
      if let number = onScreen.sorted().randomElement(using: &random) {
        take(bubbles.invoked(number: number, action: "default"))
      }
    }
  }

  private mutating func answer(fails: Bool) {
    guard !calls.isEmpty else { return }
    switch calls.removeFirst() {
    case .notify(_, let replaces, let slot):
      if fails { return take(bubbles.failed(slot, "full")) }
      if replaces == 0 { lastNumber += 1 }
      let number = replaces == 0 ? lastNumber : replaces
      onScreen.insert(number)
      take(bubbles.answered(slot, number: number))
    case .closeNotification(let number, let slot):
      if onScreen.remove(number) != nil { take(bubbles.closed(number: number, reason: 3)) }
      take(bubbles.closeAnswered(slot))
    case .tell: break
    }
  }

  private mutating func take(_ actions: [Bubbles.Action]) {
    for action in actions {
      switch action {
      case .notify, .closeNotification: calls.append(action)
      case .tell(.shown(let key)): shown[key, default: 0] += 1
      case .tell(.closed(let key, _)), .tell(.refused(let key, _)): closed[key, default: 0] += 1
      case .tell: break
      }
    }
  }

  /// Answers everything and closes everything.
  ///
  /// - Returns: what is wrong then.
  mutating func settle() -> [String] {
    for _ in 0..<200 {
      answer(fails: false)
      for key in 0...lastKey { take(bubbles.close("\(key)")) }
    }
    var wrong: [String] = []
    if bubbles.count != 0 { wrong.append("\(bubbles.count) are left") }
    if !onScreen.isEmpty { wrong.append("on the screen: \(onScreen.sorted())") }
    if !calls.isEmpty { wrong.append("calls are left") }
    wrong += shown.filter { $0.value > 1 }.map { "\($0.key) was shown \($0.value) times" }
    wrong += closed.filter { $0.value > 1 }.map { "\($0.key) was closed \($0.value) times" }
    return wrong
  }
}
