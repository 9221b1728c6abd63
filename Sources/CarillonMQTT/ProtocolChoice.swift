/// Which version of MQTT the next attempt speaks: 5, and 3.1.1 where the broker offers no more.
///
/// A broker that knows only 3.1.1 either says so in its CONNACK, or closes the connection at the sight of version 5.
/// A proxy in front of a broker that is being restarted closes it too, so that proves nothing: after two of them
/// version 4 is tried, and when it is accepted, version 5 once more before the choice stands.
struct ProtocolChoice: Equatable {
  private enum Mode {
    case five
    /// 5 was closed twice: is 4 accepted?
    case probing
    /// 4 was accepted: is 5 still not?
    case confirming
    case four
  }

  /// What follows an attempt that came to nothing.
  enum Next: Equatable {
    /// Another attempt at once, with the version that `version` now tells.
    case again
    /// It is a failure like any other.
    case fail
  }

  private var mode = Mode.five
  private var closings = 0

  /// 5, or 4 for MQTT 3.1.1.
  var version: Int {
    switch mode {
    case .five, .confirming: 5
    case .probing, .four: 4
    }
  }

  /// The broker has accepted the connection; whether to keep it, or to leave and confirm the choice.
  mutating func accepted() -> Bool {
    switch mode {
    case .five, .four: break
    case .confirming: mode = .five
    case .probing:
      mode = .confirming
      return false
    }
    closings = 0
    return true
  }

  /// A CONNACK that refuses the version.
  mutating func versionRefused() -> Next {
    let wasFive = version == 5
    mode = wasFive ? .four : .five
    return wasFive ? .again : .fail
  }

  /// The connection was closed after CONNECT, without a CONNACK.
  mutating func closedAtConnect() -> Next {
    switch mode {
    case .five:
      closings += 1
      if closings >= 2 { mode = .probing }
      return .fail
    case .confirming:
      mode = .four
      return .again
    case .probing, .four:
      mode = .five
      closings = 1
      return .fail
    }
  }

  /// Any other failure says nothing about the version.
  mutating func failedOtherwise() {
    if mode == .confirming || mode == .probing { mode = .five }
  }

  /// An established connection has ended. The broker may be a newer one when it comes back.
  mutating func lost() {
    if mode == .four { mode = .confirming }
  }
}
