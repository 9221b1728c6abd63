import CarillonModel
import CarillonStore
import Glibc
import Testing

@Suite("A companion's inbox on disk")
final class InboxStoreTests {
  private let folder: String
  private var path: String { "\(folder)/inbox.db" }

  init() throws {
    var template = Array("/tmp/carillon-inbox-XXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    folder = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit {
    for name in ["inbox.db", "inbox.db-wal", "inbox.db-shm", "inbox.db.lock"] { unlink("\(folder)/\(name)") }
    rmdir(folder)
  }

  @Test("What is put is there after a restart, in the order in which it came")
  func restart() throws {
    var entry = InboxEntry(delivery: "a", id: "i", payload: [1, 2])
    do {
      let store = try InboxStore(path: path)
      try store.write { () throws(StoreError) in
        try store.put(entry, now: 1)
        try store.put(InboxEntry(delivery: "b", id: "j", state: .done), now: 1)
        try store.put(InboxEntry(delivery: "c", id: "k", payload: [3]), now: 1)
        entry.state = .started
        entry.isPresented = true
        entry.isWithdrawn = true
        entry.answer = Response(delivery: "a", id: "i", event: .received)
        try store.put(entry, now: 2)
      }
    }
    let store = try reopened()
    #expect(try store.entry("a") == entry)
    #expect(try store.unfinished().map(\.delivery) == ["a", "c"])
    #expect(try store.entry("x") == nil)
  }

  @Test("A second companion on the same folder is refused, and not once the first is gone")
  func lock() throws {
    do {
      let first = try InboxStore(path: path)
      do {
        _ = try InboxStore(path: path)
        Issue.record("two at once")
      } catch {
        guard case .alreadyOpen(_, let process) = error else {
          Issue.record("\(error)")
          return
        }
        #expect(process == getpid())
      }
      withExtendedLifetime(first) {}
    }
    _ = try reopened()
  }

  /// Opens a store that was closed just now. Programs that other tests start hold its lock from their fork to their
  /// exec.
  private func reopened() throws -> InboxStore {
    for _ in 1...2000 {
      do { return try InboxStore(path: path) } catch StoreError.alreadyOpen { usleep(1000) }
    }
    return try InboxStore(path: path)
  }

  @Test("A content is kept while it is on the screen or not over, and no longer")
  func payload() throws {
    let store = try InboxStore(path: path)
    var entry = InboxEntry(delivery: "a", id: "i", payload: [1])
    try store.put(entry, now: 1)
    try store.show("a", id: "i")
    entry.state = .done
    try store.put(entry, now: 2)
    #expect(try store.entry("a")?.payload == [1])
    #expect(try store.shown().map(\.delivery) == ["a"])
    try store.put(InboxEntry(delivery: "b", id: "i", payload: [2]), now: 3)
    try store.show("b", id: "i")
    #expect(try store.shown().map(\.delivery) == ["b"])
    #expect(try store.entry("a")?.payload == nil)
    try store.hide("b")
    #expect(try store.entry("b")?.payload == [2])
    #expect(try store.shown() == [])
  }

  @Test("Responses leave in the order in which they were made, and one that waits is not made twice")
  func responses() throws {
    let store = try InboxStore(path: path)
    let received = Response(delivery: "a", event: .received, at: "now")
    let first = try #require(try store.add(received, now: 1))
    #expect(try store.add(Response(delivery: "a", event: .received, at: "later"), now: 1) == nil)
    let second = try #require(try store.add(Response(delivery: "a", event: .failed), now: 1))
    #expect(try store.responses(limit: 10) == [first, second])
    #expect(try store.responses(after: first.sequence, limit: 10) == [second])
    #expect(try store.responses(limit: 1) == [first])
    try store.removeResponse(first.sequence)
    #expect(try store.responses(limit: 10) == [second])
    #expect(try store.add(received, now: 1) != nil)
  }

  @Test("What has been over for long is forgotten, but never what is not over nor the newest thousand")
  func prune() throws {
    let store = try InboxStore(path: path)
    try store.write { () throws(StoreError) in
      try store.put(InboxEntry(delivery: "open", id: "i"), now: 1)
      for number in 1...1100 {
        for state in [InboxEntry.State.received, .started, .done] {
          try store.put(InboxEntry(delivery: "d\(number)", id: "i", state: state), now: Int64(number))
        }
      }
    }
    try store.prune(before: 51)
    #expect(try store.entry("d50") == nil)
    #expect(try store.entry("d51") != nil)
    #expect(try store.entry("open") != nil)
    try store.prune(before: 1_000_000)
    #expect(try store.entry("d100") == nil)
    #expect(try store.entry("d101") != nil)
  }

  @Test("A relay's store given to a companion is refused")
  func foreign() throws {
    let other = StoreFile.Kind(applicationID: 7, name: "another", migrations: ["CREATE TABLE t (a)"])
    _ = try StoreFile(path: path, kind: other)
    #expect(throws: StoreError.self) { try InboxStore(path: self.path) }
  }
}
