/// A notification on the desktop, as it is asked for. Texts are as they came; what a service can show of them is
/// `Desktop`'s business.
public struct Bubble: Hashable, Sendable {
  public enum Urgency: UInt8, Hashable, Sendable { case low, normal, critical }

  public struct Button: Hashable, Sendable {
    public var id: String
    public var title: String

    public init(id: String, title: String) {
      self.id = id
      self.title = title
    }
  }

  /// Which delivery it shows; events name it.
  public var key: String
  /// A bubble with the tag of one that is on the screen takes its place. The request's id.
  public var tag: String
  public var title: String
  public var body: String
  /// The name of an icon, or an absolute path of a picture; `nil` for none.
  public var icon: String?
  /// Critical ones do not time out.
  public var urgency: Urgency
  /// The specification's kind of notification (`im.received`), or any word.
  public var category: String?
  /// A name of the XDG sound theme (`message-new-instant`); `nil` keeps the service silent.
  public var sound: String?
  public var buttons: [Button]
  /// Whether it can be tapped as a whole.
  public var takesTap: Bool
  /// The title of the field for an answer in words, where the service has one; `nil` for none.
  public var replyTitle: String?

  public init(
    key: String, tag: String, title: String, body: String = "", icon: String? = nil,
    urgency: Urgency = .normal,
    category: String? = nil, sound: String? = nil, buttons: [Button] = [], takesTap: Bool = false,
    replyTitle: String? = nil
  ) {
    self.key = key
    self.tag = tag
    self.title = title
    self.body = body
    self.icon = icon
    self.urgency = urgency
    self.category = category
    self.sound = sound
    self.buttons = buttons
    self.takesTap = takesTap
    self.replyTitle = replyTitle
  }
}
