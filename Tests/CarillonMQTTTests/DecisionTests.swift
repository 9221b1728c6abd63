import Testing

@testable import CarillonMQTT

@Suite struct BackoffTests {
  @Test func doublesUpToAMinute() {
    var backoff = Backoff()
    let pauses = (0..<9).map { _ in backoff.attemptFailed(chance: 0) }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60].map { .seconds($0) })
  }

  @Test func makesSevenAttemptsInTheFirstTwoMinutes() {
    var backoff = Backoff()
    var time = Duration.zero
    var attempts = 0
    while time <= .seconds(120) {
      attempts += 1
      time += backoff.attemptFailed(chance: 0)
    }
    #expect(attempts == 7)
  }

  @Test func chanceShortensByAFifthAtMost() {
    var backoff = Backoff()
    let pause = backoff.attemptFailed(chance: 1)
    #expect(pause == .milliseconds(800))
  }

  @Test func aConnectionOfAMinuteStartsTheSeriesAnewAndQuickly() {
    var backoff = Backoff()
    for _ in 0..<6 { _ = backoff.attemptFailed(chance: 0) }
    let first = backoff.connectionLost(after: .seconds(60), chance: 1)
    let second = backoff.attemptFailed(chance: 0)
    #expect([first, second] == [.milliseconds(500), .seconds(1)])
  }

  @Test func aShorterConnectionIsOneMoreFailure() {
    var backoff = Backoff()
    for _ in 0..<3 { _ = backoff.attemptFailed(chance: 0) }
    let pause = backoff.connectionLost(after: .seconds(59), chance: 0)
    #expect(pause == .seconds(8))
  }
}

@Suite struct ProtocolChoiceTests {
  /// What a broker may do with an attempt.
  enum Answer: Sendable {
    case accepts
    case refusesVersion
    case closes
    case failsOtherwise
    /// An accepted connection is lost again.
    case loses
  }

  @Test(
    arguments: [
      ("a broker of today", [.accepts, .loses, .accepts], [5, 5]),
      ("a refusal of the version is followed by 4", [.refusesVersion, .accepts], [5, 4]),
      ("a refusal of 4 too begins anew", [.refusesVersion, .refusesVersion, .accepts], [5, 4, 5]),
      ("one closed connection proves nothing", [.closes, .accepts], [5, 5]),
      (
        "after two, 4 is tried and confirmed by one more 5", [.closes, .closes, .accepts, .closes, .accepts],
        [5, 5, 4, 5, 4]
      ),
      // Behind a proxy, a broker that is being restarted looks like one that dislikes version 5.
      (
        "a broker that was only away gets 5", [.closes, .closes, .accepts, .accepts, .loses, .accepts],
        [5, 5, 4, 5, 5]
      ),
      (
        "a broker that closes everything gets both in turn", [.closes, .closes, .closes, .closes, .closes],
        [5, 5, 4, 5, 4]
      ),
      (
        "a failure of another kind ends the probing", [.closes, .closes, .failsOtherwise, .accepts],
        [5, 5, 4, 5]
      ),
      (
        "after a lost connection 5 is tried first", [.refusesVersion, .accepts, .loses, .closes, .accepts],
        [5, 4, 5, 4]
      ),
    ] as [(String, [Answer], [Int])])
  func triesVersions(_ what: String, _ answers: [Answer], _ expected: [Int]) {
    var choice = ProtocolChoice()
    var versions: [Int] = []
    for answer in answers {
      if case .loses = answer {
        choice.lost()
        continue
      }
      versions.append(choice.version)
      switch answer {
      case .accepts: _ = choice.accepted()
      case .refusesVersion: _ = choice.versionRefused()
      case .closes: _ = choice.closedAtConnect()
      case .failsOtherwise: choice.failedOtherwise()
      case .loses: break
      }
    }
    #expect(versions == expected, "\(what)")
  }

  @Test func aRefusalOfTheVersionCostsNoPause() {
    var choice = ProtocolChoice()
    let next = choice.versionRefused()
    #expect(next == .again)
  }

  @Test func aConnectionThatOnlyProbesIsNotKept() {
    var choice = ProtocolChoice()
    for _ in 0..<2 { _ = choice.closedAtConnect() }
    let isKept = choice.accepted()
    #expect(!isKept)
  }
}

@Suite struct SubscribeLedgerTests {
  @Test func joinsThePacketsOfOneCallInTheOrderOfItsFilters() {
    var ledger = SubscribeLedger()
    ledger.add([(7, 2), (8, 1)])
    let part = ledger.acknowledged(8, [0x87])
    #expect(part == nil)
    let whole = ledger.acknowledged(7, [1, 0])
    #expect(whole?.packetID == 7)
    #expect(whole?.reasons == [1, 0, 0x87])
  }

  @Test func keepsCallsApart() {
    var ledger = SubscribeLedger()
    ledger.add([(1, 1)])
    ledger.add([(2, 1)])
    let answers = [ledger.acknowledged(2, [1])?.packetID, ledger.acknowledged(1, [1])?.packetID]
    #expect(answers == [2, 1])
  }

  @Test func anAnswerWithTooManyReasonsIsCutAndOneWithTooFewIsARefusal() {
    var ledger = SubscribeLedger()
    ledger.add([(1, 2)])
    ledger.add([(2, 2)])
    let answers = [ledger.acknowledged(1, [1, 1, 1])?.reasons, ledger.acknowledged(2, [1])?.reasons]
    #expect(answers == [[1, 1], [1, 0x80]])
  }
}

@Suite struct PacketSizeTests {
  @Test(arguments: [
    // Fixed header 2, topic 2 + 1, identifier 2, property length 1.
    (Publication(topic: "a", payload: []), 5, 8),
    (Publication(topic: "a", payload: []), 4, 7),
    (Publication(topic: "a", payload: [], qos: 0), 4, 5),
    (Publication(topic: "ü", payload: Array(repeating: 0, count: 120)), 4, 128),
    (Publication(topic: "a", payload: Array(repeating: 0, count: 200)), 5, 209),
    (
      Publication(topic: "a", payload: [], expiry: 1, responseTopic: "bc", correlationData: [1]), 5,
      8 + 5 + 5 + 4
    ),
  ])
  func isExact(_ publication: Publication, _ version: Int, _ size: Int) {
    #expect(publication.packetSize(version: version) == size)
  }
}
