import CPOSIX

/// A call of the operating system or of the event loop that failed.
public struct LoopError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was tried, in a few words.
  public var action: String
  /// The error number (errno) that came back.
  public var number: Int32

  public init(_ action: String, _ number: Int32) {
    self.action = action
    self.number = number
  }

  public var description: String { "\(action): \(systemMessage(number))" }

  /// sd-event answers with a negative error number.
  static func check(_ result: Int32, _ action: String) throws(LoopError) {
    if result < 0 { throw LoopError(action, -result) }
  }
}

/// The system's words for an error number: `Connection refused` for ECONNREFUSED.
public func systemMessage(_ number: Int32) -> String {
  String(cString: carillon_error_message(number))
}
