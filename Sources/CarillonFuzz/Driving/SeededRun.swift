import CarillonTestSupport

/// Many inputs of one target, made by a generator: the same ones for the same seed.
public struct SeededRun {
  /// An input with which something is wrong, and what.
  public struct Finding: Sendable, CustomStringConvertible {
    public let input: [UInt8]
    public let what: String

    public var description: String {
      "\(what), for \(String(decoding: input.prefix(400), as: UTF8.self).debugDescription)"
    }
  }

  /// How many inputs were taken, and how many refused.
  public private(set) var (taken, refused) = (0, 0)
  /// The longest that one input took, and that one.
  public private(set) var slowest = (time: Duration.zero, input: [UInt8]())
  /// In bytes, after the first thousand inputs and the most that was seen then.
  public private(set) var memory = (begin: 0, most: 0)
  /// The first one; the run ends with it.
  public private(set) var finding: Finding?

  private let target: FuzzTarget
  private let slow: Duration
  private let growth: Int
  private let box: BlackBox?
  private var maker: InputMaker
  private var random: SplitMix

  /// - Parameters:
  ///   - slow: from what processor time on an input counts as a hang.
  ///   - growth: by how much the process may grow meanwhile, in bytes.
  ///   - box: where each input is noted before it is read.
  public init(
    _ target: FuzzTarget, seed: UInt64, slow: Duration = .milliseconds(100), growth: Int = 64 << 20,
    box: BlackBox? = nil
  ) {
    self.target = target
    self.slow = slow
    self.growth = growth
    self.box = box
    maker = InputMaker(target)
    random = SplitMix(seed: seed)
  }

  /// Goes on for so many inputs, or until something is found. All seeds come first.
  public mutating func run(_ count: Int) {
    for number in taken + refused..<taken + refused + count {
      let input = number < target.seeds.count ? target.seeds[number] : maker.input(using: &random)
      box?.note(input)
      read(input)
      if number == 1000 { memory = (residentMemory(), 0) }
      if number % 4096 == 0, number > 1000 { look() }
      if finding != nil { return }
    }
    box?.clear()
  }

  private mutating func read(_ input: [UInt8]) {
    let start = processorTime()
    let verdict: FuzzTarget.Verdict
    do throws(Violation) { verdict = try target.verdict(on: input) } catch {
      finding = Finding(input: input, what: error.description)
      return
    }
    let time = processorTime() - start
    if time > slowest.time { slowest = (time, input) }
    if time > slow, isSlow(input) { finding = Finding(input: input, what: "it takes \(time)") }
    switch verdict {
    case .taken:
      taken += 1
      maker.learn(input)
    case .refused: refused += 1
    }
  }

  /// Whether it takes long again: the first time a page may have had to be fetched.
  private func isSlow(_ input: [UInt8]) -> Bool {
    let start = processorTime()
    _ = try? target.verdict(on: input)
    return processorTime() - start > slow
  }

  private mutating func look() {
    memory.most = max(memory.most, residentMemory())
    if memory.most > memory.begin + growth {
      finding = Finding(input: [], what: "memory has grown from \(memory.begin) to \(memory.most) bytes")
    }
  }
}
