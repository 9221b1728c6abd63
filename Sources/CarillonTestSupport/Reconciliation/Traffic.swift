import CarillonLoop
import CarillonModel

/// Draws commands, by a seed: requests of many kinds for one device or several, cancels, replacements, arrays of them.
struct Traffic {
  typealias Command = Household.Command
  typealias Request = Household.Request

  /// What is drawn.
  struct Style {
    /// Seconds until something fires.
    var delay: ClosedRange<Double>
    /// How often each kind is drawn, in relation to the others.
    var kinds: [(kind: Request.Kind, weight: Int)]
    /// Whether every command has an idempotency key; otherwise half of those whose reply nothing depends on do without,
    /// and without an id: taken twice, it would be two requests.
    var hasKeys: Bool
  }

  private let style: Style
  private let devices: [String]
  var generator: SplitMix
  private var counter = 0
  private var commands = 0

  init(_ style: Style, devices: [String], seed: UInt64) {
    self.style = style
    self.devices = devices
    generator = SplitMix(seed: seed)
  }

  /// - Parameter ledger: chooses what is cancelled or replaced.
  mutating func command(_ ledger: Ledger) -> Command {
    let isBare = !style.hasKeys && Bool.random(using: &generator)
    switch Int.random(in: 0..<20, using: &generator) {
    case 0, 1: return command((0..<3).map { _ in schedule(isBare: isBare) }, hasKey: !isBare)
    case 2, 3: return cancel(ledger) ?? command([schedule()])
    case 4, 5: return command([schedule(replacing: target(ledger)?.id)])
    default: return command([schedule(isBare: isBare)], hasKey: !isBare)
    }
  }

  mutating func cancel(_ ledger: Ledger) -> Command? {
    guard let (name, id) = target(ledger) else { return nil }
    return command([(.cancel(name: name, id: id), ["command": "cancel", "ids": [.string(id)]])])
  }

  /// `pause` or `resume` of one request.
  mutating func hold(_ verb: String, id: String) -> Command {
    command([(.hold(id: id), ["command": .string(verb), "ids": [.string(id)]])])
  }

  /// A request that stands and was not replaced: far ones, or, as often, one of the newest, which is about to fire.
  private mutating func target(_ ledger: Ledger) -> (name: String, id: String)? {
    let names =
      Bool.random(using: &generator)
      ? ledger.names.suffix(8).filter { ledger.entries[$0]?.request.kind != .immediate }
      : ledger.names.suffix(400).filter { ledger.entries[$0]?.request.kind == .far }
    return names.compactMap { name in
      guard let entry = ledger.entries[name], entry.fate == .stands, !entry.isBeingCancelled,
        !entry.request.isAnonymous,
        ledger.current[entry.request.id] == name
      else { return nil }
      return (name: name, id: entry.request.id)
    }.randomElement(using: &generator)
  }

  private mutating func command(_ elements: [(Command.Element, JSONObject)], hasKey: Bool = true) -> Command {
    commands += 1
    var objects = elements.map(\.1)
    if hasKey {
      for index in objects.indices {
        objects[index].append("key", .string("\(commands)-\(index)"))
      }
    }
    let json = objects.count == 1 ? JSON.object(objects[0]) : .array(objects.map { .object($0) })
    return Command(elements: elements.map(\.0), payload: json.encoded, number: commands, hasKey: hasKey)
  }

  // MARK: Requests

  private mutating func schedule(replacing id: String? = nil, isBare: Bool = false) -> (
    Command.Element, JSONObject
  ) {
    counter += 1
    let name = "r\(counter)"
    let kind = drawKind()
    let count = Int.random(in: 2...4, using: &generator)
    let delay = (Double.random(in: style.delay, using: &generator) * 1000).rounded() / 1000
    let now = SystemClock.wallMilliseconds
    let chosen = devices.filter { _ in Bool.random(using: &generator) }
    let to = chosen.isEmpty ? [devices.randomElement(using: &generator) ?? ""] : chosen
    var request = Request(name: name, id: id ?? name, kind: kind, devices: to, occurrences: 1, end: now)
    var object: JSONObject = [
      "title": .string(name), "url": .string("act://on/\(name)/{delivery}"),
      "to": .array(to.map { .string($0) }),
    ]
    request.isAnonymous = isBare && kind != .far
    if !request.isAnonymous { object.append("id", .string(request.id)) }
    func trigger(_ trigger: JSONObject) { object.append("trigger", .object(trigger)) }
    switch kind {
    case .immediate: break
    case .after: trigger(["after": .number(delay)])
    case .at: trigger(["at": .number(Double(now) / 1000 + delay)])
    case .every:
      trigger(["every": 1, "count": .integer(Int64(count))])
      object.append("catchUp", "all")
    case .calendar:
      trigger([
        "calendar": ["second": .array(stride(from: 0, to: 60, by: 2).map { .integer(Int64($0)) })],
        "repeats": true, "count": .integer(Int64(count)),
      ])
      object.append("catchUp", "all")
    case .nag: object.append("nag", ["every": 2, "times": .integer(Int64(count))])
    case .expiring:
      trigger(["after": .number(delay)])
      object.append("expires", .integer(Int64(count)))
    case .far: trigger(["after": "30d"])
    }
    switch kind {
    case .every: request.occurrences = count
    case .calendar: request.occurrences = count
    case .nag: request.occurrences = count + 1
    default: break
    }
    request.end = now + end(kind, delay, count)
    return (.schedule(request), object)
  }

  /// Milliseconds from now until the last firing.
  private func end(_ kind: Request.Kind, _ delay: Double, _ count: Int) -> Int64 {
    switch kind {
    case .immediate, .far: 0
    case .after, .at: Int64(delay * 1000)
    case .every: Int64(count) * 1000
    case .calendar, .nag: Int64(count) * 2000
    case .expiring: Int64(delay * 1000) + Int64(count) * 1000
    }
  }

  private mutating func drawKind() -> Request.Kind {
    var rest = Int.random(in: 0..<style.kinds.reduce(0) { $0 + $1.weight }, using: &generator)
    for (kind, weight) in style.kinds {
      if rest < weight { return kind }
      rest -= weight
    }
    return .immediate
  }
}
