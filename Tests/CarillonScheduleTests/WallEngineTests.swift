import CarillonModel
import CarillonSchedule
import CarillonTestSupport
import CarillonTime
import Testing

/// The engine by itself, with sets of readings that no calendar or cron expression makes.
struct WallEngineTests {
  /// Readings that are listed, in seconds.
  struct Listed: WallReadings {
    var readings: [Int64]

    func first(from reading: Int64) -> Int64? { readings.first { $0 >= reading } }
    func count(in range: Range<Int64>) -> Int64 { Int64(readings.count(where: range.contains)) }
  }

  private func firings<Readings>(_ engine: WallEngine<Readings>, from time: WallTime, in zone: Zone)
    -> [WallTime]
  {
    var found: [WallTime] = []
    var last = time
    while found.count < 40, let next = engine.next(after: last, in: zone) {
      found.append(next)
      last = next
    }
    return found
  }

  @Test(arguments: [WallMode.fixed, .throughout])
  func `A list of times is what their hours and minutes make`(_ mode: WallMode) throws {
    let listed = TimesOfDay([7200, 0, 9000, 1800, 5400, 3600, 86_400, -1, 0])
    let matching = TimesOfDay.matching(
      hours: UnitSet(0...2), minutes: UnitSet([0, 30]), seconds: .zero)
    for name in ["Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "America/Nuuk"] {
      let zone = try installed(name)
      for start in ["2011-12-28T00:00:00Z", "2027-03-26T00:00:00Z", "2027-10-29T00:00:00Z"] {
        let time = try instant(start)
        let one = WallEngine(DayTimes(days: CivilDays(), times: listed), mode)
        let other = WallEngine(DayTimes(days: CivilDays(), times: matching), mode)
        let expected = firings(other, from: time, in: zone)
        #expect(firings(one, from: time, in: zone) == expected)
        for (index, end) in expected.enumerated() {
          #expect(one.count(after: time, through: end, in: zone) == Int64(index + 1))
        }
      }
    }
  }

  @Test(arguments: [WallMode.fixed, .throughout])
  func `Sets of no readings, and of one, come to an end`(_ mode: WallMode) throws {
    let zone = try installed("Africa/El_Aaiun")
    let none = WallEngine(Listed(readings: []), mode)
    #expect(none.next(after: WallTime(milliseconds: 0), in: zone) == nil)
    #expect(
      none.count(after: WallTime(milliseconds: .min), through: WallTime(milliseconds: .max), in: zone) == 0)
    // 2000-01-01T00:00:00 on clocks that show UTC.
    let one = WallEngine(Listed(readings: [946_684_800]), mode)
    #expect(firings(one, from: WallTime(milliseconds: .min), in: zone) == [WallTime(seconds: 946_684_800)])
    let last = WallEngine(Listed(readings: [.max]), mode)
    #expect(last.next(after: WallTime(milliseconds: 0), in: zone) == nil)
  }

  @Test func `A rule that only skipped times match never fires, and that is found out at once`() throws {
    /// Half past two on the day on which New York's clocks skip it, in every year.
    struct Skipped: WallReadings {
      func first(from reading: Int64) -> Int64? {
        var days = CivilDays()
        days.months = UnitSet([3])
        days.weekdays = UnitSet([7])
        days.nths = UnitSet([2])
        return DayTimes(days: days, times: TimesOfDay([9000])).first(from: reading)
      }
      func count(in range: Range<Int64>) -> Int64 { 0 }
    }
    let zone = try installed("America/New_York")
    var found: WallTime?
    let taken = try processorTime {
      found = try WallEngine(Skipped(), .throughout).next(after: instant("2027-01-01T00:00:00Z"), in: zone)
    }
    #expect(found == nil)
    #expect(taken < .milliseconds(100))
  }
}
