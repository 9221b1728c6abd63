/// What the desktop's notification service can do, of that which matters here (GetCapabilities).
public struct DesktopCapabilities: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Buttons, and a tap on the whole.
  public static let actions = DesktopCapabilities(rawValue: 1)
  /// A text below the title.
  public static let body = DesktopCapabilities(rawValue: 2)
  /// The body is read as markup.
  public static let markup = DesktopCapabilities(rawValue: 4)
  /// A field for an answer in words.
  public static let reply = DesktopCapabilities(rawValue: 8)
  /// It plays sounds itself.
  public static let sound = DesktopCapabilities(rawValue: 16)
  /// It keeps notifications in a list until somebody has seen them.
  public static let persistence = DesktopCapabilities(rawValue: 32)

  /// Markup may be read in the body although the service does not say so. dunst (1.9) says so only where its configuration
  /// has the line `markup = full`, and does so without any such line too.
  static let untoldMarkup = DesktopCapabilities(rawValue: 64)

  private static let words: [String: DesktopCapabilities] = [
    "actions": .actions, "body": .body, "body-markup": .markup, "inline-reply": .reply, "sound": .sound,
    "persistence": .persistence,
  ]

  /// Reads the service's own words; others mean nothing here.
  ///
  /// - Parameter name: the service's, as GetServerInformation has it.
  init(words: [String], name: String) {
    self = words.reduce(into: []) { $0.formUnion(DesktopCapabilities.words[$1] ?? []) }
    if name == "dunst", !contains(.markup) { insert(.untoldMarkup) }
  }
}
