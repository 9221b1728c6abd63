import CarillonModel
import Testing

@testable import CarillonStore

/// What recognises commands that the broker sends again.
@Suite struct QueueRepeatsTests {
  @Test func `The last thousand messages are remembered, oldest first`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      for batch in [1...1, 2...400, 401...401, 402...1100, 1101...1500, 1501...2300] as [ClosedRange<Int64>] {
        let messages = batch.map { number in
          TakenMessage(
            packet: UInt16(number), hash: number, reply: number % 2 == 0 ? [] : Array(#"{"n":"é"}"#.utf8))
        }
        try queue.remember(messages, from: batch.lowerBound)
      }
    }
    #expect(try queue.takenNumber() == 2300)
    let taken = try queue.takenMessages()
    #expect(taken.map(\.hash) == Array(1301...2300))
    #expect(taken[0].reply == Array(#"{"n":"é"}"#.utf8) && taken[1].reply.isEmpty)
    // The batches before the one that holds the first of them are gone.
    #expect(try queue.database.integer("SELECT min(number) FROM taken") == 1101)
  }

  @Test func `Messages that are forgotten are gone`() throws {
    let queue = try Queue(path: ":memory:")
    try queue.transaction { () throws(StoreError) in
      try queue.remember([TakenMessage(packet: 1, hash: 1, reply: [])], from: 1)
      try queue.forgetTaken()
    }
    #expect(try queue.takenMessages().isEmpty)
    #expect(try queue.takenNumber() == 0)
  }
}
