/// What a closure keeps. A run has one thread.
final class Kept: @unchecked Sendable {
  private(set) var inputs: [[UInt8]] = []

  func keep(_ input: [UInt8]) { inputs.append(input) }

  func grow() { inputs.append([UInt8](repeating: 1, count: 16_384)) }
}
