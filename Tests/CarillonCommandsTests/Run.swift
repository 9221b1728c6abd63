import CarillonModel
import CarillonTestSupport

@testable import CarillonCommands

/// One command line run inside the test, with what it wrote.
struct Run {
  let status: Int32
  let output: [String]
  let errors: [String]

  /// What the next command line finds around it: no configuration, and a clock that stands still.
  struct Place {
    var environment: [String: String] = [:]
    var system = "/nonexistent/carillon"
    var input: [UInt8]?
    var now = WallTime(milliseconds: 1_796_137_200_000)  // 2026-12-01T15:00:00Z
    var outputTakes = true
    var program: String? = "/opt/carillon/bin/carillon"
  }

  init(_ arguments: String..., at place: Place = Place()) {
    self.init(arguments, at: place)
  }

  init(_ arguments: [String], at place: Place = Place()) {
    var written: [UInt8] = []
    var told: [UInt8] = []
    let console = Console { channel, bytes in
      if channel == .output { written += bytes } else { told += bytes }
      return channel == .errors || place.outputTakes
    }
    status = Carillon.run(
      arguments,
      in: Surroundings(
        environment: place.environment, console: console, systemConfiguration: place.system,
        now: { place.now },
        standardInput: { place.input }, program: { place.program }))
    output = Run.lines(written)
    errors = Run.lines(told)
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .map(String.init)
  }
}
