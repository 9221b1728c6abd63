import CarillonModel

extension FuzzTarget {
  static let time = FuzzTarget(
    "time", "times, as text and as numbers of JSON", longest: 256,
    seeds: [
      "2026-12-24T18:00", "2026-12-24T18:00:00+01:00", "2026-12-24 18:00:00.123456789Z",
      "2026-06-30T23:59:60Z",
      "2026-07-01T01:59:60+02:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z",
      "9999-12-31T23:59:59.999-00:00",
      "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:60-23:59", "2024-02-29T00:00", "2023-02-29T00:00",
      "1796144400",
      "-62135596800", "253402300799.999", "253402300799.9999", "1796144400000", "1e10", "-0",
      "2026-12-24T24:00",
      "\"2026-12-24T18:00\"", "2026-12-24t18:00z", "0000-01-01T00:00:00Z", "253402300799.9995",
    ],
    words: [
      "T", "t", "Z", "z", "-", "+", ":", ".", "+01:00", "-23:59", "+23:59", "-00:00", ":60", "0001", "9999",
      "0000",
      "12-31", "06-30", "02-29", "23:59:60", "00:00", "24", "\"", "1e9", "253402300800", "-62135596801",
    ]
  ) { input throws(Violation) in
    let text = text(input)
    let asJSON = (try? JSON(parsing: input)) ?? .string(text)
    return [
      try verdict(on: { () throws(Refusal) in try WrittenTime(parsing: text) }),
      try verdict(on: { () throws(Refusal) in try WrittenTime.read(asJSON, at: "trigger.at") }),
    ].contains(.taken) ? .taken : .refused
  }

  private static func verdict(on read: () throws(Refusal) -> WrittenTime) throws(Violation) -> Verdict {
    let time: WrittenTime
    do throws(Refusal) { time = try read() } catch {
      try demandSound(error)
      return .refused
    }
    let again = try? WrittenTime(parsing: time.description)
    try demand(again == time, "\(time) is read as \(String(describing: again))")
    for zone in zones {
      let instant = zone.instant(of: time)
      if case .instant(let given) = time { try demand(instant == given, "\(given) moves to \(instant)") }
      // A year before the first and after the last one is no text of RFC 3339, but what a zone makes of one is shown.
      try demand(!zone.timestamp(instant).isEmpty, "nothing is shown of \(instant)")
    }
    return .taken
  }
}
