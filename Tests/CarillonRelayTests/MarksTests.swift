import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// What is recorded of the wire, and what a killed relay finds of it.
@Suite struct MarksTests {
  /// A relay of whose notifications to a plain subscriber the broker has acknowledged 30 of 50.
  private func bench() throws -> RelayBench {
    let bench = try RelayBench(window: 10)
    bench.acknowledges = false
    for id in 0..<50 { try bench.send(#"{"id":"\#(id)","title":"t","to":"desk","trigger":{"after":5}}"#) }
    bench.advance(5000)
    bench.acknowledge(10)
    bench.acknowledge(10)
    bench.acknowledge(10)
    #expect(bench.sent.count == 40)
    return bench
  }

  /// Kills the relay, lets it begin anew, and tells what went out a second time.
  private func repeated(_ bench: RelayBench) throws -> [String] {
    let before = bench.sent.map(\.id)
    bench.acknowledges = true
    try bench.restart(after: 1000)
    let after = bench.sent.dropFirst(before.count).map(\.id)
    #expect(Set(before).union(after) == Set((0..<50).map(String.init)), "nothing is lost")
    return after.filter { before.contains($0) }
  }

  @Test func `What nobody has recorded goes out again`() throws {
    #expect(try repeated(try bench()).count == 40)
  }

  @Test func `What was noted does not, although its rows did not say so`() throws {
    let bench = try bench()
    try bench.queue.transaction { () throws(StoreError) in try bench.marks.note(in: bench.queue) }
    bench.marks.noted()
    #expect(!bench.marks.isEmpty)
    #expect(try bench.queue.notes().count == 30)
    #expect(try repeated(bench).map { Int($0) ?? 0 } == Array(30..<40))
    #expect(try bench.queue.notes() == [], "their rows have followed")
    bench.saveMarks()
    #expect(bench.queue.counters.fired == 50)
  }

  @Test func `A note holds only what came since the last`() throws {
    let bench = try bench()
    for _ in 0..<2 {
      try bench.queue.transaction { () throws(StoreError) in try bench.marks.note(in: bench.queue) }
      bench.marks.noted()
    }
    #expect(try bench.queue.notes().count == 30)
    bench.saveMarks()
    #expect(try bench.queue.notes() == [])
    #expect(bench.marks.isEmpty)
  }

  @Test func `A note keeps what a withdrawal has closed, and the time of the firing`() throws {
    let queue = try Queue(path: ":memory:")
    let time = WallTime(milliseconds: 1_809_950_400_123)
    let notes = [
      AcceptanceNote(firing: 7, device: 3, closing: .withdrawal, fired: nil),
      AcceptanceNote(firing: 8, device: 3, closing: .nothing, fired: time),
    ]
    try queue.transaction { () throws(StoreError) in try queue.note(notes) }
    #expect(try queue.notes() == notes)
    let marks = Marks(notes)
    #expect(marks.closes(DeliveryKey(firing: 7, device: 3), .withdrawal))
    #expect(!marks.closes(DeliveryKey(firing: 8, device: 3), .notification))
  }

  @Test func `So many unrecorded messages ask for a note that fewer than a thousand can be repeated`() {
    var marks = Marks()
    for firing in 0..<Int64(Marks.limit - 1) {
      marks.accept(DeliveryKey(firing: firing, device: 1), closing: .notification)
    }
    #expect(!marks.mustBeNoted)
    marks.accept(DeliveryKey(firing: 5000, device: 1), closing: .notification)
    #expect(marks.mustBeNoted)
    #expect(Marks.limit + RelayService.window <= 1000)
    marks.noted()
    #expect(!marks.mustBeNoted)
  }
}
