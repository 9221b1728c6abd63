/// What became of a delivery on a device (protocol §5).
public enum ResponseEvent: String, Hashable, Sendable, CaseIterable {
  /// The device has it, on disk.
  case received
  /// It is on the screen.
  case presented
  /// It is listed, not shown: no permission, or do not disturb.
  case suppressed
  /// Its link was navigated to, by a person's tap or because it arrived.
  case opened
  /// A person pressed one of its buttons.
  case acted
  /// A person put it away.
  case dismissed
  /// Its link could not be opened; the detail says why.
  case failed
  /// It was taken back.
  case withdrawn
  /// It came, or was reached, too late.
  case expired
}

/// What made a device open a notification.
public enum OpenedBy: String, Hashable, Sendable, CaseIterable {
  /// A person.
  case tap
  /// The device itself, when the notification arrived. Not an answer.
  case arrival
}
