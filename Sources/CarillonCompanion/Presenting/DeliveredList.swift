import CarillonModel
import CarillonStore

/// What a device lists: its notifications that are neither put away nor taken back, and the number on its badge.
public struct DeliveredList: Sendable {
  public struct Item: Hashable, Sendable {
    public var notification: Notification
    /// The newest word on it.
    public var state: ResponseEvent
    /// Why, where it is not shown or could not be opened.
    public var detail: String?
    public var at: String?
  }

  /// The newest first.
  public let items: [Item]

  /// The number on the badge: what the newest notification that brings one says, else how many there are.
  public let badge: Int64

  /// Reads a companion's inbox, while it runs or not.
  ///
  /// - Parameter folder: the companion's state folder.
  /// - Throws: where there is no inbox, or it cannot be read.
  public init(state folder: String) throws(StoreError) {
    let entries = try InboxStore(reading: "\(folder)/inbox.db").shown()
    items = entries.compactMap { entry in
      entry.notification.map {
        Item(
          notification: $0, state: entry.answer?.event ?? .received, detail: entry.answer?.detail,
          at: entry.answer?.at)
      }
    }
    badge = DeliveredList.badge(of: entries)
  }

  /// - Parameter entries: what is listed, the newest first.
  static func badge(of entries: [InboxEntry]) -> Int64 {
    let unanswered = entries.filter { $0.state == .listed && $0.answer?.event != .suppressed }
    let counted = unanswered.filter { $0.presentation.contains(.badge) }
    return counted.lazy.compactMap { $0.notification?.badge }.first ?? Int64(counted.count)
  }
}
