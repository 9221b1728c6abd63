import CarillonMQTT
import Testing

@Suite("Another program with the same client id")
struct TakeoverWatchTests {
  private var watch = TakeoverWatch(instance: "me")

  @Test("Three connections in a row that the broker closes within a minute")
  mutating func shortSessions() {
    for session in 1...3 {
      watch.connected(at: 0)
      #expect(watch.disconnected(.closed, at: 59_999) == (session == 3 ? .taken : .nothing))
    }
    watch.connected(at: 100_000)
    #expect(watch.disconnected(.closed, at: 100_001) == .stillTaken)
  }

  @Test("A connection that lasted, a broker that was gone, or one's own end do not count")
  mutating func innocent() {
    watch.connected(at: 0)
    #expect(watch.disconnected(.closed, at: 1) == .nothing)
    watch.connected(at: 0)
    #expect(watch.disconnected(.closed, at: 60_000) == .nothing)
    for _ in 1...5 {
      watch.connected(at: 0)
      #expect(watch.disconnected(.closed, at: 1) == .nothing)
      watch.attemptFailed()
    }
    for _ in 1...5 {
      watch.connected(at: 0)
      #expect(watch.disconnected(.silent, at: 1) == .nothing)
    }
    for _ in 1...5 {
      watch.connected(at: 0)
      watch.refused()
      #expect(watch.disconnected(.closed, at: 1) == .nothing)
    }
    #expect(!watch.isTaken)
  }

  @Test("Somebody else's mark in the place of one's own; the last run's is none")
  mutating func mark() {
    #expect(watch.seen("them", isStored: true) == .nothing)
    #expect(watch.seen("me", isStored: false) == .nothing)
    #expect(watch.seen("", isStored: false) == .nothing)
    #expect(watch.seen("them", isStored: true) == .taken)
    #expect(watch.seen("them", isStored: true) == .nothing)
    #expect(watch.seen("them", isStored: false) == .stillTaken)
  }

  @Test("Once a connection lasts, the client id is one's own again")
  mutating func regained() {
    _ = watch.seen("me", isStored: false)
    _ = watch.seen("them", isStored: false)
    let regained = watch.lasted()
    #expect(regained)
    let again = watch.lasted()
    #expect(!again)
    #expect(watch.seen("them", isStored: true) == .taken)
  }

  @Test("Of brief connections three are told, whatever ends them, and again once one has lasted")
  mutating func quiet() {
    for session in 1...5 {
      watch.connected(at: 0)
      #expect(watch.isWorthTelling == (session <= 3))
      _ = watch.disconnected(.dismissed(reason: 0x87), at: 1)
      #expect(watch.isLastTold == (session == 3))
      watch.attemptFailed()
    }
    watch.connected(at: 0)
    #expect(!watch.hasLasted(at: 59_999))
    #expect(watch.hasLasted(at: 60_000))
    #expect(!watch.isTaken)
    _ = watch.lasted()
    #expect(watch.isWorthTelling)
  }
}
