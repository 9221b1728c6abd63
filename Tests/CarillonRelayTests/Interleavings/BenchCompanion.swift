import CarillonCompanion
import CarillonModel
import CarillonStore

/// A companion by its real inbox, on a connection that can fail, before a person who answers.
final class BenchCompanion {
  /// What of its connection works. Whatever does not may be noticed by nobody.
  enum Link {
    case up
    /// It hears the broker, and the broker hears nothing.
    case withoutUplink
    case gone
  }

  let name: String
  var link = Link.up
  /// Whether it forgets what it has acted on: a companion that is wrong, for tests of the tests.
  var forgets = false
  /// How often each delivery was acted on.
  private(set) var acted: [String: Int] = [:]
  private var store: InboxStore
  private var keeper: InboxKeeper
  /// What the broker keeps for it, and how much of that has come over the connection at hand.
  private var kept: [[UInt8]] = []
  private var read = 0
  private var answered: Set<String> = []
  /// Answers that the broker does not have.
  private var said: [[UInt8]] = []

  /// Everything is shown, and opened as it arrives.
  private static var manners: Manners {
    Manners(
      ruling: { _ in .present(.init(.whole, opens: .arrival)) },
      target: { _ in .ready(Way(route: "", steps: [])) })
  }

  init(_ name: String) throws {
    self.name = name
    store = try InboxStore(path: ":memory:")
    keeper = InboxKeeper(store: store, manners: BenchCompanion.manners)
  }

  /// The broker has a message for it.
  func send(_ message: [UInt8]) { kept.append(message) }

  /// It connects anew.
  ///
  /// - Parameter keepsSession: whether the broker then sends again what it has no acknowledgement for; a companion does
  ///   not ask for that, other programs may.
  func connect(keepsSession: Bool) {
    link = .up
    if !keepsSession { kept = [] }
    read = 0
  }

  /// Reads what there is, acts on it, and says what it has to say.
  ///
  /// - Returns: the responses that get to the broker.
  func turn(at now: WallTime) throws -> [[UInt8]] {
    while link != .gone, read < kept.count {
      try take(try DeviceMessage(parsing: kept[read]), at: now)
      read += 1
    }
    guard link == .up else { return [] }
    kept.removeFirst(read)
    read = 0
    let responses = try store.responses(limit: 1000)
    for response in responses {
      _ = try keeper.take([.acknowledged(response: response.sequence)], at: now)
    }
    defer { said = [] }
    return responses.map(\.payload) + said
  }

  private func take(_ message: DeviceMessage, at now: WallTime) throws {
    if forgets, case .notification(let notification) = message, acted[notification.delivery] != nil {
      store = try InboxStore(path: ":memory:")
      keeper = InboxKeeper(store: store, manners: BenchCompanion.manners)
    }
    var lines = try keeper.take([.message(message)], at: now).lines
    while keeper.hasUnpresented {
      lines += try keeper.take([.stored], at: now).lines
      lines += try keeper.take([.presented], at: now).lines
    }
    for case .notification(let notification) in lines { acted[notification.delivery, default: 0] += 1 }
  }

  /// The person answers what is on the screen, the newest first, if anything is.
  func answer(_ event: ResponseEvent) throws {
    guard let delivery = try showing.first else { return }
    answered.insert(delivery)
    said.append(Response(delivery: delivery, event: event, action: event == .acted ? "ok" : nil).encoded)
  }

  /// What is on the screen and has not been answered there, the newest first.
  var showing: [String] {
    get throws { try store.shown().map(\.delivery).filter { !answered.contains($0) } }
  }
}
