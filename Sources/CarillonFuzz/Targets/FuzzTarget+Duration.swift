import CarillonModel

extension FuzzTarget {
  static let duration = FuzzTarget(
    "duration", "durations, as text and as numbers of JSON", longest: 256,
    seeds: [
      "90s", "30m", "1h30m", "2d", "1w", "1w2d3h4m5.678s", "0:01:30", "999999:59:59.9995", "PT30M",
      "P1DT2H3.5S", "P2W",
      "90", "-90", "1.5", "1e3", "1E-9", "0", "-0", "0.0004", "0.0005s", "3155760000", "3155760000.001",
      "36525d",
      "1e999", "00:00:00", "P", "PT", "P1Y", "\"90s\"", "1,5h", "-PT1S", "+30m",
    ],
    words: [
      "w", "d", "h", "m", "s", "P", "T", "PT", ":", ".", ",", "-", "+", "e", "E+", "9223372036854775807",
      "9223372036854775808", "0000000000", "999999999", "3155760000", "1e308", "NaN", "Infinity", "null",
      "\"",
    ]
  ) { input throws(Violation) in
    let text = text(input)
    let asJSON = (try? JSON(parsing: input)) ?? .string(text)
    return [
      try verdict(on: { () throws(Refusal) in try Duration(parsing: text, allowingZero: true) }),
      try verdict(on: { () throws(Refusal) in try Duration.read(asJSON, at: "expires") }),
    ].contains(.taken) ? .taken : .refused
  }

  private static func verdict(on read: () throws(Refusal) -> Duration) throws(Violation) -> Verdict {
    let duration: Duration
    do throws(Refusal) { duration = try read() } catch {
      try demandSound(error)
      return .refused
    }
    try demand(duration >= .zero && duration <= .longestWritten, "\(duration) is out of range")
    try demand(duration == .milliseconds(duration.milliseconds), "\(duration) is not whole milliseconds")
    let again = try? Duration(parsing: duration.written, allowingZero: true)
    try demand(
      again == duration, "\(duration) is written \(duration.written) and read as \(String(describing: again))"
    )
    return .taken
  }
}
