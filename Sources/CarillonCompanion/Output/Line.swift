import CarillonModel

/// One thing for the person or program that watches a companion (protocol §8).
public enum Line: Hashable, Sendable {
  case notification(Notification)
  /// One step of a navigation is about to be taken.
  case navigate(NavigateLine)
  /// Every step of a link's navigation has been taken; `nil` for the tap on what has no link.
  case opened(Notification, url: String?, by: OpenedBy)
  case failed(delivery: String, id: String, reason: String)
  case withdrawn(delivery: String, id: String, reason: String)
  case expired(Notification)
  /// It is listed and not shown.
  case suppressed(delivery: String, id: String, reason: String)
  /// A person has pressed a button, and perhaps written something.
  case acted(delivery: String, id: String, action: String, text: String?)
  /// A person has put it away.
  case dismissed(delivery: String, id: String)
}

/// A navigation's step, as it is told.
public struct NavigateLine: Hashable, Sendable {
  public var delivery: String
  public var id: String
  public var url: String
  /// The pattern that the link matched, as the routes file has it.
  public var route: String
  /// Counted from 1.
  public var step: Int
  public var of: Int
  /// Where to.
  public var to: String

  public init(delivery: String, id: String, url: String, route: String, step: Int, of: Int, to: String) {
    self.delivery = delivery
    self.id = id
    self.url = url
    self.route = route
    self.step = step
    self.of = of
    self.to = to
  }
}
