import CarillonModel
import CarillonStore
import Glibc

@testable import CarillonCompanion

/// A companion without broker and programs: the real inbox on a real file, and everything that happened written down.
/// Killed at a chosen transaction, it goes on with what is on disk.
final class InboxBench {
  /// Thrown in the place of a power cut: after the commit, before anything that follows from it.
  struct Killed: Error {}

  enum Step: Hashable {
    case line(Line)
    case navigation(String)
    case errand(Errand)
    case hidden(String)
  }

  /// What becomes of a notification; by default it is shown, and opened as it arrives.
  var ruling: (Notification) -> Ruling = { _ in .present(.init(.whole, opens: .arrival)) }
  /// The schemes whose application is not there.
  var absent: Set<String> = []

  private func target(_ url: String) -> Target {
    if url.hasPrefix("x:no") { return .refused("no route") }
    let scheme = String(url.prefix { $0 != ":" })
    return absent.contains(scheme) ? .absent(scheme: scheme) : .ready(Way(route: "r", steps: ["/", url]))
  }

  let folder: String
  var now = WallTime(milliseconds: 1_000_000)
  private(set) var steps: [Step] = []
  /// Transactions until it is killed; `nil` for never.
  var fuse: Int?
  private(set) var transactions = 0
  private var keeper: InboxKeeper?
  private var store: InboxStore?

  init() throws {
    var template = Array("/tmp/carillon-inbox-XXXXXX".utf8CString)
    // In memory where the machine has such a place: thousands of transactions need not wait for a disk.
    if access("/dev/shm", W_OK) == 0 { template = Array("/dev/shm/carillon-inbox-XXXXXX".utf8CString) }
    guard mkdtemp(&template) != nil else { throw Killed() }
    folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    try start()
  }

  deinit {
    keeper = nil
    store = nil
    for name in ["inbox.db", "inbox.db-wal", "inbox.db-shm", "inbox.db.lock"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  /// Starts a companion on the folder, the one before being gone.
  func start() throws {
    keeper = nil
    store = nil
    isNavigating = false
    let store = try reopened("\(folder)/inbox.db")
    self.store = store
    keeper = InboxKeeper(
      store: store,
      manners: Manners(ruling: { [unowned self] in ruling($0) }, target: { [unowned self] in target($0) }))
    try run { try $0.begin(at: now) }
    try settle()
  }

  func take(_ incoming: InboxKeeper.Incoming...) throws {
    try run { try $0.take(incoming, at: now) }
    try settle()
  }

  /// Ends the navigation that goes on, if one does.
  func navigated(_ outcome: NavigationOutcome = .opened) throws {
    guard isNavigating else { return }
    isNavigating = false
    try take(.navigated(outcome))
  }

  private(set) var isNavigating = false

  private func settle() throws {
    while keeper?.hasUnpresented == true {
      try run { try $0.take([.stored], at: now) }
      try run { try $0.take([.presented], at: now) }
    }
  }

  private func run(_ body: (InboxKeeper) throws -> InboxKeeper.Effects) throws {
    guard let keeper else { return }
    let effects = try body(keeper)
    transactions += 1
    if let left = fuse {
      fuse = left > 1 ? left - 1 : nil
      if left == 1 {
        isNavigating = false
        throw Killed()
      }
    }
    steps += effects.lines.map(Step.line)
    steps += effects.hidden.map(Step.hidden)
    for errand in effects.errands {
      if case .navigate(let opened) = errand {
        steps.append(.navigation(opened.notification.delivery))
        isNavigating = true
      } else {
        steps.append(.errand(errand))
      }
    }
  }

  /// What was to be put on the desktop, in order.
  var bubbles: [String] {
    steps.compactMap {
      if case .errand(.show(let notification, _)) = $0 { notification.delivery } else { nil }
    }
  }

  /// What was to be set going besides navigations and bubbles.
  var errands: [Errand] {
    steps.compactMap {
      switch $0 {
      case .errand(.show), .errand(.clear): nil
      case .errand(let errand): errand
      default: nil
      }
    }
  }

  func entry(_ delivery: String) throws -> InboxEntry? { try store?.entry(delivery) }
  func shown() throws -> [String] { try store?.shown().map(\.delivery) ?? [] }
  func unfinished() throws -> [String] { try store?.unfinished().map(\.delivery) ?? [] }

  /// What waits to be sent, as `delivery event`.
  func responses() throws -> [String] {
    try (store?.responses(limit: 1000) ?? []).map {
      let response = try Response(parsing: $0.payload)
      let detail = response.event == .opened ? response.by?.rawValue : response.action ?? response.detail
      return "\(response.delivery) \(response.event.rawValue)" + (detail.map { ": \($0)" } ?? "")
    }
  }

  func acknowledgeAll() throws {
    for response in try store?.responses(limit: 1000) ?? [] {
      try take(.acknowledged(response: response.sequence))
    }
  }

  func navigations(of delivery: String) -> Int { steps.count { $0 == .navigation(delivery) } }

  func notificationLines(of delivery: String) -> Int {
    steps.count {
      if case .line(.notification(let notification)) = $0 { notification.delivery == delivery } else { false }
    }
  }

  /// The lines in short: `notification d`, `opened d`, `failed d: reason`, ….
  var lines: [String] {
    steps.compactMap { step in
      guard case .line(let line) = step else { return nil }
      return switch line {
      case .notification(let notification): "notification \(notification.delivery)"
      case .navigate(let step): "navigate \(step.delivery) \(step.step)/\(step.of)"
      case .opened(let notification, _, let by):
        "opened \(notification.delivery)" + (by == .tap ? " by tap" : "")
      case .failed(let delivery, _, let reason): "failed \(delivery): \(reason)"
      case .withdrawn(let delivery, _, let reason): "withdrawn \(delivery): \(reason)"
      case .expired(let notification): "expired \(notification.delivery)"
      case .suppressed(let delivery, _, let reason): "suppressed \(delivery): \(reason)"
      case .acted(let delivery, _, let action, let text):
        "acted \(delivery): \(action)\(text.map { " \($0)" } ?? "")"
      case .dismissed(let delivery, _): "dismissed \(delivery)"
      }
    }
  }
}

/// Opens a store that was closed just now. Programs that other tests start hold its lock from their fork to their exec.
private func reopened(_ path: String) throws -> InboxStore {
  for _ in 1...2000 {
    do { return try InboxStore(path: path) } catch StoreError.alreadyOpen { usleep(1000) }
  }
  return try InboxStore(path: path)
}

/// A notification as it would come.
func notification(
  _ delivery: String, id: String? = nil, url: String? = nil, expires: WallTime? = nil, actions: [JSON] = [],
  from: String? = nil
) throws -> InboxKeeper.Incoming {
  var object: JSONObject = [
    "kind": "notification", "delivery": .string(delivery), "id": .string(id ?? delivery), "title": "t",
  ]
  if !actions.isEmpty { object["actions"] = .array(actions) }
  object["from"] = from.map { .string($0) }
  object["url"] = url.map { .string($0) }
  object["expires"] = expires.map { .string(timestamp(utc: $0)) }
  return .message(try DeviceMessage(reading: .object(object)))
}

func withdrawal(_ delivery: String, reason: String = "opened") -> InboxKeeper.Incoming {
  .message(.withdrawal(Withdrawal(delivery: delivery, id: delivery, reason: reason)))
}
