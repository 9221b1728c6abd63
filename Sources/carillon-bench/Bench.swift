import CarillonTestSupport
import Glibc

/// The program: finds the measurement, reads its options, runs it.
enum Bench {
  static let measurements = [
    Intake.measurement, Immediate.measurement, Due.measurement, Sparse.measurement, Restart.measurement,
    Memory.measurement, Repeats.measurement, LinkResolving.measurement, Next.measurement, Rules.measurement,
    Recalculate.measurement, SoakProgram.measurement, Everything.measurement,
  ]

  /// The statuses of sysexits.h that are used here.
  private static let (done, failure, usage): (Int32, Int32, Int32) = (0, 1, 64)

  /// - Parameter words: the command line without the program's name.
  /// - Returns: the exit status: 0, 1 where a measurement could not be made, 64 for a wrong command line.
  static func run(_ words: [String]) -> Int32 {
    guard let first = words.first else {
      say(help)
      return usage
    }
    if ["help", "--help", "-h"].contains(first) {
      print(help)
      return done
    }
    guard let measurement = measurements.first(where: { $0.name == first }) else {
      say("carillon-bench: there is no measurement \(first); carillon-bench help lists them")
      return usage
    }
    do {
      let options = try Options(Array(words.dropFirst()), of: measurement)
      try measurement.run(options, Report(measurement.name, isJSON: options.isJSON))
      return done
    } catch let error as UsageError {
      say("carillon-bench \(measurement.name): \(error.message)")
      return usage
    } catch {
      say("carillon-bench \(measurement.name): \(error)")
      return failure
    }
  }

  static var help: String {
    let width = measurements.flatMap { [$0.name.count] + $0.options.map { $0.form.count + 2 } }.max() ?? 0
    func line(_ left: String, _ right: String) -> String {
      "  " + left + String(repeating: " ", count: width - left.count + 2) + right
    }
    var lines = ["Usage: carillon-bench MEASUREMENT [--json] [OPTION…]", "", "Measurements"]
    for measurement in measurements {
      lines.append(line(measurement.name, measurement.summary))
      for option in measurement.options { lines.append(line("  " + option.form, option.text)) }
    }
    lines += [
      "", "--json prints one JSON object a line. Build it as what it measures: swift build -c release.",
    ]
    return lines.joined(separator: "\n")
  }

  /// Talk goes to standard error; results alone to standard output.
  static func say(_ text: String) {
    var line = text + "\n"
    line.withUTF8 { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
