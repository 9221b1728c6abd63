import CarillonModel
import CarillonTestSupport
import FoundationEssentials
import Testing

@testable import CarillonTime

struct TZifTests {
  static let samples = ["Europe/Berlin", "Etc/UTC", "Asia/Tokyo", "Africa/Casablanca", "Australia/Lord_Howe"]

  private func file(_ name: String) throws -> [UInt8] {
    try #require(ZoneFolder.contents(of: ZoneDatabase.systemDirectory + "/" + name))
  }

  /// Uses everything that a zone offers, at instants from all over the axis.
  private func exercise(_ zone: Zone) {
    for exponent in 0..<63 {
      for milliseconds in [Int64(1) << exponent, -(Int64(1) << exponent)] {
        let time = WallTime(milliseconds: milliseconds)
        _ = zone.timestamp(time)
        _ = zone.resolve(CivilTime(utc: time))
        if let next = zone.nextTransition(after: time) { #expect(next > time) }
      }
    }
  }

  @Test(arguments: samples)
  func `A file that ends too early is refused, wherever it ends`(name: String) throws {
    let bytes = try file(name)
    _ = try Zone(name: name, tzif: bytes)
    for length in 0..<bytes.count {
      #expect(throws: ZoneFault.self) { try Zone(name: name, tzif: Array(bytes[..<length])) }
    }
  }

  @Test(arguments: samples)
  func `A damaged file is refused or read, but never traps`(name: String) throws {
    let bytes = try file(name)
    var random = SplitMix(seed: 5)
    for _ in 0..<300 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        damaged[place] =
          [0, 0xFF, 0x7F, 0x80, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      }
      if let zone = try? Zone(name: name, tzif: damaged) { exercise(zone) }
    }
  }

  @Test func `Bytes that are no zone are refused as such`() {
    for bytes in [[], Array("TZif".utf8), Array("#!/bin/sh\n".utf8), [UInt8](repeating: 0xFF, count: 4096)] {
      #expect(throws: ZoneFault.notTZif) { try Zone(name: "x", tzif: bytes) }
    }
  }

  /// A block with the given counts and body.
  private func block(version: UInt8, counts: [UInt32] = [0, 0, 0, 0, 1, 4], _ body: [UInt8]) -> [UInt8] {
    Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
      + counts.flatMap { count in (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * UInt32($0))) } }
      + body
  }

  private let hour: [UInt8] = [0, 0, 0x0E, 0x10, 0, 0] + Array("XST\u{0}".utf8)

  @Test(arguments: [0, UInt8(ascii: "2"), UInt8(ascii: "3"), UInt8(ascii: "4")])
  func `Every version is read`(version: UInt8) throws {
    let footer = version == 0 ? [] : block(version: version, hour) + Array("\n<+01>-1\n".utf8)
    let zone = try Zone(name: "X", tzif: block(version: version, hour) + footer)
    let offset = zone.offset(at: WallTime(milliseconds: 0))
    #expect(offset.seconds == 3600)
    #expect(offset.abbreviation == (version == 0 ? "XST" : "+01"))
    exercise(zone)
  }

  @Test func `Without a rule the last offset holds`() throws {
    let zone = try Zone(
      name: "X", tzif: block(version: 50, hour) + block(version: 50, hour) + Array("\n\n".utf8))
    #expect(zone.offset(at: WallTime(milliseconds: .max)).abbreviation == "XST")
    #expect(zone.nextTransition(after: WallTime(milliseconds: 0)) == nil)
  }

  @Test(arguments: [
    [UInt32.max, 0, 0, 0, 1, 4], [0, .max, 0, 0, 1, 4], [0, 0, .max, 0, 1, 4], [0, 0, 0, .max, 1, 4],
    [0, 0, 0, 0, .max, 4],
    [0, 0, 0, 0, 1, .max], [.max, .max, .max, .max, .max, .max], [0, 0, 0, 0, 0, 4], [0, 0, 1, 0, 1, 4],
    [0, 0, 0, 0, 1, 0],
    [0, 0, 0, 0, 1, 3],
  ])
  func `Counts that the file does not hold are refused`(counts: [UInt32]) {
    for version in [UInt8(0), 50] {
      let bytes =
        block(version: version, counts: counts, hour) + block(version: version, counts: counts, hour)
      #expect(throws: ZoneFault.self) { try Zone(name: "X", tzif: bytes + Array("\nXST-1\n".utf8)) }
    }
  }

  @Test
  func `Transitions out of order, offsets that are not there and times that no region keeps are refused`() {
    func one(_ bytes: [UInt8], transitions: UInt32 = 0) -> [UInt8] {
      block(version: 0, counts: [0, 0, 0, transitions, 1, 4], bytes)
    }
    let twice: [UInt8] = [0, 0, 0, 9, 0, 0, 0, 9, 0, 0]
    #expect(throws: ZoneFault.damaged("transitions out of order")) {
      try Zone(name: "X", tzif: one(twice + hour, transitions: 2))
    }
    let beyond: [UInt8] = [0, 0, 0, 9, 1]
    #expect(throws: ZoneFault.damaged("offset of a transition")) {
      try Zone(name: "X", tzif: one(beyond + hour, transitions: 1))
    }
    let far: [UInt8] = [0x7F, 0xFF, 0xFF, 0xFF, 0, 0] + Array("XST\u{0}".utf8)
    #expect(throws: ZoneFault.damaged("offset out of range")) { try Zone(name: "X", tzif: one(far)) }
  }

  @Test func `A table that counts leap seconds is refused`() throws {
    let bytes = block(version: 0, counts: [0, 0, 1, 0, 1, 4], hour + [4, 0xB2, 0x58, 0, 0, 0, 0, 1])
    #expect(throws: ZoneFault.leapSeconds) { try Zone(name: "X", tzif: bytes) }
  }

  @Test func `Every installed zone is read`() throws {
    let database = ZoneDatabase(directory: ZoneDatabase.systemDirectory)
    let names = database.allNames()
    #expect(names.count > 400)
    for name in names { _ = try database.zone(named: name) }
  }
}
