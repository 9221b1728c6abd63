import CarillonModel

/// A program on this machine that has attached itself to the companion.
public struct Application: Hashable, Sendable {
  /// Counted from 1 by the companion that it is attached to; never used twice.
  public let number: Int
  /// What it calls itself, fit to print.
  public let name: String
  /// The schemes whose links it takes, in lower case.
  public let schemes: Set<String>

  public init(number: Int, name: String, schemes: Set<String>) {
    self.number = number
    self.name = name
    self.schemes = schemes
  }
}

/// What the applications do.
public enum ApplicationEvent: Hashable, Sendable {
  case attached(Application)
  /// It has gone. What it was asked is answered before; a step that it had not acknowledged will not be.
  case detached(Application)
  /// How it wants a notification to be presented; `nil` where it did not say so in time, or has gone.
  case presentation(Application, delivery: String, Presentation?)
  case stepDone(Application, delivery: String, step: Int)
  case stepFailed(Application, delivery: String, step: Int, reason: String)
  /// Somebody has tapped the notification inside the application.
  case tapped(Application, delivery: String)
  /// Somebody has chosen an action inside the application.
  case acted(Application, delivery: String, action: String, text: String?)
  case dismissed(Application, delivery: String)
  /// The rules of who may notify have been changed on disk.
  case authorizationChanged
}
