import CarillonModel
import Testing

struct CivilTimeTests {
  @Test(
    arguments: [
      (0, 1970, 1, 1, Weekday.thursday), (-1, 1969, 12, 31, .wednesday), (19_782, 2024, 2, 29, .thursday),
      (20_816, 2026, 12, 29, .tuesday), (47_540, 2100, 2, 28, .sunday), (47_541, 2100, 3, 1, .monday),
      (-719_162, 1, 1, 1, .monday), (2_932_896, 9999, 12, 31, .friday), (-719_528, 0, 1, 1, .saturday),
    ] as [(Int, Int, Int, Int, Weekday)])
  func `A day has its number and weekday`(days: Int, year: Int, month: Int, day: Int, weekday: Weekday) {
    let date = CivilDate(daysSinceEpoch: days)
    #expect(date == CivilDate(year: year, month: month, day: day))
    #expect(date.daysSinceEpoch == days)
    #expect(date.weekday == weekday)
  }

  @Test func `Days follow one another through the whole cycle of 400 years`() {
    var expected = (year: 1900, month: 1, day: 1)
    let first = -25_567
    for days in first..<(first + 146_097) {
      let date = CivilDate(daysSinceEpoch: days)
      guard (date.year, date.month, date.day) == expected, date.daysSinceEpoch == days,
        date.weekday == Weekday.allCases[(days - first) % 7]
      else {
        Issue.record("day \(days) is \(date)")
        return
      }
      expected.day += 1
      if expected.day > CivilDate.days(in: expected.month, of: expected.year) {
        expected = expected.month == 12 ? (expected.year + 1, 1, 1) : (expected.year, expected.month + 1, 1)
      }
    }
    #expect(expected == (2300, 1, 1))
  }

  @Test(arguments: [
    (2026, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (2026, 1, 0), (2100, 2, 29), (Int.max, 1, 1),
  ])
  func `A day that the calendar does not have cannot be made`(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test(arguments: [Int64.min, .min + 1, -1, 0, 1, 1_796_148_000_123, .max - 1, .max])
  func `An instant and its reading in UTC are the same thing`(milliseconds: Int64) {
    let time = WallTime(milliseconds: milliseconds)
    #expect(CivilTime(utc: time).utc == time)
  }

  @Test func `Sums at the ends of the axis stop there`() {
    let last = WallTime(milliseconds: .max)
    let first = WallTime(milliseconds: .min)
    #expect(last + .seconds(1) == last)
    #expect(first - .seconds(1) == first)
    #expect(first + .seconds(-1) == first)
    #expect((last - first).milliseconds == .max)
    #expect((first - last).milliseconds == .min)
    #expect(last + .milliseconds(Int64.min) == WallTime(milliseconds: -1))
    #expect(Int64.min.multipliedSaturated(by: -1) == .max)
    #expect(Int64.max.multipliedSaturated(by: -2) == .min)
    #expect(CivilDate(daysSinceEpoch: .max).adding(days: .max) == CivilDate(daysSinceEpoch: .max))
    #expect(CivilDate(daysSinceEpoch: .min).adding(days: .min) == CivilDate(daysSinceEpoch: .min))
  }
}
