/// The identifier of one firing: the same on every device and at every retry, never used twice (protocol §4).
///
/// It is computed, not drawn: the store's id, the request's acceptance number and the occurrence's time as it was stored
/// when the occurrence was computed. Firings that are no occurrence (`fire`) carry a counter as well.
public struct DeliveryID: Hashable, Sendable {
  /// Eight hexadecimal digits.
  public var store: String
  public var sequence: Int64
  /// Milliseconds on the trigger's clock.
  public var stamp: Int64
  /// 0 for an occurrence of the trigger.
  public var counter: Int64

  public init(store: String, sequence: Int64, stamp: Int64, counter: Int64 = 0) {
    self.store = store
    self.sequence = sequence
    self.stamp = stamp
    self.counter = counter
  }

  public var text: String {
    counter == 0 ? "\(store)-\(sequence)-\(stamp)" : "\(store)-\(sequence)-\(stamp)-\(counter)"
  }

  /// Reads what `text` prints; `nil` for anything else.
  public init?(parsing text: String) {
    guard text.utf8.count <= 80 else { return nil }
    let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 3 || parts.count == 4 else { return nil }
    let words = parts.map { String(decoding: $0, as: UTF8.self) }
    guard let sequence = Int64(words[1]), let stamp = Int64(words[2]) else { return nil }
    var counter: Int64 = 0
    if words.count == 4 {
      guard let number = Int64(words[3]), number > 0 else { return nil }
      counter = number
    }
    self.init(store: words[0], sequence: sequence, stamp: stamp, counter: counter)
    guard self.text.isIdentical(to: text) else { return nil }
  }
}
