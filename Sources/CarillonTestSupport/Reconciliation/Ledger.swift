import CarillonModel

/// What was asked of a household, and what it did about it.
///
/// Every request has to come out as one of: fired as often as it was to, each firing acted on once at each device;
/// cancelled or replaced before its last firing; expired; or still pending. A firing whose command ran when its
/// companion was ended may be reported as interrupted instead, one for each time that a companion is ended.
public struct Ledger {
  typealias Request = Household.Request

  /// What has become of a request, by the replies.
  enum Fate: Hashable {
    /// No reply yet.
    case asked
    case stands
    /// Answered at that time of the wall clock, in milliseconds.
    case cancelled(at: Int64)
    /// Before its last firing.
    case replaced
    /// After it.
    case followed
  }

  /// One firing, as seen from outside.
  struct Firing {
    /// As its notification says, in milliseconds of the wall clock.
    var fired: Int64?
    var due: Int64?
    /// How often it was published to each device.
    var published: [String: Int] = [:]
    /// How often each device has acted on it.
    var acted: [String: Int] = [:]
    /// Devices that have reported it as interrupted, or as expired.
    var interrupted: Set<String> = []
    var expired: Set<String> = []
  }

  struct Entry {
    var request: Request
    var fate = Fate.asked
    /// Whether its cancel has been asked for.
    var isBeingCancelled = false
    /// By delivery.
    var firings: [String: Firing] = [:]
    /// The name of the request with that id before.
    var predecessor: String?

    /// Whether a firing of it may have made place for a later one, at a device that was away.
    var mayBeSuperseded: Bool { request.isSuperseded || fate == .followed || fate == .replaced }
  }

  let devices: [String]
  var entries: [String: Entry] = [:]
  /// Names in the order in which they were asked for.
  private(set) var names: [String] = []
  /// The newest request with an id.
  var current: [String: String] = [:]
  /// The request that each delivery is of.
  private(set) var owners: [String: String] = [:]
  /// What is not balanced yet, as far as is known.
  var unsettled: Set<String> = []
  /// What has changed since the last look for excesses.
  var changed: Set<String> = []
  /// Commands without a reply, and those with one, as it was.
  var unanswered: [Int: Household.Command] = [:]
  var answers: [Int: [UInt8]] = [:]
  /// Commands without a key whose reply was lost with the relay.
  var lostReplies: Set<Int> = []
  /// When the relay was killed, in milliseconds of the wall clock.
  var kills: [Int64] = []
  /// How often each device's companion has been ended.
  private(set) var stops: [String: Int] = [:]
  var interruptions: [String: Int] = [:]
  /// What must not be, in words.
  public internal(set) var violations: [String] = []

  init(devices: [String]) { self.devices = devices }

  // MARK: What is asked

  mutating func asks(_ command: Household.Command) {
    if answers[command.number] == nil { unanswered[command.number] = command }
    for case .cancel(let name, _) in command.elements { entries[name]?.isBeingCancelled = true }
    for case .schedule(let request) in command.elements where entries[request.name] == nil {
      entries[request.name] = Entry(request: request, predecessor: current[request.id])
      names.append(request.name)
      current[request.id] = request.name
      unsettled.insert(request.name)
    }
  }

  /// A companion was ended.
  mutating func stopped(_ device: String) { stops[device, default: 0] += 1 }

  // MARK: What is seen

  mutating func note(_ message: TestClient.Message) {
    if message.topic.hasPrefix(Household.Command.replies) {
      guard let number = Int(message.topic.dropFirst(Household.Command.replies.count)) else { return }
      return answered(number, message.payload)
    }
    let levels = message.topic.split(separator: "/").map(String.init)
    guard levels.count == 4, levels[1] == "device", !message.isRetained,
      case .object(let object)? = try? JSON(parsing: message.payload), let delivery = object["delivery"]?.text
    else { return }
    switch levels[3] {
    case "notification" where object["kind"]?.text == "notification":
      guard let name = Ledger.name(in: object["url"]?.text) else { return }
      change(name, delivery) {
        $0.published[levels[2], default: 0] += 1
        $0.fired = $0.fired ?? Ledger.milliseconds(object["fired"])
        $0.due = $0.due ?? Ledger.milliseconds(object["due"])
      }
    case "response": responded(levels[2], delivery, object)
    default: break
    }
  }

  private mutating func responded(_ device: String, _ delivery: String, _ object: JSONObject) {
    guard let event = object["event"]?.text, event == "failed" || event == "expired" else { return }
    let name = owners[delivery]
    let detail = object["detail"]?.text ?? ""
    guard let name, event == "expired" || detail == "interrupted" else {
      violations.append("\(device) says \(event) of \(delivery): \(detail)")
      return
    }
    var isNew = false
    change(name, delivery) {
      if event == "expired" {
        $0.expired.insert(device)
      } else {
        isNew = $0.interrupted.insert(device).inserted
      }
    }
    if isNew { interruptions[device, default: 0] += 1 }
  }

  /// A line that a route's command has written: a name and a delivery.
  mutating func acted(_ line: String, at device: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 2, let entry = entries[words[0]] else {
      violations.append("\(device) acted on what nobody asked for: \(line)")
      return
    }
    if !entry.request.devices.contains(device) {
      violations.append("\(device) acted on \(words[0]), which is for \(entry.request.devices)")
    }
    if entry.firings[words[1]]?.acted[device] != nil {
      violations.append("\(device) acted twice on \(words[0]), delivery \(words[1])")
    }
    change(words[0], words[1]) { $0.acted[device, default: 0] += 1 }
  }

  private mutating func change(_ name: String, _ delivery: String, _ body: (inout Firing) -> Void) {
    guard entries[name] != nil else {
      violations.append("a notification of what nobody asked for: \(name)")
      return
    }
    var firing = entries[name]?.firings[delivery] ?? Firing()
    body(&firing)
    owners[delivery] = name
    entries[name]?.firings[delivery] = firing
    unsettled.insert(name)
    changed.insert(name)
  }

  /// The name in a link `act://on/NAME/DELIVERY`.
  private static func name(in url: String?) -> String? {
    let parts = url?.split(separator: "/") ?? []
    return parts.count == 4 ? String(parts[2]) : nil
  }

  private static func milliseconds(_ time: JSON?) -> Int64? {
    guard let text = time?.text, case .instant(let instant)? = try? WrittenTime(parsing: text) else {
      return nil
    }
    return instant.milliseconds
  }
}
