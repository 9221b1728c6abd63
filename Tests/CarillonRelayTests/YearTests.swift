import CarillonModel
import CarillonTestSupport
import CarillonTime
import FoundationEssentials
import Testing

@testable import CarillonRelay

/// A relay that lives through a year with a thousand requests, compared with what `Tests/Reference/year.py` finds.
@Suite struct YearTests {
  private static func lines() throws -> [ReferenceRule] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Reference/year.txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().compactMap(
      ReferenceRule.init)
  }

  /// What a year of 366 days and an hour may bring; the year of the file is over before.
  private static let end: Int64 = 1_830_297_600

  @Test(.timeLimit(.minutes(3)))
  func `A year with a thousand requests fires exactly what other implementations say`() throws {
    let lines = try YearTests.lines()
    try #require(lines.count == 1000)
    let start = try #require(lines.first?.start)
    // The clocks of the file's own release, whatever is installed.
    let folder = try TemporaryDirectory(inMemory: true)
    try ReferenceZones.committed.get().install(in: folder)
    let bench = try RelayBench(at: start * 1000, zones: ZoneDatabase(directory: folder.path))
    var batch: [String] = []
    for (number, line) in lines.enumerated() {
      batch.append(
        #"{"id":"\#(number)","title":"t","to":"d","timezone":"\#(line.zone)","trigger":\#(line.rule)}"#)
    }
    for slice in stride(from: 0, to: batch.count, by: 100) {
      try bench.send("[" + batch[slice..<slice + 100].joined(separator: ",") + "]")
    }
    #expect(bench.queue.counters.pending == 1000)
    bench.advance((YearTests.end - start) * 1000)
    var fired: [String: [Int64]] = [:]
    for sent in bench.sent {
      #expect(!sent.late)
      fired[sent.id, default: []].append(sent.at)
    }
    var differing = 0
    for (number, line) in lines.enumerated() {
      let found = fired["\(number)"] ?? []
      guard found != line.firings.map({ $0 * 1000 }) else { continue }
      differing += 1
      if differing <= 5 {
        let texts = [found, line.firings.map { $0 * 1000 }].map { list in
          list.map { timestamp(utc: WallTime(milliseconds: $0), milliseconds: false) }.joined(separator: " ")
        }
        Issue.record("\(line.rule) in \(line.zone):\n  \(texts[0])\n  not \(texts[1])")
      }
    }
    #expect(differing == 0)
    // One after another, whoever asked for it.
    #expect(bench.sent.map(\.at) == bench.sent.map(\.at).sorted())
    #expect(Set(bench.sent.map(\.delivery)).count == bench.sent.count)
  }
}
