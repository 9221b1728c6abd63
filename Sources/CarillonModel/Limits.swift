/// The sizes that the protocol fixes (protocol §2-§6), each in one place.
public enum Limits {
  /// Bytes of a command's payload.
  public static let command = 64 * 1024
  /// Bytes of a link.
  public static let link = 8 * 1024
  /// Bytes of a cron expression, a recurrence rule, a pattern or a pointer.
  public static let expression = 1000
  /// Bytes of a topic, as MQTT has it.
  public static let topic = 65_535
  /// Bytes of a payload that a condition looks at; a longer one never matches.
  public static let watched = 64 * 1024
  /// Requests that wait for something, by a topic or a device: each message on its topic is compared with all of them.
  public static let watches = 10_000
  /// Bytes of a request's identifier.
  public static let identifier = 256
  /// Bytes of a key; long enough for any UUID or hash.
  public static let key = 256
  public static let actions = 8
  /// The largest MQTT packet that relay and companions take, as CONNECT says.
  public static let packet = 1024 * 1024
  /// Bytes of one page of a listing.
  public static let page = 256 * 1024
  /// Entries of a page where the command names no limit.
  public static let pageEntries = 100
  /// Beyond so many identifiers a reply tells the number only.
  public static let listedIdentifiers = 100
  /// Bytes of a refused payload that administrators are shown.
  public static let excerpt = 200
  /// Devices that announce themselves without being listed in the relay's configuration.
  public static let strangers = 256
  /// Bytes of a device's profile.
  public static let profile = 4 * 1024
  /// Deliveries without `received` at one device that is online.
  public static let unreceived = 100
  /// Deliveries that wait for one device that is offline.
  public static let waiting = 10_000
  /// The largest `revision`: what a double holds exactly (2⁵³−1).
  public static let revision: Int64 = 9_007_199_254_740_991
}
