import CarillonModel

/// The arguments of `org.freedesktop.Notifications.Notify`, made of a bubble and of what the service can do.
struct NotifyCall {
  /// In characters; what is longer is cut. Services lay out what they get, and some take seconds for a novel.
  static let titleLimit = 500
  static let bodyLimit = 4000
  private static let wordLimit = 100

  /// The action of a tap on the whole, by the specification.
  static let tap = "default"
  /// The action by which services know that an answer in words is wanted.
  static let reply = "inline-reply"

  var application: String
  var bubble: Bubble
  /// The service's number of the notification whose place it takes; 0 for none.
  var replaces: UInt32
  var capabilities: DesktopCapabilities

  /// The action of a button. The prefix keeps a button's id from meaning a tap or an answer.
  static func action(of button: Bubble.Button) -> String { "button:\(button.id)" }

  var arguments: [BusValue] {
    [
      .string(application), .uint32(replaces), .string(iconName), .string(summary), .string(body),
      .strings(actions), .options(hints), .int32(bubble.urgency == .critical ? 0 : -1),
    ]
  }

  /// Never markup, by the specification.
  private var summary: String {
    let title = bubble.title.shown(limit: NotifyCall.titleLimit)
    if !capabilities.contains(.body), !bubble.body.isEmpty {
      let body = bubble.body.shown(limit: NotifyCall.bodyLimit)
      return title.isEmpty ? body : "\(title) - \(body)"
    }
    return title.isEmpty ? application : title
  }

  /// Escaped exactly where the service reads markup.
  private var body: String {
    guard capabilities.contains(.body) else { return "" }
    let text = bubble.body.shown(limit: NotifyCall.bodyLimit, keepsLines: true)
    if capabilities.contains(.markup) {
      return NotifyCall.replacing(text, ["&": "&amp;", "<": "&lt;", ">": "&gt;"])
    }
    if capabilities.contains(.untoldMarkup) {
      // With an invisible joiner behind it an ampersand begins nothing; of a tag nothing else would be left than what
      // it looks like.
      return NotifyCall.replacing(text, ["&": "&\u{200D}", "<": "‹", ">": "›"])
    }
    return text
  }

  private static func replacing(_ text: String, _ replacements: [Unicode.Scalar: String]) -> String {
    text.unicodeScalars.reduce(into: "") { $0 += replacements[$1] ?? String($1) }
  }

  /// Pairs of a key and a title.
  private var actions: [String] {
    guard capabilities.contains(.actions) else { return [] }
    var pairs: [String] = []
    if bubble.takesTap { pairs += [NotifyCall.tap, "Open"] }
    for button in bubble.buttons { pairs += [NotifyCall.action(of: button), NotifyCall.word(button.title)] }
    if let title = bubble.replyTitle, capabilities.contains(.reply) {
      pairs += [NotifyCall.reply, NotifyCall.word(title)]
    }
    return pairs
  }

  private var hints: [String: BusValue] {
    var hints: [String: BusValue] = [
      "urgency": .byte(bubble.urgency.rawValue), "desktop-entry": .string("carillon"),
    ]
    if let category = bubble.category { hints["category"] = .string(NotifyCall.word(category)) }
    if let path = iconPath { hints["image-path"] = .string(path) }
    if let sound = bubble.sound {
      if NotifyCall.isSoundName(sound) { hints["sound-name"] = .string(sound) }
    } else {
      hints["suppress-sound"] = .bool(true)
    }
    return hints
  }

  private var iconName: String {
    guard let icon = bubble.icon, !icon.hasPrefix("/") else { return "" }
    return NotifyCall.word(icon)
  }

  /// A file travels as a URI: services differ in what they make of a bare path.
  private var iconPath: String? {
    guard let icon = bubble.icon, icon.hasPrefix("/") else { return nil }
    let plain = Set("-._~/".utf8)
    var uri = "file://"
    for byte in icon.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain = byte < 0x80 && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte))
      if isPlain || plain.contains(byte) {
        uri.unicodeScalars.append(scalar)
      } else {
        uri += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    return uri
  }

  /// Names of sounds are names of files, for some services without another look.
  private static func isSoundName(_ name: String) -> Bool {
    let marks = Set("-_".utf8)
    return !name.isEmpty && name.utf8.count <= wordLimit
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || marks.contains($0)
      }
  }

  private static func word(_ text: String) -> String { text.shown(limit: wordLimit) }
}
