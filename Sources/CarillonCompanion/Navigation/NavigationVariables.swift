import CarillonModel

/// What a step's command finds in its environment.
public enum NavigationVariables {
  /// Set for every command, so that one that calls this program to open the link again is refused: no loops.
  public static let opening = ["CARILLON_OPEN": "1"]

  /// The notification's content, under names that are no option of this program. Its title and text cannot be arguments: they were not checked for that.
  ///
  /// - Parameter url: the link that is opened: the notification's, or one of its buttons'.
  public static func variables(for notification: Notification, url: String) -> [String: String] {
    var variables = opening
    variables["CARILLON_NOTIFICATION_ID"] = text(notification.id)
    variables["CARILLON_NOTIFICATION_DELIVERY"] = text(notification.delivery)
    variables["CARILLON_NOTIFICATION_TITLE"] = text(notification.title)
    variables["CARILLON_NOTIFICATION_BODY"] = text(notification.body)
    variables["CARILLON_NOTIFICATION_URL"] = text(url)
    variables["CARILLON_NOTIFICATION"] = String(decoding: notification.encoded, as: UTF8.self)
    return variables
  }

  /// A variable ends at its first NUL, so none may hold one.
  private static func text(_ value: String?) -> String {
    guard let value else { return "" }
    guard value.utf8.contains(0) else { return value }
    return String(String.UnicodeScalarView(value.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
  }
}
