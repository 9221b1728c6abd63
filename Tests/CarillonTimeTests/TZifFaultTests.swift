import CarillonFuzz
import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonTime

/// What no compiled zone is, or a damaged one.
struct TZifFaultTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]

    static let all: [Sample] = {
      let installed = ["Etc/UTC", "Asia/Tokyo", "Europe/Berlin", "Africa/Casablanca"]
      return [
        Sample(testDescription: "rich", bytes: TZifFile.rich.bytes),
        Sample(testDescription: "version 1", bytes: TZifFile.old.bytes),
      ]
        + installed.map { name in
          let bytes = ZoneFolder.contents(of: ZoneDatabase.systemDirectory + "/" + name)
          return Sample(testDescription: name, bytes: bytes ?? [])
        }
    }()
  }

  @Test(arguments: Sample.all)
  func `A file that ends too early is refused, wherever it ends`(sample: Sample) throws {
    _ = try Zone(name: "X", tzif: sample.bytes)
    for length in sample.bytes.indices {
      #expect(throws: ZoneFault.self) { try Zone(name: "X", tzif: Array(sample.bytes[..<length])) }
    }
  }

  @Test func `Bytes that are no zone are refused as such`() {
    for bytes in [[], Array("TZif".utf8), Array("#!/bin/sh\n".utf8), [UInt8](repeating: 0xFF, count: 4096)] {
      #expect(throws: ZoneFault.notTZif) { try Zone(name: "X", tzif: bytes) }
    }
  }

  @Test(arguments: [1, 48, 49, 58, 255] as [UInt8])
  func `A version that cannot be is refused`(version: UInt8) {
    let bytes = TZifFile(version: version).bytes
    #expect(throws: ZoneFault.damaged("unknown version")) { try Zone(name: "X", tzif: bytes) }
  }

  @Test(arguments: [
    [UInt32.max, 0, 0, 0, 1, 4], [0, .max, 0, 0, 1, 4], [0, 0, .max, 0, 1, 4], [0, 0, 0, .max, 1, 4],
    [0, 0, 0, 0, .max, 4], [0, 0, 0, 0, 1, .max], [.max, .max, .max, .max, .max, .max], [0, 0, 0, 0, 0, 4],
    [0, 0, 1, 0, 1, 4], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 1, 3], [0, 0, 0, 0, 257, 4], [1, 0, 0, 0, 1, 4],
  ])
  func `Counts that the file does not hold are refused`(counts: [UInt32]) {
    let body = [0, 0, 0x0E, 0x10, 0, 0] + Array("XST\u{0}".utf8)
    for version in [UInt8(0), 50] {
      let block = TZifFile.header(version: version, counts: counts) + body
      let rest = version == 0 ? [] : block + Array("\nXST-1\n".utf8)
      #expect(throws: ZoneFault.self) { try Zone(name: "X", tzif: block + rest) }
    }
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var change: @Sendable (inout TZifFile) -> Void

    init(_ what: String, _ change: @escaping @Sendable (inout TZifFile) -> Void) {
      testDescription = what
      self.change = change
    }
  }

  @Test(arguments: [
    Fault("transitions out of order") { $0.transitions = [(9, 0), (8, 0)] },
    Fault("transitions out of order") { $0.transitions = [(9, 0), (9, 0)] },
    Fault("too many transitions") { $0.transitions = (0...10_000).map { (Int64($0), 0) } },
    Fault("offset of a transition") { $0.transitions = [(9, 3)] },
    Fault("number of offsets") { $0.kinds = [] },
    Fault("number of offsets") { $0.kinds = .init(repeating: .init(), count: 257) },
    Fault("offset out of range") { $0.kinds[0].seconds = .min },
    Fault("offset out of range") { $0.kinds[0].seconds = -90_000 },
    Fault("offset out of range") { $0.kinds[0].seconds = 93_600 },
    Fault("offset out of range") { $0.kinds[0].isDaylight = 2 },
    Fault("abbreviation without an end") { $0.kinds[0].abbreviation = 12 },
    Fault("abbreviation without an end") { $0.characters = "LMT\u{0}XST\u{0}XDT" },
    Fault("abbreviation") { $0.characters = "L T\u{0}XST\u{0}XDT\u{0}" },
    Fault("abbreviation") { $0.characters = "L\u{7F}T\u{0}XST\u{0}XDT\u{0}" },
    Fault("rule for the years to come") { $0.footer = "XST" },
    Fault("rule for the years to come") { $0.footer = "XST-1XDT" },
    Fault("rule for the years to come") { $0.footer = ":Europe/Berlin" },
    Fault("rule for the years to come") { $0.footer = "XST-1XDT,M3.5.0/168,M10.5.0/3" },
    Fault("rule for the years to come") { $0.footer = "XST-1XDT,M3.5.0,M10.5.0/3\u{0}" },
  ])
  func `What no zone can mean is refused, and said`(fault: Fault) {
    var file = TZifFile.rich
    fault.change(&file)
    #expect(throws: ZoneFault.damaged(fault.testDescription)) { try Zone(name: "X", tzif: file.bytes) }
  }

  @Test func `A footer without its line feeds is refused`() {
    let bytes = TZifFile(footer: "").bytes.dropLast(2)
    for end in ["", "\n", "XST-1", "\nXST-1", "XST-1\n"] {
      #expect(throws: ZoneFault.truncated) { try Zone(name: "X", tzif: bytes + Array(end.utf8)) }
    }
  }

  /// 20,000 in all.
  @Test(arguments: 0..<4)
  func `A damaged file is refused or read, but never traps or hangs`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var (read, refused) = (0, 0)
    for round in 0..<5000 {
      let sample = Sample.all[round % Sample.all.count].bytes
      guard let zone = try? Zone(name: "X", tzif: damaged(sample, using: &random)) else {
        refused += 1
        continue
      }
      read += 1
      if let problem = zone.problem(using: &random) {
        Issue.record("round \(round) of seed \(seed): \(problem)")
        return
      }
    }
    #expect(read > 500)
    #expect(refused > 500)
  }

  private func damaged(_ sample: [UInt8], using random: inout SplitMix) -> [UInt8] {
    var bytes = sample
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<12, using: &random) {
      case 0: bytes.removeLast(bytes.count - place)
      case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      case 2: bytes.remove(at: place)
      case 3:
        // The low byte of a count in the header.
        let count = min(23 + 4 * Int.random(in: 0..<6, using: &random), bytes.count - 1)
        bytes[count] = UInt8.random(in: 0...8, using: &random)
      case 4: for later in place..<bytes.count { bytes[later] = UInt8.random(in: 0...255, using: &random) }
      case 5: bytes[place] = [0, 0xFF, 0x7F, 0x80, 0x30].randomElement(using: &random) ?? 0
      default: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      }
      if bytes.isEmpty { return [0] }
    }
    return bytes
  }
}
