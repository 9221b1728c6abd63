import CarillonModel

extension CivilDays {
  /// Why no day of the calendar is in the set, as a sentence; `nil` where one is.
  var whyNever: String? {
    // A cycle of the calendar that begins before it can be written ends where it has come to itself again.
    if first(from: years == nil ? CivilDays.cycleStart : writableDays.lowerBound) != nil { return nil }
    return missingDay ?? missingPlace
  }

  /// 2000-01-01.
  private static let cycleStart = 10_957

  /// No month, in no year, has a day of that number.
  private var missingDay: String? {
    let leap = years?.contains(where: CivilDate.isLeap) ?? true
    let longest = months.numbers.map { CivilDate.days(in: $0, of: leap ? 2000 : 2001) }.max() ?? 0
    guard let least = days.first, least > longest else { return nil }
    let months = months.numbers.map { CivilDays.monthNames[$0 - 1] }
    // Common years have no 29 February; only then do the years matter.
    let within =
      least == 29 ? years.map { " in \(list($0.prefix(4).map(String.init), $0.count, "or"))" } ?? "" : ""
    if let month = months.first, months.count == 1, days.count == 1 {
      return "\(least) \(month) does not exist" + within
    }
    return "\(list(months, "and")) \(months.count == 1 ? "has" : "have") no day \(least)"
      + (days.count > 1 ? " or later" : "") + within
  }

  private var missingPlace: String {
    let numbers = days == .allDays ? "" : "day \(list(days.numbers.map(String.init), "or"))"
    let kinds = list(weekdays.numbers.map { CivilDays.weekdayNames[$0 - 1] }, "or")
    let places = list(
      nths.numbers.map(CivilDays.ordinal)
        + nthsFromEnd.numbers.map { $0 == 1 ? "last" : "\(CivilDays.ordinal($0)) to last" }, "or")
    let months =
      months == .allMonths ? "" : " of \(list(months.numbers.map { CivilDays.monthNames[$0 - 1] }, "or"))"
    let years = years.map { " in \(list($0.prefix(4).map(String.init), $0.count, "or"))" } ?? ""
    let named = places.isEmpty ? kinds : "the \(places) \(kinds)"
    return numbers.isEmpty
      ? "there is no \(places.isEmpty ? "" : places + " ")\(kinds)\(months)\(years)"
      : "\(numbers)\(months) is never \(named)\(years)"
  }

  static let monthNames = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
  ]
  static let weekdayNames = [
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
  ]

  private static func ordinal(_ number: Int) -> String {
    switch number {
    case 1: "1st"
    case 2: "2nd"
    case 3: "3rd"
    default: "\(number)th"
    }
  }
}

/// `a, b and c`.
private func list(_ words: [String], _ conjunction: String) -> String {
  guard let last = words.last, words.count > 1 else { return words.first ?? "" }
  return words.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
}

/// The same of a list that may be long: what is left out is said to be.
private func list(_ words: [String], _ count: Int, _ conjunction: String) -> String {
  count > words.count ? words.joined(separator: ", ") + " …" : list(words, conjunction)
}
