import CarillonModel
import Testing

@testable import CarillonStore

/// Walking through what is pending, in the order in which it falls due.
@Suite struct QueueDueOrderTests {
  @Test func `Every pending request is visited once, also where very many share a due time`() throws {
    let queue = try Queue(path: ":memory:")
    let dues: [Int64] = (0..<900).map { $0 < 500 ? 7000 : 5000 + $0 / 100 * 1000 }
    try queue.transaction { () throws(StoreError) in
      for (number, due) in dues.enumerated() {
        _ = try queue.insert(
          StoredRequest(
            id: "\(number)", state: .pending, axis: .wall, due: due, anchor: nil, publisher: nil, thread: nil,
            revision: nil, zone: "UTC", accepted: WallTime(milliseconds: 0), rule: [], content: []))
      }
    }
    var place = DuePlace.start
    var seen: [DuePlace] = []
    while true {
      let found = try queue.wallRequests(after: place, limit: 16)
      seen += found.map { DuePlace(due: $0.due ?? 0, sequence: $0.sequence) }
      guard found.count == 16, let last = seen.last else { break }
      place = last
    }
    #expect(seen.count == dues.count)
    #expect(seen == seen.sorted())
    #expect(Set(seen).count == dues.count)
  }

  /// What the index cannot answer would be a walk through all that share a due time, at each slice.
  @Test func `Both questions are answered by the index alone`() throws {
    let queue = try Queue(path: ":memory:")
    for end in ["due = 1 AND sequence > 1 ORDER BY sequence", "due > 1 ORDER BY due, sequence"] {
      let plan = try queue.database.statement(
        "EXPLAIN QUERY PLAN SELECT sequence FROM request WHERE state = 0 AND axis = 0 AND \(end) LIMIT 9"
      ).all([]) { $0.text(3) }
      let searched = end.hasPrefix("due =") ? "(axis=? AND due=? AND rowid>?)" : "(axis=? AND due>?)"
      #expect(plan.count == 1)
      #expect(plan.first?.hasSuffix(searched) == true, "\(plan)")
    }
  }
}
