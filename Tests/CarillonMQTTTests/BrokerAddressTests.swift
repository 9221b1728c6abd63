import CarillonMQTT
import Testing

@Suite struct BrokerAddressTests {
  /// It shows nothing of what is there: a password with a slash in it would be.
  private static let after =
    "nothing can follow host and port in the broker's address, and what is / ? or # before them is escaped"

  @Test(
    arguments: [
      ("mqtt://localhost", "localhost", 1883, nil),
      ("mqtt://localhost:1884", "localhost", 1884, nil),
      ("MQTT://Broker.example/", "Broker.example", 1883, nil),
      ("mqtt://relay@192.0.2.7:65535", "192.0.2.7", 65535, "relay"),
      ("mqtt://a%40b@h", "h", 1883, "a@b"),
      ("mqtt://[::1]", "::1", 1883, nil),
      ("mqtt://[fe80::1%eth0]:1884", "fe80::1%eth0", 1884, nil),
    ] as [(String, String, UInt16, String?)])
  func isRead(_ text: String, _ host: String, _ port: UInt16, _ username: String?) throws {
    let address = try BrokerAddress(parsing: text)
    #expect(address == BrokerAddress(host: host, port: port, username: username))
  }

  @Test(arguments: [
    ("", "a broker is given as mqtt://host or mqtt://host:port, or with mqtts:// for TLS"),
    ("localhost", "a broker is given as mqtt://host or mqtt://host:port, or with mqtts:// for TLS"),
    ("http://localhost", "a broker's address begins with mqtt://, or with mqtts:// for TLS"),
    ("mqtts://u:secret@h", "a password does not belong in the broker's address; it comes from a file"),
    ("mqtt://", "the broker's address has no host"),
    ("mqtt://:1883", "the broker's address has no host"),
    ("mqtt://a b", "the broker's address has no host"),
    ("mqtt://u:secret@h", "a password does not belong in the broker's address; it comes from a file"),
    ("mqtt://@h", "the user name in the broker's address is empty or badly escaped"),
    ("mqtt://%zz@h", "the user name in the broker's address is empty or badly escaped"),
    ("mqtt://h:0", "the port of the broker's address is a number from 1 to 65535"),
    ("mqtt://h:65536", "the port of the broker's address is a number from 1 to 65535"),
    ("mqtt://h:", "the port of the broker's address is a number from 1 to 65535"),
    ("mqtt://h:+1", "the port of the broker's address is a number from 1 to 65535"),
    ("mqtt://::1", "an IPv6 address is written in brackets: mqtt://[::1]"),
    ("mqtt://[::1", "the bracket in the broker's address is not closed"),
    ("mqtt://[::1]x", after),
    ("mqtt://h/path", after), ("mqtt://u:sec/ret@h", after), ("mqtt://h/\u{1B}[2J", after),
    ("mqtt://h?x", after),
  ])
  func isRefused(_ text: String, _ message: String) {
    let error = #expect(throws: AddressError.self) { try BrokerAddress(parsing: text) }
    #expect(error?.description == message)
  }

  @Test func withTLSThePortIsAnother() throws {
    let address = try BrokerAddress(parsing: "MQTTS://me@host/")
    #expect(address == BrokerAddress(host: "host", port: 8883, username: "me", isSecure: true))
    #expect(try BrokerAddress(parsing: "mqtts://host:1883").port == 1883)
  }

  @Test(
    arguments: [
      "mqtt://localhost", "mqtt://localhost:1884", "mqtt://[::1]:1884", "mqtts://localhost",
      "mqtts://localhost:1883", "mqtt://localhost:8883",
    ])
  func isWrittenAsItIsRead(_ text: String) throws {
    #expect(try BrokerAddress(parsing: text).description == text)
  }

  @Test func theUserNameIsNotWritten() throws {
    #expect(try BrokerAddress(parsing: "mqtt://me@host").description == "mqtt://host")
  }
}
