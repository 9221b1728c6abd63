import CarillonModel
import CarillonStore

@testable import CarillonRelay

/// What publishers were promised, and what has gone out: what must not happen is found while it does.
struct Ledger {
  /// What a publisher asks for. A request is told by its title, whatever its id.
  enum Ask {
    case schedule(String, title: String, to: [String], trigger: String?)
    case cancel(String)
    case pause(String)
    case resume(String)

    func command(_ more: String) -> String {
      switch self {
      case .schedule(let id, let title, let to, let trigger):
        let names = to.map { "\"\($0)\"" }.joined(separator: ",")
        let rule = trigger.map { #","trigger":\#($0)"# } ?? ""
        return #"{"id":"\#(id)","title":"\#(title)","to":[\#(names)]\#(rule)\#(more)}"#
      case .cancel(let id): return #"{"command":"cancel","ids":["\#(id)"]}"#
      case .pause(let id): return #"{"command":"pause","ids":["\#(id)"]}"#
      case .resume(let id): return #"{"command":"resume","ids":["\#(id)"]}"#
      }
    }
  }

  /// A request that fires once.
  struct Entry {
    var ask: Int
    var id: String
    var title: String
    var to: [String]
    var isAccepted = false
    /// Why nothing of it may begin any more: a reply has said so.
    var over: String?
    var isPaused = false
    /// The last command to resume it that the relay has read.
    var resumed = -1
    /// A later request with its id has come when it had fired: devices that are away need not get it.
    var givesWay = false
    /// The deliveries that have gone out.
    var deliveries: Set<String> = []
  }

  private(set) var entries: [Entry] = []
  private var asks: [String: (number: Int, what: Ask)] = [:]
  private var unanswered: Set<String> = []
  /// The device whose answer to a delivery the relay read first.
  private(set) var answers: [String: String] = [:]
  private(set) var faults: [String] = []

  mutating func asked(_ topic: String, _ what: Ask) {
    let number = asks.count
    asks[topic] = (number, what)
    unanswered.insert(topic)
    if case .schedule(let id, let title, let to, _) = what {
      entries.append(Entry(ask: number, id: id, title: title, to: to))
    }
  }

  mutating func replied(_ topic: String, _ payload: [UInt8]) {
    guard let ask = asks[topic], case .object(let reply)? = try? JSON(parsing: payload) else { return }
    unanswered.remove(topic)
    guard reply["ok"] == true else {
      return faults.append("refused: \(String(decoding: payload, as: UTF8.self))")
    }
    switch ask.what {
    case .schedule(let id, let title, _, _):
      change(id, before: ask.number) { entry in
        guard reply["replaced"] == true else { return }
        if reply["was"] == .null { entry.over = "replaced" } else { entry.givesWay = true }
      }
      if let index = entries.firstIndex(where: { $0.title == title }) { entries[index].isAccepted = true }
    case .cancel(let id):
      let outcome = reply.outcome(id)
      change(id, before: ask.number) { entry in if outcome == "cancelled" { entry.over = "cancelled" } }
    case .pause(let id):
      let isPaused = reply.outcome(id) == "paused"
      change(id, before: ask.number) { $0.isPaused = isPaused && $0.resumed < ask.number }
    case .resume: break
    }
  }

  /// Changes what was asked for under an id before, and stands.
  private mutating func change(_ id: String, before ask: Int, _ body: (inout Entry) -> Void) {
    for index in entries.indices where entries[index].id == id && entries[index].ask < ask {
      if entries[index].over == nil, !entries[index].givesWay { body(&entries[index]) }
    }
  }

  /// The relay publishes something.
  mutating func published(_ delivery: OutgoingDelivery, _ name: String) {
    guard delivery.open == .notification else { return }
    let content = String(decoding: delivery.content, as: UTF8.self)
    let index = entries.firstIndex { content.hasPrefix(#""title":"\#($0.title)""#) }
    guard let index else { return faults.append("nobody asked for \(content)") }
    guard entries[index].deliveries.insert(name).inserted else { return }
    let title = entries[index].title
    if let over = entries[index].over { faults.append("\(title) begins after the reply that it is \(over)") }
    if entries[index].isPaused { faults.append("\(title) begins while it is paused") }
    if entries[index].deliveries.count > 1 { faults.append("\(title) fires twice") }
  }

  /// The relay reads a message.
  mutating func read(_ arrival: Arrival) {
    if let topic = arrival.responseTopic, let ask = asks[topic], case .resume(let id) = ask.what {
      // What it brings goes out before its reply.
      change(id, before: ask.number) { entry in
        entry.isPaused = false
        entry.resumed = ask.number
      }
    }
    let levels = arrival.topic.split(separator: "/")
    guard levels.last == "response", let response = try? Response(parsing: arrival.payload), response.isAnswer
    else { return }
    if answers[response.delivery] == nil { answers[response.delivery] = String(levels[2]) }
  }

  /// What publishers were promised and did not get.
  func broken(_ companions: [BenchCompanion]) -> [String] {
    var faults = unanswered.sorted().map { "no reply on \($0)" }
    for entry in entries where entry.isAccepted {
      if let over = entry.over {
        if !entry.deliveries.isEmpty {
          faults.append("\(entry.title) had gone out, and the reply said \(over)")
        }
        continue
      }
      guard let delivery = entry.deliveries.first else {
        faults.append("\(entry.title) never fires")
        continue
      }
      guard !entry.givesWay, answers[delivery] == nil else { continue }
      for companion in companions where entry.to.contains(companion.name) {
        if companion.acted[delivery] == nil { faults.append("\(companion.name) never gets \(entry.title)") }
      }
    }
    return faults
  }

  /// The title of the request that a delivery is of.
  func entry(of delivery: String) -> Entry? { entries.first { $0.deliveries.contains(delivery) } }
}
