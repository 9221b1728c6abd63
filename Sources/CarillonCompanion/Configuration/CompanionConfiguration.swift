import CarillonLinks
import CarillonLoop
import CarillonMQTT
import CarillonModel

/// A companion's settings (protocol §9), each with its default.
public struct CompanionConfiguration: Sendable {
  /// The MQTT broker. Default `mqtt://localhost`.
  public var broker = BrokerAddress(host: "localhost")
  /// The login; the address may name it too.
  public var username: String?
  /// The file that holds the password; read at each connection attempt.
  public var passwordFile: String?
  /// How the broker proves who it is, and how the companion does, where the address is `mqtts://`.
  public var tls = TLSConfiguration()
  /// The longest silence on the connection. Default 60 s: a broken link is noticed within two minutes, at the price of
  /// one packet a minute.
  public var keepAlive: Duration = .seconds(60)
  /// The first topic levels. Default `carillon`.
  public var topics = Topics.standard
  /// The device's name; `nil` for the host's (`hostDevice`).
  public var device: Name?
  /// The routes file; `nil` for no routes: then every link is reported and none is opened.
  public var routes: String?
  /// Whether the routes' commands are run. Default false: steps are only told.
  public var execute = false
  /// `links: { schemes, hosts }`; `nil` for what the routes name.
  public var links: JSONObject?
  /// How notifications are presented, and what opens their links.
  public var presentation = PresentationRules()
  /// Who may show notifications; what the device's person has said since comes before it.
  public var authorization = Authorization()
  /// The programs that take links themselves.
  public var applications: [ApplicationSetting] = []
  /// Whether notifications are shown on the desktop, where there is one.
  public var desktop = true
  /// The folders that a notification's image may come from.
  public var images: [String] = []
  /// The folder of the inbox; `nil` for the default place.
  public var state: String?
  public var logLevel: LogLevel = .info

  public init() {}

  /// The keys that have a meaning.
  public static let keys: Set<String> = [
    "broker", "username", "passwordFile", "tls", "keepAlive", "prefix", "device", "routes", "open", "execute",
    "links", "presentation", "authorization", "applications", "desktop", "images", "log", "state",
  ]

  /// Reads a configuration file's object.
  ///
  /// - Throws: `unknown-field` or `invalid`, with the key.
  public init(reading fields: Fields) throws(Refusal) {
    try fields.allow(only: CompanionConfiguration.keys)
    if let text = try fields.string("broker") { try setBroker(text, at: fields.place("broker")) }
    username = try fields.string("username")
    passwordFile = try fields.string("passwordFile")
    if let fields = try fields.object("tls") { try setTLS(fields) }
    try checkTLS(fields)
    if let value = fields["keepAlive"] { try setKeepAlive(value, at: fields.place("keepAlive")) }
    if let prefix = try fields.string("prefix") { topics = try Topics(prefix: prefix) }
    device = try fields.string("device").map { text throws(Refusal) in
      try Name(text, at: fields.place("device"))
    }
    routes = try fields.string("routes")
    execute = try fields.bool("execute") ?? execute
    try setLinks(fields)
    try setManners(fields)
    state = try fields.string("state")
    if let text = try fields.string("log") { try setLogLevel(text, at: fields.place("log")) }
  }
}

extension CompanionConfiguration {
  public mutating func setBroker(_ text: String, at place: String) throws(Refusal) {
    do { broker = try BrokerAddress(parsing: text) } catch {
      throw Refusal(.invalid, at: place, error.description)
    }
  }

  private mutating func setTLS(_ fields: Fields) throws(Refusal) {
    try fields.allow(only: ["ca", "cert", "key", "insecure"])
    tls = TLSConfiguration(
      ca: try fields.string("ca"), cert: try fields.string("cert"), key: try fields.string("key"),
      isInsecure: try fields.bool("insecure") ?? false)
  }

  private func checkTLS(_ fields: Fields) throws(Refusal) {
    guard let fault = tls.fault(with: broker) else { return }
    throw fields.refusal(fault.key.isEmpty ? "tls" : "tls.\(fault.key)", fault.description)
  }

  /// From 5 s, below which a slow network looks like a dead one, to what CONNECT can say.
  public mutating func setKeepAlive(_ value: JSON, at place: String) throws(Refusal) {
    let duration = try Duration.read(value, at: place)
    guard duration >= .seconds(5), duration <= .seconds(65_535), duration.milliseconds % 1000 == 0 else {
      throw Refusal(.invalid, at: place, "a keep-alive is 5 s to 18 hours, in whole seconds")
    }
    keepAlive = duration
  }

  public mutating func setLogLevel(_ text: String, at place: String) throws(Refusal) {
    guard let level = LogLevel(text) else {
      throw Refusal(
        .invalid, at: place, "\"\(printable(text))\" is none of error, warning, info, debug")
    }
    logLevel = level
  }

  private mutating func setLinks(_ fields: Fields) throws(Refusal) {
    guard let links = try fields.object("links") else { return }
    _ = try Router().policy(reading: links)
    self.links = links.object
  }

  /// The device's name from a host's: its first label, whatever is not allowed in a name as `-`.
  ///
  /// - Throws: `invalid` where nothing is left of it, or it is the reserved `all`.
  public static func device(fromHost host: String) throws(Refusal) -> Name {
    let label = host.utf8.prefix { $0 != UInt8(ascii: ".") }
    let cleaned = label.map { Name.isAllowed($0) ? $0 : UInt8(ascii: "-") }
    return try Name(String(decoding: cleaned.prefix(Name.lengthLimit), as: UTF8.self), at: "device")
  }
}
