import CarillonLoop
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonMQTT

@Suite struct ConnectingTests {
  @Test func aRefusedConnectionIsToldAndTriedAgain() throws {
    let port = try Loopback.freePort()
    let harness = try SessionHarness(port: port)
    harness.session.start()
    try harness.run { harness.events.count == 2 }
    let address = BrokerAddress(host: "127.0.0.1", port: port)
    #expect(
      harness.failures == Array(repeating: .unreachable(address: address, error: ECONNREFUSED), count: 2))
    #expect(
      harness.failures[0].description == "mqtt://127.0.0.1:\(port) cannot be reached: Connection refused")
  }

  @Test func aBrokerThatComesLaterIsFound() throws {
    let broker = try Broker()
    broker.stop()
    let harness = try SessionHarness(port: broker.port)
    harness.session.start()
    try harness.run { harness.failures.count == 1 }
    try broker.start()
    try harness.run { harness.session.isConnected }
  }

  @Test func aNameWithoutAddressIsToldAndTriedAgain() throws {
    let harness = try SessionHarness(port: 1) { $0.address.host = "no-such-host.invalid" }
    harness.session.start()
    try harness.run(within: .seconds(30)) { harness.failures.count == 2 }
    for failure in harness.failures {
      guard case .nameNotResolved("no-such-host.invalid", _) = failure else {
        throw TestFailure("another failure: \(failure)")
      }
    }
  }

  @Test func aNameIsResolved() throws {
    let broker = try Broker()
    let harness = try SessionHarness(port: broker.port) { $0.address.host = "localhost" }
    try harness.connect()
  }

  @Test func noAnswerToConnectEndsTheAttempt() throws {
    let forwarder = try Forwarder(to: 0, mode: .silent)
    let harness = try SessionHarness(port: forwarder.port) { $0.connectTimeout = .milliseconds(300) }
    let start = SystemClock.elapsedMilliseconds
    harness.session.start()
    try harness.run { !harness.failures.isEmpty }
    #expect((300..<2000).contains(SystemClock.elapsedMilliseconds - start))
    guard case .noAnswer(_, .milliseconds(300)) = harness.failures[0] else {
      throw TestFailure("another failure: \(harness.failures)")
    }
    try harness.run { forwarder.connectionCount == 2 }
  }

  @Test func droppedPacketsEndTheAttempt() throws {
    let hole = try Blackhole()
    let harness = try SessionHarness(port: hole.port) { $0.connectTimeout = .milliseconds(300) }
    harness.session.start()
    try harness.run { !harness.failures.isEmpty }
    guard case .noAnswer = harness.failures[0] else {
      throw TestFailure("another failure: \(harness.failures)")
    }
  }

  @Test func aServerThatIsNoBrokerIsTold() throws {
    let forwarder = try Forwarder(to: 0, mode: .closing)
    let harness = try SessionHarness(port: forwarder.port)
    harness.session.start()
    try harness.run { !harness.failures.isEmpty }
    #expect(harness.failures == [.closed])
  }

  @Test func theFirstFailureIsTheLastWhereOneAttemptWasAskedFor() throws {
    let harness = try SessionHarness(port: try Loopback.freePort()) { $0.once = true }
    harness.session.start()
    try harness.run { !harness.events.isEmpty }
    guard case .failed(.unreachable, retryIn: nil) = harness.events[0] else {
      throw TestFailure("another event: \(harness.events)")
    }
    try harness.run(for: .milliseconds(1200))
    #expect(harness.events.count == 1)
  }

  @Test func aWrongPasswordIsToldAndTheCorrectedOneTaken() throws {
    let directory = try TemporaryDirectory()
    let passwords = directory.file("passwords")
    let made = try ChildProcess(Spawn(["mosquitto_passwd", "-b", "-c", passwords, "relay", "right"]))
    #expect(try made.waitForExit() == .exited(0))
    let broker = try Broker(configuration: "allow_anonymous false\npassword_file \(passwords)")
    try directory.write("password", "wrong\n")
    let harness = try SessionHarness(port: broker.port) {
      $0.username = "relay"
      $0.passwordFile = directory.file("password")
    }
    harness.session.start()
    try harness.run { !harness.failures.isEmpty }
    #expect(harness.failures == [.notAuthorized])
    #expect(harness.failures[0].concernsLogin)
    #expect(!harness.failures[0].description.contains("wrong"))
    try directory.write("password", "right\n")
    try harness.run { harness.session.isConnected }
  }

  @Test func aPasswordFileThatIsMissingIsToldAndTriedAgain() throws {
    let broker = try Broker()
    let directory = try TemporaryDirectory()
    let path = directory.file("password")
    let harness = try SessionHarness(port: broker.port) {
      $0.username = "relay"
      $0.passwordFile = path
    }
    harness.session.start()
    try harness.run { !harness.failures.isEmpty }
    #expect(harness.failures == [.passwordFileUnreadable(path: path, error: ENOENT)])
    try directory.write("password", "any")
    try harness.run { harness.session.isConnected }
  }

  @Test func theWillIsPublishedWhenTheClientIsGone() throws {
    let broker = try Broker()
    let client = try TestClient(port: broker.port)
    try client.subscribe("status")
    var harness: SessionHarness? = try SessionHarness(port: broker.port) {
      $0.will = Will(topic: "status", payload: "offline".bytes)
    }.connect()
    #expect(harness?.session.isConnected == true)
    harness = nil
    let message = try client.waitForMessage()
    #expect(message.text == "offline")
    #expect(message.isRetained)
  }

  @Test(arguments: [FakeBroker.Manner.refusesPolitely, .refuses])
  func aBrokerThatRefusesVersionFiveIsSpokenToInFour(_ manner: FakeBroker.Manner) throws {
    let broker = try FakeBroker(manner)
    let harness = try SessionHarness(port: broker.port).connect()
    #expect(broker.versions == [5, 4])
    #expect(harness.events == [connectedInFour])
    #expect(try harness.subscribe(Subscription("a", retainHandling: .ifNew)) == [1])
    let publication = Publication(
      topic: "a", payload: [1], expiry: 5, responseTopic: "r", correlationData: [1])
    #expect(try harness.publish(publication) == 0)
  }

  @Test func aBrokerThatClosesAtVersionFiveIsSpokenToInFour() throws {
    let broker = try FakeBroker(.closes)
    let harness = try SessionHarness(port: broker.port).connect()
    #expect(broker.versions == [5, 5, 4, 5, 4])
    #expect(harness.failures == [.closed, .closed])
    #expect(harness.events.last == connectedInFour)
  }

  @Test func aBrokerThatWasOnlyAwayIsSpokenToInFive() throws {
    let broker = try FakeBroker(.closesAtFirst(2))
    let harness = try SessionHarness(port: broker.port).connect()
    #expect(broker.versions == [5, 5, 4, 5])
    guard case .connected(_, 5, _, _) = harness.events.last else {
      throw TestFailure("another version: \(harness.events)")
    }
  }

  private let connectedInFour = SessionEvent.connected(
    sessionPresent: false, protocolVersion: 4, brokerReceiveMaximum: .max, brokerMaximumPacket: nil)
}

@Suite struct ReconnectingTests {
  @Test func aLostConnectionIsToldAndMadeAgainWithNothingLeftOver() throws {
    let broker = try Broker()
    let forwarder = try Forwarder(to: broker.port)
    let harness = try SessionHarness(port: forwarder.port).connect()
    let client = try TestClient(port: broker.port)
    try client.subscribe("a")
    try harness.session.publish(Publication(topic: "a", payload: "of the first connection".bytes))
    forwarder.cut()
    try harness.run { harness.failures.count == 1 }
    #expect(harness.failures == [.closed])
    #expect(!harness.session.isConnected)
    try harness.run { harness.session.isConnected }
    try harness.session.publish(Publication(topic: "a", payload: "of the second".bytes))
    harness.session.flush()
    #expect(try client.waitForMessage().text == "of the second")
  }

  @Test func aRestartedBrokerIsFoundAgainWithTheSessionItKept() throws {
    let broker = try Broker(persistence: true)
    let harness = try SessionHarness(port: broker.port) {
      $0.cleanStart = false
      $0.sessionExpiry = .never
    }.connect()
    #expect(try harness.subscribe(Subscription("a")) == [1])
    harness.forget()
    try broker.restart()
    try harness.run { harness.connections == 1 }
    guard case .connected(sessionPresent: true, _, _, _) = harness.events.last else {
      throw TestFailure("no session: \(harness.events)")
    }
  }

  @Test(.onOwnThread) func theKeepAliveNoticesAFrozenLink() throws {
    let broker = try Broker()
    let forwarder = try Forwarder(to: broker.port)
    let harness = try SessionHarness(port: forwarder.port).connect()
    let start = SystemClock.elapsedMilliseconds
    forwarder.freeze()
    try harness.run("the keep-alive", within: .seconds(20)) { !harness.failures.isEmpty }
    #expect(harness.failures == [.silent])
    // The ping is due after 5 s, its answer 5 s later.
    #expect((5000...13_000).contains(SystemClock.elapsedMilliseconds - start))
    forwarder.pass()
    try harness.run { harness.session.isConnected }
  }

  @Test(.onOwnThread) func anIdleSessionStaysByItsPings() throws {
    let broker = try Broker()
    let harness = try SessionHarness(port: broker.port).connect()
    // The broker's patience is 7.5 s.
    try harness.run(for: .seconds(9))
    #expect(harness.failures == [])
    #expect(harness.session.isConnected)
  }

  @Test(.onOwnThread) func afterASleepTheConnectionIsNotTrusted() throws {
    let broker = try Broker()
    let forwarder = try Forwarder(to: broker.port)
    let harness = try SessionHarness(port: forwarder.port).connect()
    forwarder.freeze()
    // The loop stands still for longer than the broker's patience.
    usleep(7_700_000)
    try harness.run("the end", within: .seconds(2)) { harness.failures == [.silent] }
  }

  @Test func whoIsThrownOutByTheSameClientIDIsTold() throws {
    let broker = try Broker()
    let harness = try SessionHarness(port: broker.port, id: "twin").connect()
    let twin = try TestClient(port: broker.port, id: "twin")
    try harness.run { harness.failures.count == 1 }
    #expect([.closed, .dismissed(reason: 0x8E)].contains(harness.failures[0]))
    twin.disconnect()
  }

  @Test func aResetClosesAndConnectsAfterTheGivenTime() throws {
    let broker = try Broker()
    let harness = try SessionHarness(port: broker.port).connect()
    let start = SystemClock.elapsedMilliseconds
    harness.session.resetConnection("somebody else has this client id", retryIn: .milliseconds(300))
    #expect(harness.failures.isEmpty, "not from inside the call")
    #expect(!harness.session.isConnected)
    try harness.run { harness.connections == 2 }
    #expect(harness.failures == [.reset("somebody else has this client id")])
    #expect(SystemClock.elapsedMilliseconds - start >= 300)
  }

  @Test func aConnectionThatEndsDuringAFlushIsToldFromTheLoop() throws {
    let broker = try Broker()
    let harness = try SessionHarness(port: broker.port).connect()
    broker.kill()
    usleep(50_000)
    for _ in 0..<3 {
      _ = try? harness.session.publish(Publication(topic: "a", payload: []))
      harness.session.flush()
    }
    #expect(harness.failures.isEmpty)
    try harness.run { harness.failures.count == 1 }
  }
}
