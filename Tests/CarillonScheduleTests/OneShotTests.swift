import CarillonModel
import CarillonSchedule
import CarillonTime
import Testing

struct OneShotTests {
  @Test func `A time to come waits, a past one fires while its life lasts, and then is past`() {
    let shot = OneShot(due: 10_000)
    #expect(shot.admission(at: 9999, life: nil) == .pending)
    #expect(shot.admission(at: 10_000, life: .seconds(1)) == .pending)
    #expect(shot.admission(at: 10_001, life: nil) == .late)
    #expect(shot.admission(at: 10_999, life: .seconds(1)) == .late)
    #expect(shot.admission(at: 11_000, life: .seconds(1)) == .past)
    #expect(shot.admission(at: .max, life: nil) == .late)
  }

  @Test func `It is due once`() {
    let shot = OneShot(due: 10_000)
    #expect(shot.next(after: 9999) == 10_000)
    #expect(shot.next(after: 10_000) == nil)
    #expect(shot.next(after: .max) == nil)
  }

  @Test func `Elapsed time stops at the end of the axis`() {
    #expect(OneShot(after: .zero, from: 5).due == 5)
    #expect(OneShot(after: .longestWritten, from: .max - 1).due == .max)
    #expect(!hasExpired(due: .max - 1, life: .seconds(60), at: .max - 1))
  }

  @Test func `A written time is read in the request's zone`() throws {
    let zone = try ZoneDatabase(directory: ZoneDatabase.systemDirectory).zone(named: "Asia/Tokyo")
    let local = OneShot(at: zone.instant(of: try WrittenTime(parsing: "2027-06-10T09:00:00")))
    let fixed = OneShot(at: zone.instant(of: try WrittenTime(parsing: "2027-06-10T09:00:00+05:45")))
    #expect(timestamp(utc: WallTime(milliseconds: local.due), milliseconds: false) == "2027-06-10T00:00:00Z")
    #expect(timestamp(utc: WallTime(milliseconds: fixed.due), milliseconds: false) == "2027-06-10T03:15:00Z")
  }

  @Test func `A reading of both clocks carries times from one to the other`() {
    let reading = Moment(wall: WallTime(milliseconds: 1_000_000), elapsed: 5000)
    #expect(reading.elapsed(at: WallTime(milliseconds: 1_060_000)) == 65_000)
    #expect(reading.wall(at: 4000) == WallTime(milliseconds: 999_000))
    #expect(reading.elapsed(at: WallTime(milliseconds: .max)) > 0)
    #expect(reading.wall(at: .max) == WallTime(milliseconds: .max))
    #expect(reading.wall(at: .min) <= WallTime(milliseconds: .min + 1_000_000))
  }
}
