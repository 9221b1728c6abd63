import CarillonLinks
import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonSchedule

/// What a relay is told by its configuration file, the environment and the command line (protocol §9).
public struct RelayConfiguration: Sendable {
  /// The MQTT broker. Default `mqtt://localhost`.
  public var broker = BrokerAddress(host: "localhost")
  /// The login; the address may name it too.
  public var username: String?
  /// The file that holds the password; read at each connection attempt.
  public var passwordFile: String?
  /// How the broker proves who it is, and how the relay does, where the address is `mqtts://`.
  public var tls = TLSConfiguration()
  /// The longest silence on the connection. Default 60 s: a broken link is noticed within two minutes, at the price of
  /// one packet a minute.
  public var keepAlive: Duration = .seconds(60)
  /// The first topic levels. Default `carillon`.
  public var topics = Topics.standard
  /// The store's file; `nil` for the default place.
  public var store: String?
  /// The IANA zone of wall times without one of their own; `nil` for the machine's.
  public var timezone: String?
  /// Where on the earth the relay is, for triggers of the sun; `nil`: it has not been told, and refuses them.
  public var location: SunLocation?
  /// Devices by group.
  public var groups: [Name: [Name]] = [:]
  /// The devices that `all` means; `nil` for every device that has announced itself. Of others, at most
  /// `Limits.strangers` may announce themselves.
  public var devices: [Name]?
  /// The topics that `when` triggers may watch. Default none.
  public var watchable: [TopicFilter] = []
  /// Which links are taken.
  public var links = LinkPolicy.relayDefault
  /// The most requests that may be pending at once. Default 2,000,000: about 1 GB of disk.
  public var pendingLimit: Int64 = 2_000_000
  /// The most requests of one publisher that may be pending at once; `nil`: as many as all together.
  public var publisherLimit: Int64?
  /// The most commands that a publisher may send in a minute; `nil`: any number.
  public var ratePerMinute: Int64?
  /// What publishers may do; `nil`: everything.
  public var permissions: Permissions?
  /// How long finished requests and their notifications are kept. Default 30 days.
  public var history: Duration = .seconds(30 * 86_400)
  /// What Home Assistant is told. Default: everything, by MQTT discovery.
  public var homeAssistant = HomeAssistantSettings()
  /// The file that the counts are written to, for Prometheus; `nil`: none.
  public var metrics: String?
  public var logLevel: LogLevel = .info

  public init() {}

  /// The keys that this relay gives a meaning.
  public static let keys: Set<String> = [
    "broker", "username", "passwordFile", "tls", "keepAlive", "prefix", "store", "timezone", "location",
    "groups", "devices", "when", "links", "limits", "publishers", "history", "homeAssistant",
    "metrics", "log",
  ]

  /// Reads a configuration file's object.
  ///
  /// - Throws: `unknown-field` or `invalid`, with the key.
  public init(reading fields: Fields) throws(Refusal) {
    try fields.allow(only: RelayConfiguration.keys)
    if let text = try fields.string("broker") { broker = try RelayConfiguration.broker(text, fields) }
    username = try fields.string("username")
    passwordFile = try fields.string("passwordFile")
    if let fields = try fields.object("tls") { tls = try RelayConfiguration.tls(fields) }
    try checkTLS(fields)
    keepAlive = try RelayConfiguration.keepAlive(fields) ?? keepAlive
    if let prefix = try fields.string("prefix") { topics = try Topics(prefix: prefix) }
    store = try fields.string("store").map { text throws(Refusal) in
      try RelayConfiguration.storePath(text, at: fields.place("store"))
    }
    timezone = try fields.string("timezone")
    location = try SunLocation.read("location", of: fields)
    groups = try RelayConfiguration.groups(fields)
    devices = try fields.strings("devices").map { texts throws(Refusal) in
      try RelayConfiguration.names(texts, at: fields.place("devices"))
    }
    watchable = try RelayConfiguration.watchable(try fields.object("when"), under: topics)
    links = try LinkPolicy.relay(reading: try fields.object("links"))
    if let limits = try fields.object("limits") { try readLimits(limits) }
    permissions = try fields.object("publishers").map { object throws(Refusal) in
      try Permissions(reading: object)
    }
    history = try fields.duration("history") ?? history
    homeAssistant = try HomeAssistantSettings(reading: try fields.object("homeAssistant"), under: topics)
    metrics = try fields.string("metrics")
    logLevel = try RelayConfiguration.logLevel(fields) ?? logLevel
    try checkGroups()
  }

  private mutating func readLimits(_ limits: Fields) throws(Refusal) {
    try limits.allow(only: ["pending", "perPublisher", "ratePerMinute"])
    let range: ClosedRange<Int64> = 1...1_000_000_000
    pendingLimit = try limits.integer("pending", in: range) ?? pendingLimit
    publisherLimit = try limits.integer("perPublisher", in: range)
    ratePerMinute = try limits.integer("ratePerMinute", in: range)
  }

  /// A group named like a device would make one name mean two things (protocol §1).
  private func checkGroups() throws(Refusal) {
    let known = Set(devices ?? [])
    for group in groups.keys.sorted() {
      let isMember = groups.values.contains { $0.contains(group) }
      guard !known.contains(group), !isMember else {
        throw Refusal(
          .invalid, at: "groups.\(group)",
          "a group and a device are both named \"\(group)\"; rename one of them")
      }
    }
  }

  /// `sqlite:PATH`.
  public static func storePath(_ text: String, at place: String) throws(Refusal) -> String {
    let scheme = "sqlite:"
    guard text.hasPrefix(scheme), text.utf8.count > scheme.utf8.count else {
      throw Refusal(.invalid, at: place, "\"\(printable(text))\" is no store; write sqlite:PATH")
    }
    return String(text.dropFirst(scheme.count))
  }

  private static func broker(_ text: String, _ fields: Fields) throws(Refusal) -> BrokerAddress {
    do { return try BrokerAddress(parsing: text) } catch { throw fields.refusal("broker", error.description) }
  }

  private static func tls(_ fields: Fields) throws(Refusal) -> TLSConfiguration {
    try fields.allow(only: ["ca", "cert", "key", "insecure"])
    return TLSConfiguration(
      ca: try fields.string("ca"), cert: try fields.string("cert"), key: try fields.string("key"),
      isInsecure: try fields.bool("insecure") ?? false)
  }

  private func checkTLS(_ fields: Fields) throws(Refusal) {
    guard let fault = tls.fault(with: broker) else { return }
    throw fields.refusal(fault.key.isEmpty ? "tls" : "tls.\(fault.key)", fault.description)
  }

  private static func keepAlive(_ fields: Fields) throws(Refusal) -> Duration? {
    guard let duration = try fields.duration("keepAlive") else { return nil }
    guard duration >= .seconds(5), duration <= .seconds(65_535), duration.milliseconds % 1000 == 0 else {
      throw fields.refusal("keepAlive", "a keep-alive is 5 s to 18 hours, in whole seconds")
    }
    return duration
  }

  private static func logLevel(_ fields: Fields) throws(Refusal) -> LogLevel? {
    guard let text = try fields.string("log") else { return nil }
    guard let level = LogLevel(text) else {
      throw fields.refusal("log", "\"\(printable(text))\" is none of error, warning, info, debug")
    }
    return level
  }

  private static func groups(_ fields: Fields) throws(Refusal) -> [Name: [Name]] {
    guard let object = try fields.object("groups") else { return [:] }
    var groups: [Name: [Name]] = [:]
    for member in object.object.members {
      let name = try Name(member.name, at: object.place(printable(member.name)))
      groups[name] = try names(try object.strings(member.name) ?? [], at: object.place(member.name))
    }
    return groups
  }

  private static func names(_ texts: [String], at place: String) throws(Refusal) -> [Name] {
    var names: [Name] = []
    for (index, text) in texts.enumerated() { names.append(try Name(text, at: "\(place)[\(index)]")) }
    return names
  }
}
