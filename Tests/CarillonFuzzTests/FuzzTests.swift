import CarillonFuzz
import CarillonTestSupport
import Testing

/// The fuzzers' targets under some inputs of their generator, the same in every run. `deploy/fuzz` goes on where this ends.
@Suite struct FuzzTests {
  /// A debug build takes some ten times as long as the program that is installed.
  static let slow = Sanitizer.allowing(.seconds(1))

  @Test(arguments: FuzzTarget.all) func whateverComesInIsTakenOrRefusedAndNothingElseHappens(
    _ target: FuzzTarget
  ) {
    var run = SeededRun(target, seed: 1, slow: FuzzTests.slow, growth: .max)
    run.run(1500)
    #expect(run.finding == nil)
    // Inputs of which all are refused, or none, would show little.
    #expect(run.taken > 100)
    #expect(run.refused > 100)
  }

  /// What was found once, each input as it was found.
  @Test(arguments: KnownInput.all) func whatWasFoundOnceHolds(_ known: KnownInput) throws {
    let target = try #require(FuzzTarget.all.first { $0.name == known.target })
    var run = SeededRun(known.only(target), seed: 0, slow: FuzzTests.slow, growth: .max)
    run.run(1)
    #expect(run.finding == nil)
  }

  @Test func aSeedMakesTheSameInputsAgain() throws {
    let target = try #require(FuzzTarget.all.first { $0.name == "command" })
    var (one, other, third) = (Recorder(target), Recorder(target), Recorder(target))
    #expect(one.inputs(seed: 5) == other.inputs(seed: 5))
    #expect(one.inputs(seed: 6) != third.inputs(seed: 7))
  }

  @Test func aBrokenPropertyIsFoundWithItsInput() throws {
    let target = FuzzTarget("x", "x", longest: 100, seeds: ["ab", "abcd", "abc"]) { input throws(Violation) in
      if input.count == 4 { throw Violation("four") }
      return .taken
    }
    var run = SeededRun(target, seed: 1)
    run.run(100)
    let finding = try #require(run.finding)
    #expect(finding.input == Array("abcd".utf8))
    #expect(finding.what == "four")
    #expect(run.taken == 1)
  }

  @Test func aSlowInputIsFound() throws {
    let target = FuzzTarget("x", "x", longest: 100, seeds: ["a", "slow"]) { input throws(Violation) in
      var sum: UInt64 = 0
      if input == Array("slow".utf8) {
        for number in 0..<3_000_000 as Range<UInt64> { sum = sum &* 31 &+ number }
      }
      return sum == 1 ? .refused : .taken
    }
    var run = SeededRun(target, seed: 1, slow: .microseconds(200))
    run.run(2)
    #expect(run.finding?.input == Array("slow".utf8))
  }

  @Test func memoryThatIsNotGivenBackIsFound() {
    let kept = Kept()
    let target = FuzzTarget("x", "x", longest: 100, seeds: ["a"]) { _ throws(Violation) in
      kept.grow()
      return .taken
    }
    var run = SeededRun(target, seed: 1, growth: 8 << 20)
    run.run(5000)
    #expect(run.finding?.what.hasPrefix("memory has grown") == true)
  }
}

/// The inputs that a target is given.
private struct Recorder {
  let target: FuzzTarget

  init(_ target: FuzzTarget) { self.target = target }

  mutating func inputs(seed: UInt64) -> [[UInt8]] {
    let seen = Kept()
    let recording = FuzzTarget(
      target.name, "", form: target.form, longest: 1000, seeds: target.seeds, words: target.words
    ) {
      input throws(Violation) in
      seen.keep(input)
      return .taken
    }
    var run = SeededRun(recording, seed: seed, slow: .seconds(100), growth: .max)
    run.run(300)
    return seen.inputs
  }
}
