import CarillonModel
import CarillonTestSupport

/// Makes inputs for a target out of its seeds, its words and what was taken before: the same for the same generator.
public struct InputMaker: Sendable {
  private let target: FuzzTarget
  /// Inputs that were taken, of which new ones are made as of the seeds; the oldest gives way.
  private var taken: [[UInt8]] = []
  private var oldest = 0
  private static let mostTaken = 256

  public init(_ target: FuzzTarget) { self.target = target }

  /// - Parameter input: one that the target took.
  public mutating func learn(_ input: [UInt8]) {
    // Long ones are made anew by repetition; kept, they would only make everything slow.
    guard input.count <= 1024 else { return }
    if taken.count < InputMaker.mostTaken {
      taken.append(input)
    } else {
      taken[oldest] = input
      oldest = (oldest + 1) % InputMaker.mostTaken
    }
  }

  public func input(using random: inout SplitMix) -> [UInt8] {
    if target.name == "rrule", random.isTrue(in: 4) {
      return changed(Array(NastyRule(&random).input.utf8), using: &random)
    }
    let pool = taken.isEmpty || random.isTrue(in: 3) ? target.seeds : taken
    return changed(random.element(of: pool) ?? [], using: &random)
  }

  /// One input made into another one.
  public func changed(_ input: [UInt8], using random: inout SplitMix) -> [UInt8] {
    var bytes = input
    let isTree = target.form == .json && !random.isTrue(in: 4)
    if isTree, let json = try? JSON(parsing: input) {
      var changer = JSONChanger(words: target.words)
      var tree = json
      for _ in 0..<random.few() { tree = changer.changed(tree, using: &random) }
      bytes = tree.encoded
      if random.isTrue(in: 8) { bytes = random.spelledOtherwise(bytes) }
    } else {
      for _ in 0..<random.few() { change(&bytes, using: &random) }
    }
    return bytes.count > target.longest ? Array(bytes[..<target.longest]) : bytes
  }

  private func change(_ bytes: inout [UInt8], using random: inout SplitMix) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let part = place..<min(bytes.count, place + Int.random(in: 0...random.reach(), using: &random))
    switch Int.random(in: 0..<12, using: &random) {
    case 0: bytes.removeSubrange(part)
    case 1: bytes.replaceSubrange(part, with: Array((random.element(of: target.words) ?? "").utf8))
    case 2, 3: bytes.insert(contentsOf: Array((random.element(of: target.words) ?? "").utf8), at: place)
    case 4: bytes.insert(contentsOf: bytes[part], at: place)
    case 5: bytes.replaceSubrange(part, with: Array(random.number().utf8))
    case 6:
      guard let other = random.element(of: random.isTrue(in: 2) ? target.seeds : taken) else { return }
      let from = Int.random(in: 0...other.count, using: &random)
      bytes.replaceSubrange(part, with: other[from..<min(other.count, from + part.count)])
    case 7: if place < bytes.count { bytes[place] = random.byte(target.form) }
    case 8: bytes.insert(random.byte(target.form), at: place)
    case 9: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
    case 10: bytes.removeSubrange(place...)
    default: if random.isTrue(in: 16) { swell(&bytes, part, using: &random) }
    }
  }

  /// Repeats a part up to some length, the longest too.
  private func swell(_ bytes: inout [UInt8], _ part: Range<Int>, using random: inout SplitMix) {
    guard !part.isEmpty, bytes.count < target.longest else { return }
    let room = min(target.longest - bytes.count, 1 << Int.random(in: 4...17, using: &random))
    let piece = Array(bytes[part])
    bytes.insert(contentsOf: (0..<room / piece.count).flatMap { _ in piece }, at: part.lowerBound)
  }
}

extension SplitMix {
  mutating func isTrue(in cases: Int) -> Bool { Int.random(in: 0..<cases, using: &self) == 0 }

  mutating func element<Element>(of list: [Element]) -> Element? { list.randomElement(using: &self) }

  /// One mostly, seldom many.
  mutating func few() -> Int { [1, 1, 1, 2, 2, 3, 5].randomElement(using: &self) ?? 1 }

  /// How far a change reaches: a few bytes mostly.
  mutating func reach() -> Int { [1, 2, 4, 4, 8, 16, 64].randomElement(using: &self) ?? 1 }

  /// Numbers at which something ends.
  mutating func number() -> String {
    let ends = [
      "0", "1", "-1", "2", "7", "12", "23", "24", "28", "29", "31", "53", "59", "60", "99", "100", "255",
      "256", "365",
      "366", "1000", "4096", "9999", "10000", "65535", "65536", "86399", "86400", "2147483647", "2147483648",
      "4294967296", "3155760000", "253402300799", "253402300800", "9007199254740991", "9007199254740993",
      "9223372036854775807", "-9223372036854775808", "9223372036854775808", "18446744073709551616", "1e308",
      "1e309",
      "-1e-400", "0.1", "1.5", "0.0005", "00", "1e3",
    ]
    return isTrue(in: 4)
      ? String(Int.random(in: -100...100_000, using: &self)) : ends.randomElement(using: &self) ?? "0"
  }

  mutating func byte(_ form: FuzzTarget.Form) -> UInt8 {
    if form == .binary || isTrue(in: 8) { return UInt8.random(in: 0...255, using: &self) }
    return UInt8.random(in: 0x20...0x7E, using: &self)
  }

  /// JSON text with some of its characters written as escapes.
  mutating func spelledOtherwise(_ bytes: [UInt8]) -> [UInt8] {
    guard let place = bytes.indices.randomElement(using: &self), bytes[place].isLetter else { return bytes }
    let escape = "\\u00" + String(bytes[place], radix: 16)
    return bytes[..<place] + Array(escape.utf8) + bytes[(place + 1)...]
  }
}

extension UInt8 {
  fileprivate var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }
}
