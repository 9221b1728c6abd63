import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import FoundationEssentials
import Testing

/// A place on a date, and when the sun's events are by another implementation.
private struct SunReference {
  var location: SunLocation
  var zone: String
  var date: CivilDate
  /// `nil`: it does not happen; left out: nobody can say.
  var times: [SunEvent: WallTime?] = [:]

  init?(_ line: Substring) {
    let parts = line.split(separator: "|")
    let place = parts[0].split(separator: " ").compactMap { Double($0) }
    let day = parts[2].split(separator: "-").compactMap { Int($0) }
    guard let location = try? SunLocation(latitude: place[0], longitude: place[1]),
      let date = CivilDate(year: day[0], month: day[1], day: day[2])
    else { return nil }
    (self.location, zone, self.date) = (location, String(parts[1]), date)
    for (event, text) in zip(
      [.dawn, .sunrise, .noon, .sunset, .dusk] as [SunEvent], parts[3].split(separator: " "))
    where text != "?" {
      let time = Double(text).map {
        WallTime(seconds: Int64(date.daysSinceEpoch) * 86_400 + 43_200 + Int64($0 * 60))
      }
      times.updateValue(time, forKey: event)
    }
  }

  static func all() throws -> [SunReference] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Reference/sun.txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap(SunReference.init)
  }

  /// Both implementations keep to the same definition; their formulae differ by seconds, and near the poles, where the sun
  /// runs along the horizon, by a minute or two.
  static let tolerance: Int64 = 120

  func differences(shift: Int64 = 0) throws -> [String] {
    let zone = try installed(zone)
    return try times.compactMap { event, expected in
      let rule = try SunRule(event, at: location)
      let found = rule.time(on: date, in: zone)
      if found == nil, expected == nil { return nil }
      if let found, let expected, abs(found.seconds + shift - expected.seconds) <= SunReference.tolerance {
        return nil
      }
      let texts = [found, expected].map { $0.map { zone.timestamp($0) } ?? "none" }
      return "\(event) on \(date) at \(location.latitude): \(texts[0]), not \(texts[1])"
    }
  }
}

struct SunRuleTests {
  @Test func `The sun rises and sets when another implementation says`() throws {
    let references = try SunReference.all()
    #expect(references.count > 1500)
    let differences = try references.flatMap { try $0.differences() }
    #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(20).joined(separator: "\n"))")
  }

  @Test func `The comparison finds an error of five minutes`() throws {
    for reference in try SunReference.all().prefix(50) {
      let happening = reference.times.values.count { $0 != nil }
      #expect(try reference.differences(shift: 300).count == happening)
      #expect(try reference.differences(shift: -300).count == happening)
    }
  }

  private static let berlin = Result { try SunLocation(latitude: 52.5, longitude: 13.4) }
  private static let tromso = Result { try SunLocation(latitude: 69.65, longitude: 18.96) }

  @Test func `A weekday and an offset move nothing else`() throws {
    let plain = try SunRule(.sunset, at: try Self.berlin.get())
    let early = try SunRule(.sunset, at: try Self.berlin.get(), offset: .seconds(-1800), weekdays: [.friday])
    let (start, zone) = (try instant("2027-06-01T12:00:00Z"), try installed("Europe/Berlin"))
    let sunsets = plain.upcoming(30, after: start.milliseconds, in: zone).map(\.due)
    let firings = early.upcoming(4, after: start.milliseconds, in: zone).map(\.due)
    #expect(firings == [3, 10, 17, 24].map { sunsets[$0] - 1_800_000 })
    #expect(
      try early.firings(1, after: "2027-06-01T12:00:00Z", in: "Europe/Berlin")[0].hasPrefix("2027-06-04T20:5")
    )
  }

  @Test func `A sunset after midnight belongs to the day before`() throws {
    let place = try SunLocation(latitude: 64.15, longitude: -21.94)
    let rule = try SunRule(.sunset, at: place, weekdays: [.monday])
    // 2027-06-21 is a Monday.
    let firings = try rule.firings(1, after: "2027-06-21T12:00:00Z", in: "Atlantic/Reykjavik")
    #expect(firings[0].hasPrefix("2027-06-22T00:0"))
  }

  @Test func `Polar day and polar night pass without an occurrence`() throws {
    let rule = try SunRule(.sunrise, at: try Self.tromso.get())
    let zone = try installed("Europe/Oslo")
    let dark = try #require(CivilDate(year: 2027, month: 12, day: 21))
    #expect(rule.time(on: dark, in: zone) == nil)
    #expect(rule.whyNever == nil)
    #expect(try rule.firings(1, after: "2027-12-01T00:00:00Z", in: "Europe/Oslo")[0].hasPrefix("2028-01-1"))
    #expect(try rule.firings(1, after: "2027-05-25T00:00:00Z", in: "Europe/Oslo")[0].hasPrefix("2027-07-2"))
    let noon = try SunRule(.noon, at: try Self.tromso.get())
    #expect(
      try noon.firings(1, after: "2027-12-21T00:00:00Z", in: "Europe/Oslo")[0].hasPrefix("2027-12-21T11:4"))
  }

  @Test(arguments: [90.0, -90, 89.999])
  func `At a pole the search comes to an end`(latitude: Double) throws {
    for event in SunEvent.allCases {
      let rule = try SunRule(event, at: try SunLocation(latitude: latitude, longitude: 0))
      let elapsed = try processorTime {
        let next = rule.next(after: try instant("2027-04-01T00:00:00Z"), in: .utc)
        #expect((next != nil) == (rule.whyNever == nil))
      }
      #expect(elapsed < Sanitizer.allowing(.milliseconds(200)))
    }
    #expect(try SunRule(.noon, at: try SunLocation(latitude: latitude, longitude: 0)).whyNever == nil)
  }

  @Test func `The date line leaves out a day that a zone leaves out`() throws {
    let apia = try SunLocation(latitude: -13.83, longitude: -171.76)
    let rule = try SunRule(.noon, at: apia)
    let noons = try rule.firings(3, after: "2011-12-29T00:00:00Z", in: "Pacific/Apia").map { $0.prefix(10) }
    #expect(noons == ["2011-12-29", "2011-12-31", "2012-01-01"])
    let missing = try #require(CivilDate(year: 2011, month: 12, day: 30))
    #expect(rule.time(on: missing, in: try installed("Pacific/Apia")) == nil)
  }

  @Test func `The next one is always later, and counting counts the same`() throws {
    let zone = try installed("Pacific/Chatham")
    for latitude in [-70.0, -43.95, 0, 52.5, 61, 67, 78] {
      for event in SunEvent.allCases {
        for weekdays in [nil, [.sunday, .tuesday] as Set<Weekday>] {
          let place = try SunLocation(latitude: latitude, longitude: -176.56)
          let rule = try SunRule(event, at: place, offset: .seconds(3600), weekdays: weekdays)
          let start = try instant("2027-04-20T03:04:05Z")
          var time = start
          for number in 1...25 {
            guard let next = rule.next(after: time, in: zone) else { break }
            try #require(next > time)
            try #require(rule.next(after: next - .milliseconds(1), in: zone) == next)
            try #require(rule.count(after: start, through: next, in: zone) == Int64(number))
            try #require(
              rule.count(after: start, through: next - .milliseconds(1), in: zone) == Int64(number - 1))
            time = next
          }
        }
      }
    }
  }

  @Test func `Fifty years are counted without walking over them`() throws {
    let rule = try SunRule(.sunset, at: try Self.tromso.get(), weekdays: [.monday])
    let zone = try installed("Europe/Oslo")
    let (start, end) = (try instant("1970-01-01T00:00:00Z"), try instant("2027-01-01T00:00:00Z"))
    let elapsed = processorTime { #expect(rule.count(after: start, through: end, in: zone) > 2000) }
    #expect(elapsed < Sanitizer.allowing(.milliseconds(500)))
  }

  @Test func `Times at the ends of the axis have no next, or one`() throws {
    let rule = try SunRule(.dawn, at: try Self.berlin.get())
    #expect(rule.next(after: WallTime(milliseconds: .max), in: .utc) == nil)
    #expect(rule.next(after: WallTime(milliseconds: .min), in: .utc) != nil)
    #expect(
      rule.count(after: WallTime(milliseconds: .min), through: WallTime(milliseconds: .max), in: .utc) > 0)
  }

  @Test func `Places and offsets that cannot be are refused`() throws {
    #expect(throws: Refusal.self) { try SunLocation(latitude: 90.1, longitude: 0) }
    #expect(throws: Refusal.self) { try SunLocation(latitude: .nan, longitude: 0) }
    #expect(throws: Refusal.self) { try SunLocation(latitude: 0, longitude: -181) }
    let berlin = try Self.berlin.get()
    #expect(throws: Refusal.self) { try SunRule(.noon, at: berlin, offset: .seconds(86_401)) }
    #expect(try SunRule(.noon, at: berlin, weekdays: []).whyNever != nil)
  }
}
