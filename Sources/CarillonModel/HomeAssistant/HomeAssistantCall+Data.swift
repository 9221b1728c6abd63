// What stands under `data`, member by member. A field of the request itself that stands beside counts before it.
extension HomeAssistantCall {
  mutating func takeData() throws(Refusal) {
    try takeText("tag", as: "id")
    try takeText("group", as: "thread")
    try takeText("subtitle", as: "subtitle")
    try takeText("image", as: "image")
    try takeLink()
    try takeLife()
    let rest = try takeActions()
    let push = try takePush()
    try takePriority()
    try keep(rest + push)
  }

  private mutating func takeText(_ name: String, as field: String) throws(Refusal) {
    guard data.has(name) else { return }
    taken.insert(name)
    if let text = try text(name, of: data) { put(field, .string(text), from: data.place(name)) }
  }

  /// `url` is what iOS calls it, `clickAction` Android.
  private mutating func takeLink() throws(Refusal) {
    for name in ["url", "clickAction"] where data.has(name) {
      taken.insert(name)
      guard let text = try text(name, of: data), let link = HomeAssistantCall.link(text) else { continue }
      put("url", .string(link), from: data.place(name))
    }
  }

  /// A path leads to a page of Home Assistant; `noAction` leads nowhere.
  private static func link(_ text: String) -> String? {
    if text == "noAction" { return nil }
    return text.utf8.first == UInt8(ascii: "/") ? "homeassistant://navigate" + text : text
  }

  /// For how long it is worth something, in seconds: `ttl` on the way, `timeout` on the screen. The shorter counts, and 0 is
  /// none: Android's way to say at once.
  private mutating func takeLife() throws(Refusal) {
    var life: (duration: Duration, place: String)?
    for name in ["ttl", "timeout"] {
      guard let value = data[name] else { continue }
      taken.insert(name)
      let duration = try Duration.read(value, at: data.place(name), zero: true)
      if duration > .zero, duration < life?.duration ?? .seconds(Int64.max) {
        life = (duration, data.place(name))
      }
    }
    if let life { put("expires", .string(life.duration.written), from: life.place) }
  }

  // MARK: Actions

  /// - Returns: the actions as they came, where they hold more than a request's actions have room for.
  private mutating func takeActions() throws(Refusal) -> [JSONObject.Member] {
    guard let value = data["actions"] else { return [] }
    taken.insert("actions")
    var actions: [JSON] = []
    var isWhole = true
    for (index, element) in (try data.list("actions") ?? []).enumerated() {
      let action = try Fields(element, at: data.place("actions[\(index)]"))
      actions.append(.object(try HomeAssistantCall.action(action, number: index + 1)))
      isWhole = isWhole && action.object.members.allSatisfy { ["action", "title", "uri"].contains($0.name) }
    }
    put("actions", .array(actions), from: data.place("actions"))
    return isWhole ? [] : [JSONObject.Member("actions", value)]
  }

  private static func action(_ action: Fields, number: Int) throws(Refusal) -> JSONObject {
    guard let word = try text("action", of: action) else {
      throw action.refusal("action", "an action needs action: the word that the answer to it names")
    }
    var object = JSONObject()
    // Android gives this word to every action that only opens a link.
    object.append("id", .string(word == "URI" && number > 1 ? "URI-\(number)" : word))
    if let title = try text("title", of: action) { object.append("title", .string(title)) }
    if let uri = try text("uri", of: action), let link = link(uri) { object.append("url", .string(link)) }
    return object
  }

  // MARK: Sound, badge, level

  /// - Returns: what `push` holds besides.
  private mutating func takePush() throws(Refusal) -> [JSONObject.Member] {
    guard let push = try data.object("push") else { return [] }
    taken.insert("push")
    var rest = push.object.members.filter {
      !["sound", "badge", "interruption-level"].contains($0.name) && $0.value != .null
    }
    if let badge = push["badge"] { put("badge", badge.wholeNumber ?? badge, from: push.place("badge")) }
    if let word = try push.string("interruption-level") {
      guard let level = HomeAssistantCall.levels[word] else {
        let all = "passive, active, time-sensitive, critical"
        throw push.refusal("interruption-level", "\"\(printable(word))\" is none of \(all)")
      }
      put("level", .string(level.rawValue), from: push.place("interruption-level"))
    }
    if case .object(let object) = push["sound"] {
      let more = try takeSound(Fields(object, at: push.place("sound")))
      if !more.isEmpty { rest.append(JSONObject.Member("sound", .object(JSONObject(more)))) }
    } else if let sound = try text("sound", of: push) {
      put("sound", .string(sound), from: push.place("sound"))
    }
    return rest.isEmpty ? [] : [JSONObject.Member("push", .object(JSONObject(rest)))]
  }

  private static let levels: [String: Level] = [
    "passive": .passive, "active": .active, "time-sensitive": .timeSensitive, "critical": .critical,
  ]

  /// A sound with `name`, `critical` and `volume`, of which the last is nothing that a device of this relay does.
  private mutating func takeSound(_ sound: Fields) throws(Refusal) -> [JSONObject.Member] {
    if let name = try text("name", of: sound) { put("sound", .string(name), from: sound.place("name")) }
    if let critical = sound["critical"] {
      guard let isCritical = critical.flag else {
        throw sound.refusal("critical", "expected 1 or 0, true or false, got \(critical.kind)")
      }
      if isCritical { put("level", .string(Level.critical.rawValue), from: sound.place("critical")) }
    }
    return sound.object.members.filter { !["name", "critical"].contains($0.name) && $0.value != .null }
  }

  /// Android's way to wake a phone; what iOS calls an interruption level counts before it.
  private mutating func takePriority() throws(Refusal) {
    guard data.has("priority") else { return }
    taken.insert("priority")
    switch try data.string("priority") {
    case "high": put("level", .string(Level.timeSensitive.rawValue), from: data.place("priority"))
    case "normal", nil: break
    case let word?: throw data.refusal("priority", "\"\(printable(word))\" is none of high, normal")
    }
  }

  // MARK: The rest

  /// Whatever else there is travels to the devices.
  private mutating func keep(_ more: [JSONObject.Member]) throws(Refusal) {
    let rest = data.object.members.filter { !taken.contains($0.name) && $0.value != .null } + more
    guard !rest.isEmpty else { return }
    switch fields["userInfo"] {
    case nil: put("userInfo", .object(JSONObject(rest)), from: data.path)
    case .object(let own):
      let known = Set(own.members.map { Array($0.name.utf8) })
      let added = rest.filter { !known.contains(Array($0.name.utf8)) }
      request["userInfo"] = .object(JSONObject(own.members + added))
    case let value?:
      throw fields.refusal(
        "userInfo", "is \(value.kind); it must be an object where data holds something that joins it")
    }
  }
}
