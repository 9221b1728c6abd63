/// The stable codes with which a command, a link or a configuration is refused.
///
/// They are part of the protocol: programs compare them, so a code never changes its meaning.
public enum RefusalCode: String, Sendable, CaseIterable {
  /// Not JSON as RFC 8259 has it, or beyond the limits of nesting.
  case malformed
  /// A value outside what its field takes; `Refusal.path` names the field.
  case invalid
  /// A field that has no meaning here.
  case unknownField = "unknown-field"
  /// A rule that can never fire.
  case never
  /// A time that has passed.
  case past
  /// A revision older than the stored one.
  case stale
  /// A payload, or the message that it would become, over the size limit.
  case tooLarge = "too-large"
  /// A quota is used up.
  case limit
  /// Something that the sender may not do.
  case forbidden
  /// A command published with the retain flag.
  case retained
  /// The relay cannot store anything at present.
  case unavailable
}

/// The sender's mistake: what was refused, where, and what to do about it.
///
/// The message may quote a value of the field that `path` names; it never holds the payload or a secret.
public struct Refusal: Error, Hashable, Sendable {
  public var code: RefusalCode
  /// The place, as dotted names and bracketed positions (`trigger.after`, `actions[2].url`); empty for the whole.
  public var path: String
  /// One sentence that names the fault and, where there is one, the remedy.
  public var message: String
  /// Which part of the field's text is at fault, in bytes of UTF-8, so that it can be marked; empty where something is
  /// missing there. `nil` where the whole field is meant. It does not travel.
  public var span: Range<Int>?

  public init(_ code: RefusalCode, at path: String = "", _ message: String, span: Range<Int>? = nil) {
    self.code = code
    self.path = path
    self.message = message
    self.span = span
  }

  /// The same refusal with its place below `parent`.
  public func below(_ parent: String) -> Refusal {
    var moved = self
    if path.isEmpty {
      moved.path = parent
    } else if path.hasPrefix("[") || parent.isEmpty {
      moved.path = parent + path
    } else {
      moved.path = parent + "." + path
    }
    return moved
  }
}

extension Refusal: CustomStringConvertible {
  public var description: String {
    path.isEmpty ? "\(code.rawValue): \(message)" : "\(code.rawValue) at \(path): \(message)"
  }
}
