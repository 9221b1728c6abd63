import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// Clocks that are set, jump, or have not been set yet, and requests that live on them.
@Suite struct ClockTests {
  private static let hour: Int64 = 3_600_000
  private static let noon = RelayBench.noon

  // MARK: Requests

  @Test func `Elapsed time does not care how the clock is set`() throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"after","title":"t","to":"d","trigger":{"after":60}}"#)
    try bench.send(#"{"id":"at","title":"t","to":"d","trigger":{"at":"2027-05-10T12:10:00Z"}}"#)
    bench.advance(10_000)
    bench.setClock(to: ClockTests.noon - 2 * ClockTests.hour)
    bench.advance(50_000)
    #expect(bench.notifications("after").map(\.at) == [ClockTests.noon - 2 * ClockTests.hour + 50_000])
    #expect(bench.notifications("at").isEmpty)
    bench.advance(2 * ClockTests.hour + 600_000)
    #expect(bench.notifications("at").map(\.at) == [ClockTests.noon + 600_000])
    // Back once more: what has fired for an instant does not fire for it again.
    bench.setClock(to: ClockTests.noon)
    bench.advance(2 * ClockTests.hour)
    #expect(bench.sent.count == 2)
  }

  @Test func `A clock set back before what is prepared holds it, and it can still be cancelled`() throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"at","title":"t","to":"d","trigger":{"at":"2027-05-10T12:00:10Z"}}"#)
    bench.advance(9500)
    bench.setClock(to: ClockTests.noon - ClockTests.hour)
    bench.advance(60_000)
    #expect(bench.sent.isEmpty)
    #expect(try bench.send(#"{"command":"cancel","ids":["at"]}"#)?.outcome("at") == "cancelled")
    bench.advance(2 * ClockTests.hour)
    #expect(bench.sent.isEmpty)
  }

  @Test func `A clock set forward fires once what it passed`() throws {
    let bench = try RelayBench()
    try bench.send(#"{"id":"at","title":"t","to":"d","trigger":{"at":"2027-05-11T09:00:00Z"}}"#)
    try bench.send(#"{"id":"every","title":"t","to":"d","trigger":{"every":60}}"#)
    bench.setClock(to: ClockTests.noon + 7 * 24 * ClockTests.hour)
    #expect(bench.notifications("at").map(\.late) == [true])
    #expect(bench.notifications("every").isEmpty, "elapsed time has not jumped")
    bench.advance(60_000)
    #expect(bench.notifications("every").count == 1)
  }

  @Test(.timeLimit(.minutes(1)))
  func `From 1970 to the present it is one step, not a walk`() throws {
    let bench = try RelayBench(at: 0)
    try bench.send(#"{"id":"every","title":"t","to":"d","trigger":{"every":5}}"#)
    try bench.send(
      #"{"id":"from","title":"t","to":"d","trigger":{"every":60,"from":"1970-01-01T00:01:00Z"}}"#)
    bench.advance(7000)
    bench.forgetSent()
    let clock = ContinuousClock()
    let time = clock.measure { bench.setClock(to: 1_798_761_600_000) }
    #expect(time < .seconds(1))
    #expect(bench.sent.isEmpty)
    bench.advance(3000)
    #expect(bench.notifications("every").count == 1)
  }

  @Test func `An edited request does not fire for its new rule's past, nor do its neighbours`() throws {
    let bench = try RelayBench()
    try bench.send(
      #"{"id":"r1","title":"t","to":"d","trigger":{"every":"1d","from":"2027-05-01T18:00:00Z"}}"#)
    try bench.send(#"{"id":"r2","title":"t","to":"d","trigger":{"after":0}}"#)
    bench.advance(10_000)
    bench.forgetSent()
    let reply = try bench.send(
      #"{"id":"r1","title":"t","to":"d","trigger":{"every":"1d","from":"2027-05-01T11:30:00Z"}}"#)
    #expect(reply?["next"]?.text?.hasPrefix("2027-05-11T11:30:00") == true)
    bench.advance(ClockTests.hour)
    #expect(bench.sent.isEmpty)
  }

  // MARK: The axis of elapsed time

  private func reading(
    _ boot: String, wall: Int64, at time: Int64, synchronised: Bool = true
  ) -> RelayClock.Reading {
    RelayClock.Reading(bootID: boot, wall: wall, boot: time, isSynchronised: synchronised)
  }

  /// What a relay remembers that stops at noon, an hour after its boot.
  private var remembered: RelayClock.Record {
    var clock = RelayClock(nil, reading("one", wall: ClockTests.noon, at: ClockTests.hour))
    return clock.remember(clock.moment(wall: ClockTests.noon, boot: ClockTests.hour))
  }

  @Test func `Over a reboot it goes on by the wall clock's difference`() {
    let reading = reading("two", wall: ClockTests.noon + 600_000, at: 20_000)
    var clock = RelayClock(remembered, reading)
    #expect(clock.isSet)
    let moment1 = clock.read(reading)
    #expect(moment1.elapsed == ClockTests.noon + 600_000)
  }

  @Test func `Within a boot it does not look at the wall clock`() {
    let reading = reading("one", wall: 0, at: ClockTests.hour + 5000, synchronised: false)
    var clock = RelayClock(remembered, reading)
    #expect(clock.isSet, "somebody has set it back; it had been set in this boot")
    let moment2 = clock.read(reading)
    #expect(moment2.elapsed == ClockTests.noon + 5000)
  }

  @Test func `After a boot a clock before the newest known time is not set, until it is`() {
    var clock = RelayClock(remembered, reading("two", wall: 0, at: 10_000, synchronised: false))
    #expect(!clock.isSet)
    let moment3 = clock.read(reading("two", wall: 5000, at: 15_000, synchronised: false))
    #expect(
      moment3.elapsed == ClockTests.noon
        + 5000)
    let moment = clock.read(reading("two", wall: ClockTests.noon + ClockTests.hour, at: 20_000))
    #expect(clock.isSet)
    #expect(moment.elapsed == ClockTests.noon + ClockTests.hour)
  }

  @Test func `A restart while the clock is not set changes nothing about that`() throws {
    var clock = RelayClock(remembered, reading("two", wall: 0, at: 10_000, synchronised: false))
    let record = clock.remember(clock.moment(wall: 20_000, boot: 30_000))
    let text = try #require(RelayClock.Record(record.text))
    #expect(text == record)
    let later = reading("two", wall: 30_000, at: 40_000, synchronised: false)
    var next = RelayClock(record, later)
    #expect(!next.isSet)
    let moment4 = next.read(later)
    #expect(moment4.elapsed == ClockTests.noon + 30_000)
    let moment = next.read(reading("two", wall: ClockTests.noon + ClockTests.hour, at: 50_000))
    #expect(moment.elapsed == ClockTests.noon + ClockTests.hour)
  }

  @Test func `Two boots without a set clock do not run backwards`() {
    var clock = RelayClock(remembered, reading("two", wall: 0, at: 10_000, synchronised: false))
    let record = clock.remember(clock.moment(wall: 60_000, boot: 70_000))
    let third = reading("three", wall: 0, at: 1000, synchronised: false)
    var next = RelayClock(record, third)
    let moment5 = next.read(third)
    #expect(moment5.elapsed == ClockTests.noon + 60_000)
    let set = reading("three", wall: ClockTests.noon + ClockTests.hour, at: 5000)
    let moment6 = next.read(set)
    #expect(moment6.elapsed == ClockTests.noon + ClockTests.hour)
  }
}
