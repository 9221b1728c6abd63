import CarillonMQTT
import CarillonModel
import Testing

@testable import CarillonCompanion

@Suite("Another program with the same client id")
struct TakeoverWatchTests {
  private var watch = TakeoverWatch(instance: "me")
  private let mine = Profile(name: "desk", instance: "me").encoded
  private let theirs = Profile(name: "desk", instance: "them").encoded

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
    #expect(!watch.isTaken)
  }

  @Test("Somebody else's profile in the place of one's own; the last run's is none")
  mutating func profile() {
    #expect(watch.profile(theirs, isStored: true) == .nothing)
    #expect(watch.profile(mine, isStored: false) == .nothing)
    #expect(watch.profile([], isStored: false) == .nothing)
    #expect(watch.profile(theirs, isStored: true) == .taken)
    #expect(watch.profile(theirs, isStored: true) == .nothing)
    #expect(watch.profile(theirs, isStored: false) == .stillTaken)
  }

  @Test("Once a connection lasts, the client id is one's own again")
  mutating func regained() {
    _ = watch.profile(mine, isStored: false)
    _ = watch.profile(theirs, isStored: false)
    let regained = watch.lasted()
    #expect(regained)
    let again = watch.lasted()
    #expect(!again)
    #expect(watch.profile(theirs, isStored: true) == .taken)
  }
}
