import CarillonTestSupport
import Testing

/// The walk over fault points knows all of them.
@Suite struct FaultPlaceTests {
  @Test func everyFaultPointIsInTheWalk() throws {
    var named = Set<String>()
    for (file, code) in Repository.sources where !file.hasPrefix("Sources/CarillonLoop/") {
      guard code.lines.contains(where: { $0.contains("FaultPoint.reached(") }) else { continue }
      for line in try Repository.lines(file) {
        let parts = line.split(separator: "\"")
        if parts.count > 1, parts[0].hasSuffix("FaultPoint.reached(") { named.insert(String(parts[1])) }
      }
    }
    #expect(named == Set(FaultPlace.allCases.map(\.rawValue)))
  }
}
