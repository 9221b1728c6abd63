import CarillonModel

/// Why a verb could not do its work: what the person reads on standard error, and the exit status.
public struct Failure: Error, Sendable {
  public var status: ExitStatus
  /// One line that names the fault and, where there is one, the remedy.
  public var message: String
  /// Further lines, such as the text at fault with a caret under it.
  public var details: [String]
  /// The refusal behind it, which `--json` prints as an object.
  public var refusal: Refusal?

  public init(_ status: ExitStatus, _ message: String, details: [String] = [], refusal: Refusal? = nil) {
    self.status = status
    self.message = message
    self.details = details
    self.refusal = refusal
  }

  /// A wrong option or operand.
  static func usage(_ message: String) -> Failure { Failure(.usage, message) }
}

extension Failure: CustomStringConvertible {
  public var description: String { message }
}
