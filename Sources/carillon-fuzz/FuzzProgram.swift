import CarillonFuzz
import Glibc

/// The program: finds the target, and feeds it.
enum FuzzProgram {
  /// The statuses of sysexits.h that are used here.
  private static let (done, found, usage): (Int32, Int32, Int32) = (0, 1, 64)

  /// - Parameter words: the command line without the program's name.
  /// - Returns: the exit status: 0, 1 where something was found, 64 for a wrong command line.
  static func run(_ words: [String]) -> Int32 {
    guard let first = words.first else {
      say(help)
      return usage
    }
    if ["help", "--help", "-h"].contains(first) {
      print(help)
      return done
    }
    if first == "list" {
      for target in FuzzTarget.all { print(target.name) }
      return done
    }
    guard let target = target(named: first) else {
      say("carillon-fuzz: there is no target \(first); carillon-fuzz help lists them")
      return usage
    }
    let rest = Array(words.dropFirst())
    if rest.first == "--seeds", rest.count == 2 { return writeSeeds(of: target, to: rest[1]) }
    if rest.first == "--read" { return read(rest.dropFirst(), target) }
    #if COVERAGE
      return Coverage.run()
    #else
      return seeded(target, rest)
    #endif
  }

  static func target(named name: String) -> FuzzTarget? { FuzzTarget.all.first { $0.name == name } }

  private static var help: String {
    let targets = FuzzTarget.all.map {
      "  " + $0.name + String(repeating: " ", count: 15 - $0.name.count) + $0.subject
    }
    return
      (["Usage: carillon-fuzz TARGET [INPUTS [SEED]]", "       carillon-fuzz TARGET --read FILE…", ""]
      + ["Targets", ""] + targets).joined(separator: "\n")
  }

  private static func seeded(_ target: FuzzTarget, _ words: [String]) -> Int32 {
    let numbers = words.compactMap { UInt64($0) }
    guard numbers.count == words.count, words.count <= 2 else {
      say(
        "carillon-fuzz: after the target come the number of inputs and a seed; carillon-fuzz help tells the rest"
      )
      return usage
    }
    let count = Int(clamping: numbers.first ?? 100_000)
    var run = SeededRun(target, seed: numbers.dropFirst().first ?? 1, box: BlackBox())
    let clock = ContinuousClock()
    let time = clock.measure { run.run(count) }
    let inputs = run.taken + run.refused
    print(
      "\(target.name): \(inputs) inputs, \(run.taken) taken, \(Int(Double(inputs) / max(time / .seconds(1), 0.001)))/s,",
      "slowest \(run.slowest.time), memory \(run.memory.begin >> 20) to \(run.memory.most >> 20) MB")
    guard let finding = run.finding else { return done }
    print("found: \(finding)")
    write(finding.input, to: "finding-\(target.name)")
    return found
  }

  /// Reads files as inputs, to see again what was found.
  private static func read(_ paths: ArraySlice<String>, _ target: FuzzTarget) -> Int32 {
    var status = done
    for path in paths {
      let start = ContinuousClock.now
      do throws(Violation) {
        let verdict = try target.verdict(on: bytes(of: path))
        print("\(path): \(verdict), \(ContinuousClock.now - start)")
      } catch {
        print("\(path): \(error)")
        status = found
      }
    }
    return status
  }

  /// Writes the seeds as a file each, and the words as a dictionary of libFuzzer's beside the folder.
  private static func writeSeeds(of target: FuzzTarget, to folder: String) -> Int32 {
    mkdir(folder, 0o755)
    for (index, seed) in target.seeds.enumerated() { write(seed, to: "\(folder)/seed-\(index)") }
    let words = target.words.map { word in
      "\"" + word.utf8.map { "\\x" + ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "\"\n"
    }
    write(Array(words.joined().utf8), to: folder + ".words")
    return done
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    _ = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
  }

  private static func bytes(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    return Array(bytes.prefix(max(count, 0)))
  }

  /// Talk goes to standard error; results alone to standard output.
  static func say(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { _ = Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
