import CarillonModel

extension CronRule {
  /// Reads an expression: five fields, or `@hourly`, `@daily`, `@midnight`, `@weekly`, `@monthly`, `@yearly`, `@annually`.
  ///
  /// `N/STEP`, which Debian's cron refuses, is read as `N-LAST/STEP`, as cronie and most others do.
  /// - Throws: what is wrong and where. An expression that can be read but never fires is not an error here; see `whyNever`.
  public init(parsing text: String) throws(TextFault) {
    let bytes = Array(text.utf8)
    guard bytes.count <= CronRule.longest else {
      throw TextFault(0..<bytes.count, "a cron expression has at most \(CronRule.longest) bytes")
    }
    let words = CronRule.words(bytes)
    if let first = words.first, bytes[first.lowerBound] == UInt8(ascii: "@") {
      try self.init(nickname: first, rest: words.dropFirst(), bytes)
    } else {
      try self.init(fields: words, bytes)
    }
  }

  /// Debian's cron takes fields of at most 1,000 bytes; no expression that means something comes near that.
  static let longest = 1000

  private init(fields words: [Range<Int>], _ bytes: [UInt8]) throws(TextFault) {
    if let first = words.first, bytes[first].contains(UInt8(ascii: "=")) {
      throw TextFault(first, "a cron expression sets no variables; the zone of a request is its timezone")
    }
    let fields = CronField.all
    guard words.count >= fields.count else {
      let missing = fields[words.count...].map(\.name).joined(separator: ", ")
      throw TextFault(
        bytes.count..<bytes.count,
        "a cron expression has five fields; missing at the end: \(missing)")
    }
    guard words.count == fields.count else {
      throw TextFault(
        words[fields.count].lowerBound..<(words.last?.upperBound ?? bytes.count),
        "a cron expression has five fields (minute, hour, day of month, month, day of week), not \(words.count); it has none for seconds, years or commands"
      )
    }
    var sets: [CronSet] = []
    for (field, word) in zip(fields, words) { sets.append(try field.read(word, bytes)) }
    self.init(minute: sets[0], hour: sets[1], day: sets[2], month: sets[3], weekday: sets[4])
  }

  private init(minute: CronSet, hour: CronSet, day: CronSet, month: CronSet, weekday: CronSet) {
    var days = CivilDays()
    days.months = month.numbers
    days.days = day.numbers
    // Sunday is both 0 and 7.
    days.weekdays = UnitSet(weekday.numbers.numbers.map { $0 == 0 ? 7 : $0 })
    days.joinsByOr = !day.beginsWithStar && !weekday.beginsWithStar
    self.init(
      days: days,
      times: .matching(hours: hour.numbers, minutes: minute.numbers, seconds: .zero),
      mode: minute.beginsWithStar || hour.beginsWithStar ? .throughout : .fixed)
  }

  private init(nickname: Range<Int>, rest: ArraySlice<Range<Int>>, _ bytes: [UInt8]) throws(TextFault) {
    if let first = rest.first, let last = rest.last {
      throw TextFault(first.lowerBound..<last.upperBound, "nothing may follow a nickname")
    }
    let name = String(decoding: bytes[nickname], as: UTF8.self).lowercased()
    if name == "@reboot" {
      throw TextFault(nickname, "@reboot is no time; a start of the relay fires nothing")
    }
    guard let expression = CronRule.nicknames.first(where: { $0.name == name })?.expression else {
      let names = CronRule.nicknames.map(\.name)
      let near = nearest(to: name, among: names).map { "; did you mean \($0)?" } ?? ""
      throw TextFault(
        nickname, "\"\(printable(name))\" is none of \(names.joined(separator: " "))\(near)")
    }
    try self.init(parsing: expression)
  }

  /// crontab(5).
  static let nicknames: [(name: String, expression: String)] = [
    ("@hourly", "0 * * * *"), ("@daily", "0 0 * * *"), ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"), ("@monthly", "0 0 1 * *"), ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
  ]

  /// The runs of bytes between blanks.
  private static func words(_ bytes: [UInt8]) -> [Range<Int>] {
    bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }.map { $0.startIndex..<$0.endIndex }
  }
}
