import CarillonLoop
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonMQTT

/// TLS with a real Mosquitto, and with servers that are none.
@Suite(.onOwnThread) struct TLSTests {
  private let certificates: Certificates

  init() throws { certificates = try Certificates() }

  private func harness(
    _ port: UInt16, host: String = "localhost", _ change: (inout TLSConfiguration) -> Void = { _ in }
  ) throws -> SessionHarness {
    var tls = TLSConfiguration(ca: certificates.ca)
    change(&tls)
    return try SessionHarness(
      SessionConfiguration(
        address: BrokerAddress(host: host, port: port, isSecure: true), clientID: "secure", tls: tls,
        keepAlive: .seconds(5), connectTimeout: .seconds(5)))
  }

  private func firstCause(_ harness: SessionHarness) throws -> TLSCause? {
    harness.session.start()
    try harness.run { !harness.failures.isEmpty || harness.session.isConnected }
    guard case .tls(let cause, _)? = harness.failures.first else { return nil }
    return cause
  }

  @Test(arguments: ["localhost", "127.0.0.1"])
  func `A certificate for the host as it was given is taken, and messages of any size go through`(
    host: String
  )
    throws
  {
    try certificates.make("broker")
    let broker = try SecureBroker(certificates, "broker")
    let harness = try harness(broker.port, host: host)
    try harness.connect()
    #expect(try harness.subscribe(Subscription("a")) == [1])
    let large = [UInt8](repeating: 7, count: 500_000)
    #expect(try harness.publish(Publication(topic: "a", payload: large)) == 0)
    for number in 0..<300 { try harness.session.publish(Publication(topic: "a", payload: "\(number)".bytes)) }
    harness.session.flush()
    try harness.run {
      harness.session.flush()
      return harness.messages.count == 301
    }
    #expect(harness.messages[0].payload == large)
    #expect(harness.messages.dropFirst().map(\.payload) == (0..<300).map { "\($0)".bytes })
    broker.broker.stop()
    try harness.run { !harness.failures.isEmpty }
    #expect(harness.failures[0] == .closed)
    try broker.broker.start()
    try harness.run { harness.connections == 2 }
  }

  @Test func `Each fault of the broker's certificate is told by its cause and host`() throws {
    try certificates.make("elsewhere", for: "DNS:other.example")
    try certificates.make("expired", from: -3 * 86_400)
    try certificates.make("early", from: 86_400)
    try certificates.make("foreign", by: "stranger")
    for (name, word) in [
      ("elsewhere", "is not for the host localhost"), ("expired", "has expired, at 20"),
      ("early", "is not valid yet, but from 20"), ("foreign", "from an authority that is not known here"),
    ] {
      let broker = try SecureBroker(certificates, name)
      let harness = try harness(broker.port)
      _ = try #require(try firstCause(harness), "\(name): \(harness.events)")
      let text = "\(harness.failures[0])"
      #expect(text.hasPrefix("mqtts://localhost:\(broker.port): the broker's certificate "))
      #expect(text.contains(word), "\(text)")
      let insecure = try self.harness(broker.port) { $0 = TLSConfiguration(isInsecure: true) }
      try insecure.connect()
    }
  }

  @Test
  func
    `An address is looked for among the certificate's addresses, and the system's authorities are the default`()
    throws
  {
    try certificates.make("named", for: "DNS:localhost")
    let broker = try SecureBroker(certificates, "named")
    #expect(try firstCause(try harness(broker.port, host: "127.0.0.1")) == .wrongHost("127.0.0.1"))
    #expect(try firstCause(try harness(broker.port) { $0.ca = nil }) == .unknownAuthority)
  }

  @Test func `A certificate that becomes valid later is taken by itself`() throws {
    try certificates.make("soon", from: 4)
    let broker = try SecureBroker(certificates, "soon")
    let harness = try harness(broker.port)
    guard case .notYetValid? = try firstCause(harness) else {
      throw TestFailure("another failure: \(harness.events)")
    }
    try harness.run { harness.session.isConnected }
    #expect(harness.failures.allSatisfy { "\($0)".contains("not valid yet") })
  }

  @Test(arguments: ["tlsv1.2", "tlsv1.3"])
  func `A broker that wants a client certificate gets it, and says what is wrong with another one`(
    version: String
  )
    throws
  {
    try certificates.make("broker")
    try certificates.make("client", for: "DNS:client")
    try certificates.make("foreign", for: "DNS:client", by: "stranger")
    let broker = try SecureBroker(certificates, "broker", "require_certificate true\ntls_version \(version)")
    #expect(try firstCause(try harness(broker.port)) == .certificateWanted)
    let refused = try firstCause(
      try harness(broker.port) {
        $0.cert = certificates.file("foreign.crt")
        $0.key = certificates.file("foreign.key")
      })
    #expect(refused == .certificateRefused("unknown CA"))
    let right = try harness(broker.port) {
      $0.cert = certificates.file("client.crt")
      $0.key = certificates.file("client.key")
    }
    try right.connect()
  }

  @Test func `TLS 1_1 is not spoken`() throws {
    try certificates.make("broker")
    let port = try Loopback.freePort()
    let old = try Program(
      [
        "s_server", "-www", "-accept", "127.0.0.1:\(port)", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0", "-cert",
        certificates.file("broker.crt"), "-key", certificates.file("broker.key"),
      ], executable: "/usr/bin/openssl")
    try old.wait(for: "the server") { $0.contains("ACCEPT") }
    #expect(try firstCause(try harness(port)) == .version)
    old.kill()
  }

  // MARK: No TLS

  @Test func `A port that does not speak TLS is told as such, and nothing is sent there in plain text`()
    throws
  {
    let broker = try Broker()
    #expect(try firstCause(try harness(broker.port)) == .closed)
    #expect(!broker.log.contains("New client connected"))
    let forwarder = try Forwarder(to: 0, mode: .closing)
    #expect(try firstCause(try harness(forwarder.port)) == .closed)
    let (listener, port) = try Loopback.listener(port: 0)
    defer { close(listener) }
    let web = try harness(port)
    web.session.start()
    var client: Int32 = -1
    try web.run {
      if client < 0, isWaiting(listener) { client = accept(listener, nil, nil) }
      return client >= 0
    }
    let page = "HTTP/1.1 400 Bad Request\r\n\r\n"
    #expect(page.withCString { write(client, $0, page.utf8.count) } == page.utf8.count)
    try web.run { !web.failures.isEmpty }
    #expect(
      web.failures == [.tls(.notTLS, address: BrokerAddress(host: "localhost", port: port, isSecure: true))])
    close(client)
  }

  @Test func `A reset in the middle of the handshake ends the attempt at once`() throws {
    let (listener, port) = try Loopback.listener(port: 0)
    defer { close(listener) }
    let harness = try harness(port)
    harness.session.start()
    var client: Int32 = -1
    try harness.run {
      if client < 0, isWaiting(listener) { client = accept(listener, nil, nil) }
      guard case .greeting = harness.session.phase else { return false }
      return client >= 0 && isWaiting(client)
    }
    var immediately = linger(l_onoff: 1, l_linger: 0)
    setsockopt(client, SOL_SOCKET, SO_LINGER, &immediately, socklen_t(MemoryLayout<linger>.size))
    close(client)
    let start = SystemClock.elapsedMilliseconds
    try harness.run { !harness.failures.isEmpty }
    #expect(SystemClock.elapsedMilliseconds - start < 4000, "the time limit of the attempt is five seconds")
    #expect(
      harness.failures == [
        .tls(.closed, address: BrokerAddress(host: "localhost", port: port, isSecure: true))
      ])
  }

  @Test func `A server that never answers holds up nothing, and a closed port is told as such`() throws {
    let silent = try Forwarder(to: 0, mode: .silent)
    let harness = try harness(silent.port)
    harness.session.start()
    var turns = 0
    let start = SystemClock.elapsedMilliseconds
    try harness.run {
      turns += 1
      return !harness.failures.isEmpty
    }
    guard case .noAnswer? = harness.failures.first else {
      throw TestFailure("another failure: \(harness.events)")
    }
    #expect(turns >= 20, "the loop went on")
    #expect(Int64(turns) <= (SystemClock.elapsedMilliseconds - start) / 10, "it did not spin")
    let closed = try self.harness(try Loopback.freePort())
    closed.session.start()
    try closed.run { !closed.failures.isEmpty }
    guard case .unreachable(_, ECONNREFUSED)? = closed.failures.first else {
      throw TestFailure("another failure: \(closed.events)")
    }
  }

  private func isWaiting(_ descriptor: Int32) -> Bool {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&look, 1, 0) == 1
  }

  // MARK: Settings

  @Test func `Files that cannot be used are refused with their path`() throws {
    try certificates.make("a")
    try certificates.make("b")
    let (a, b) = (certificates.file("a.crt"), certificates.file("b.key"))
    let garbage = try certificates.directory.write("garbage", "no certificate\n")
    let address = BrokerAddress(host: "localhost", isSecure: true)
    let cases: [(TLSConfiguration, String, String)] = [
      (TLSConfiguration(ca: "/nonexistent/ca"), "ca", "/nonexistent/ca cannot be read: No such file"),
      (TLSConfiguration(ca: garbage), "ca", "\(garbage) holds no certificate"),
      (TLSConfiguration(ca: certificates.ca, cert: a), "key", "needs its private key"),
      (TLSConfiguration(ca: certificates.ca, key: b), "cert", "needs its client certificate"),
      (TLSConfiguration(cert: a, key: certificates.file("a.key")), "ca", "name the broker's authority"),
      (TLSConfiguration(ca: certificates.ca, cert: a, key: b), "key", "\(b)"),
      (
        TLSConfiguration(ca: certificates.ca, cert: garbage, key: b), "cert",
        "\(garbage) holds no certificate"
      ),
      (
        TLSConfiguration(ca: certificates.ca, cert: a, key: garbage), "key", "\(garbage) holds no private key"
      ),
      (TLSConfiguration(ca: certificates.ca, cert: a, key: "/"), "key", "/ is a folder"),
    ]
    for (configuration, key, text) in cases {
      let fault = #expect(throws: TLSFault.self) { try configuration.check(with: address) }
      #expect(fault?.key == key)
      #expect(fault?.description.contains(text) == true, "\(String(describing: fault))")
    }
    let plain = BrokerAddress(host: "localhost")
    #expect(throws: TLSFault.self) { try TLSConfiguration(isInsecure: true).check(with: plain) }
    try TLSConfiguration().check(with: plain)
    try TLSConfiguration(ca: certificates.directory.path).check(with: address)
    try TLSConfiguration(ca: certificates.ca, cert: a, key: certificates.file("a.key")).check(with: address)
  }

  @Test func `Only a connection that is not checked is warned of`() {
    let secure = BrokerAddress(host: "h", isSecure: true)
    #expect(TLSConfiguration(isInsecure: true).warning(for: secure)?.contains("mqtts://h") == true)
    #expect(TLSConfiguration().warning(for: secure) == nil)
    #expect(TLSConfiguration().warning(for: BrokerAddress(host: "h")) == nil)
  }
}
