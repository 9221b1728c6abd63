import CarillonMQTT
import CarillonModel
import CarillonStore
import Testing

@testable import CarillonRelay

/// Messages of what waits for a slot.
@Suite struct WrittenAheadTests {
  private func delivery(_ row: Int64) -> OutgoingDelivery {
    var firing = StoredFiring(
      sequence: row, stamp: 1, due: WallTime(milliseconds: 1), axis: .wall, release: 1)
    firing.row = row
    return OutgoingDelivery(
      device: 1, open: .notification, state: .waiting, firing: firing, id: "\(row)", publisher: nil,
      zone: "UTC",
      content: [], keepsAll: false)
  }

  private func moment(_ elapsed: Int64) -> Moment {
    Moment(wall: WallTime(milliseconds: 1_000_000 + elapsed), elapsed: elapsed)
  }

  private func message(_ delivery: OutgoingDelivery) -> Publication {
    Publication(topic: delivery.id, payload: [])
  }

  @Test func `Each is taken once, and what was passed over is forgotten`() throws {
    let all = (1...5).map { delivery($0) }
    var ahead = WrittenAhead()
    var written = 0
    func write(_ deliveries: ArraySlice<OutgoingDelivery>) {
      ahead.write(deliveries, at: moment(0)) { delivery in
        written += 1
        return message(delivery)
      }
    }
    write(all[0..<3])
    #expect(ahead.take(all[0], at: moment(1))?.topic == "1")
    #expect(ahead.take(all[0], at: moment(1)) == nil)
    write(all[1..<5])
    #expect(written == 5)
    #expect(ahead.take(all[3], at: moment(1))?.topic == "4")
    #expect(ahead.take(all[1], at: moment(1)) == nil)
    // The same firing read anew is another delivery: it may have been withdrawn.
    #expect(ahead.take(delivery(5), at: moment(1)) == nil)
    #expect(ahead.take(all[4], at: moment(1))?.topic == "5")
  }

  @Test func `What was written a while ago is written again`() throws {
    let one = delivery(1)
    var ahead = WrittenAhead()
    ahead.write([one], at: moment(0)) { message($0) }
    #expect(ahead.take(one, at: moment(WrittenAhead.life + 1)) == nil)
  }

  @Test func `The rest is not written behind one without a message`() throws {
    let all = (1...3).map { delivery($0) }
    var ahead = WrittenAhead()
    ahead.write(all[...], at: moment(0)) { $0 === all[1] ? nil : message($0) }
    #expect(ahead.take(all[0], at: moment(0)) != nil)
    #expect(ahead.take(all[2], at: moment(0)) == nil)
  }
}
