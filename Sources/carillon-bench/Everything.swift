/// A short run of each measurement.
enum Everything {
  static let measurement = Measurement(
    name: "all", summary: "A short run of everything, in a few minutes; targets hold for the long ones.",
    run: run)

  /// What could not be measured.
  private struct Failures: Error, CustomStringConvertible {
    var description: String
  }

  private static func run(_ options: Options, _ report: Report) throws {
    var failures: [String] = []
    for measurement in Bench.measurements {
      guard let short = measurement.short else { continue }
      Bench.say(measurement.name)
      do {
        try measurement.run(
          Options(of: measurement, short, isJSON: options.isJSON),
          Report(measurement.name, isJSON: options.isJSON))
      } catch let interruption as Interruption {
        throw interruption
      } catch {
        failures.append("\(measurement.name): \(error)")
      }
    }
    guard failures.isEmpty else { throw Failures(description: failures.joined(separator: "\n")) }
  }
}
