import CarillonLoop
import CarillonModel
import Testing

@testable import CarillonTestSupport

/// The ledger that walks and the soak are judged by: it balances where it should, and nowhere else.
@Suite struct LedgerTests {
  /// What happens to one request for the kiosk, `r`, that fires once.
  enum Happening: Sendable {
    case reply(String)
    case cancelReply(String)
    case notification(delivery: String)
    case action(delivery: String, device: String = "kiosk")
    case failure(delivery: String, detail: String)
    case companionEnded
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var balances: Bool
    var happenings: [Happening]

    init(_ description: String, balances: Bool, _ happenings: [Happening]) {
      testDescription = description
      self.balances = balances
      self.happenings = happenings
    }
  }

  static let accepted = Happening.reply(#"{"ok":true,"replaced":false,"was":null}"#)
  static let cancelled = Happening.cancelReply(#"{"ok":true,"ids":{"r":"cancelled"}}"#)
  static let tooLate = Happening.cancelReply(#"{"ok":true,"ids":{"r":"fired"}}"#)

  static let cases = [
    Case(
      "fired and acted on once", balances: true,
      [accepted, .notification(delivery: "d"), .action(delivery: "d")]),
    Case(
      "published again and acted on once", balances: true,
      [accepted, .notification(delivery: "d"), .notification(delivery: "d"), .action(delivery: "d")]),
    Case("acted on before the reply is read", balances: true, [.action(delivery: "d"), accepted]),
    Case("never fired", balances: false, [accepted]),
    Case("fired and not acted on", balances: false, [accepted, .notification(delivery: "d")]),
    Case("without a reply", balances: false, [.notification(delivery: "d"), .action(delivery: "d")]),
    Case("refused", balances: false, [.reply(#"{"ok":false,"error":{"code":"limit"}}"#)]),
    Case("acted on twice", balances: false, [accepted, .action(delivery: "d"), .action(delivery: "d")]),
    Case("fired twice", balances: false, [accepted, .action(delivery: "d"), .action(delivery: "e")]),
    Case(
      "acted on by another device too", balances: false,
      [accepted, .action(delivery: "d"), .action(delivery: "d", device: "desk")]),
    Case("cancelled", balances: true, [accepted, cancelled]),
    Case("cancelled, and acted on", balances: false, [accepted, cancelled, .action(delivery: "d")]),
    Case("too late to be cancelled", balances: true, [accepted, tooLate, .action(delivery: "d")]),
    Case("said to have fired, and not acted on", balances: false, [accepted, tooLate]),
    Case(
      "interrupted when its companion ended", balances: true,
      [
        accepted, .notification(delivery: "d"), .companionEnded,
        .failure(delivery: "d", detail: "interrupted"),
      ]),
    Case(
      "interrupted without an end", balances: false,
      [accepted, .notification(delivery: "d"), .failure(delivery: "d", detail: "interrupted")]),
    Case(
      "failed otherwise", balances: false,
      [accepted, .notification(delivery: "d"), .companionEnded, .failure(delivery: "d", detail: "no route")]),
    Case(
      "answered twice, differently", balances: false,
      [accepted, .action(delivery: "d"), .reply(#"{"ok":true,"replaced":true,"was":null}"#)]),
  ]

  @Test(arguments: cases) func itBalancesWhereAllIsAccountedFor(_ one: Case) {
    var ledger = Ledger(devices: ["kiosk", "desk"])
    ledger.asks(LedgerTests.request)
    for happening in one.happenings { happen(happening, &ledger) }
    let discrepancies = ledger.discrepancies()
    #expect(discrepancies.isEmpty == one.balances, "\(discrepancies)")
  }

  /// A request whose firing was acted on, and how the relay's history has it.
  @Test(arguments: [
    ("opened", true), ("failed", false), ("accepted", false), ("superseded", false), ("", false),
  ])
  func theRelaysHistoryHasToSayTheSame(state: String, isRight: Bool) throws {
    var ledger = Ledger(devices: ["kiosk"])
    ledger.asks(LedgerTests.request)
    for happening in [LedgerTests.accepted, .action(delivery: "d")] { happen(happening, &ledger) }
    let item = #"{"delivery":"d","id":"r","devices":{"kiosk":{"state":"\#(state)"}}}"#
    let items = state.isEmpty ? [] : [try JSON(parsing: Array(item.utf8))]
    #expect(ledger.differences(from: items).isEmpty == isRight)
  }

  private static let request = Household.Command(
    elements: [
      .schedule(
        Household.Request(name: "r", id: "r", kind: .after, devices: ["kiosk"], occurrences: 1, end: 0))
    ], payload: [], number: 1, hasKey: true)

  private func happen(_ happening: Happening, _ ledger: inout Ledger) {
    func message(_ topic: String, _ text: String) {
      ledger.note(TestClient.Message(topic: topic, payload: Array(text.utf8), qos: 1, isRetained: false))
    }
    switch happening {
    case .reply(let text): message("carillon/reply/walk/1", text)
    case .cancelReply(let text):
      ledger.asks(
        Household.Command(elements: [.cancel(name: "r", id: "r")], payload: [], number: 2, hasKey: true))
      message("carillon/reply/walk/2", text)
    case .notification(let delivery):
      message(
        "carillon/device/kiosk/notification",
        #"{"kind":"notification","delivery":"\#(delivery)","id":"r","url":"act://on/r/\#(delivery)"}"#)
    case .action(let delivery, let device): ledger.acted("r \(delivery)", at: device)
    case .failure(let delivery, let detail):
      message(
        "carillon/device/kiosk/response",
        #"{"delivery":"\#(delivery)","id":"r","event":"failed","detail":"\#(detail)"}"#)
    case .companionEnded: ledger.stopped("kiosk")
    }
  }
}
