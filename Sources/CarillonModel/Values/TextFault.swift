/// A fault in a text that a person wrote, such as a cron expression: what is wrong, and exactly where.
public struct TextFault: Error, Hashable, Sendable {
  /// Where it begins, in bytes of UTF-8 from the start of the text.
  public var offset: Int
  /// How many bytes are wrong; 0 where something is missing.
  public var length: Int
  /// One sentence that names the fault and, where there is one, the remedy.
  public var message: String

  public init(offset: Int, length: Int, _ message: String) {
    self.offset = offset
    self.length = length
    self.message = message
  }

  /// At a part of the text.
  public init(_ span: Range<Int>, _ message: String) {
    self.init(offset: span.lowerBound, length: span.count, message)
  }

  public var span: Range<Int> { offset..<offset + length }

  /// The fault as the refusal of the field that holds the text.
  public func refusal(_ code: RefusalCode = .invalid, at path: String) -> Refusal {
    Refusal(code, at: path, message, span: span)
  }
}
