@testable import CarillonRelay

/// What may become of the relay or its connection, in two steps.
enum Trouble: String, CaseIterable, CustomStringConvertible {
  case kill = "the relay is killed"
  case killAtCommit = "the relay is killed right after a commit"
  case wire = "the relay's connection is lost"

  var description: String { rawValue }

  var steps: [Scenario<Household>.Step] {
    switch self {
    case .kill: [.init("the relay is killed") { $0.kill() }, .start]
    case .killAtCommit:
      [.init("the relay will be killed by its next commit") { $0.dieAtCommit() }, .start]
    case .wire:
      [
        .init("the relay's packets get lost") { $0.breakWire() },
        .init("the relay connects anew") { try $0.reconnect() },
      ]
    }
  }
}

extension Scenario<Household>.Step {
  static var start: Self { .init("the relay starts") { try $0.start() } }

  static func pass(_ milliseconds: Int64) -> Self {
    .init("\(milliseconds) ms pass") { try $0.pass(milliseconds) }
  }

  static func setClock(_ milliseconds: Int64) -> Self {
    .init("the clock is set by \(milliseconds) ms") { try $0.step(milliseconds) }
  }

  static func ask(_ what: Ledger.Ask) -> Self { .init("\(what)") { try $0.ask(what) } }

  static func answers(_ name: String) -> Self { .init("\(name) answers") { try $0.answer(name) } }

  static func acts(_ name: String) -> Self {
    .init("\(name) presses a button") { try $0.answer(name, .acted) }
  }

  static func losesUplink(_ name: String) -> Self {
    .init("\(name) is not heard any more") { $0[name].link = .withoutUplink }
  }

  static func goes(_ name: String) -> Self { .init("\(name) is gone") { $0[name].link = .gone } }

  static func leaves(_ name: String) -> Self {
    .init("\(name) is gone, and the broker says so") { household in
      household[name].link = .gone
      try household.noticeAbsence(of: name)
    }
  }

  static func returns(_ name: String) -> Self { .init("\(name) is back") { try $0.comeBack(name) } }
}
