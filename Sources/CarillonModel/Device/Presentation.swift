/// How a notification is presented on a device.
public struct Presentation: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// On the screen, where a person sees it without looking for it.
  public static let banner = Presentation(rawValue: 1)
  /// In the list of what was delivered.
  public static let list = Presentation(rawValue: 2)
  /// With its sound.
  public static let sound = Presentation(rawValue: 4)
  /// Counted, with the number it brings.
  public static let badge = Presentation(rawValue: 8)

  /// All of it.
  public static let whole: Presentation = [.banner, .list, .sound, .badge]

  /// The ways and their names, in the order in which they are written.
  private static let named: [(Presentation, String)] = [
    (.banner, "banner"), (.list, "list"), (.sound, "sound"), (.badge, "badge"),
  ]

  /// The names of what is in it.
  public var names: [String] { Presentation.named.filter { contains($0.0) }.map(\.1) }

  /// Reads a list of names, or one name.
  ///
  /// - Throws: `invalid`, with the place of what is no way of presenting.
  public init(reading names: [String], at place: String) throws(Refusal) {
    self = []
    for name in names {
      guard let (way, _) = Presentation.named.first(where: { $0.1 == name }) else {
        throw Refusal(
          .invalid, at: place, "\"\(printable(name))\" is none of banner, list, sound, badge")
      }
      insert(way)
    }
  }
}
