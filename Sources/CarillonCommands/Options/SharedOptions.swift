/// Options that several verbs take in the same sense.
enum SharedOptions {
  /// The options of every verb.
  static let everywhere = [config, help]

  static let config = Option(
    "config", "FILE", key: .environment,
    "Read this JSON5 file instead of searching for one. It must be there.")
  static let help = Option("help", key: .none, "Show this help.")
  static let version = Option("version", key: .none, "Show the version.")

  static let json = Option("json", "Print one JSON object a line.")

  /// How to reach the broker.
  static let broker = OptionGroup(
    "Broker",
    [
      Option("broker", "URL", "mqtt://[user@]host[:port], or mqtts://… for TLS. Default mqtt://localhost."),
      Option("prefix", "PREFIX", "The topics' first level. Default carillon."),
      Option("username", "NAME", "The name to log in with; also in the URL."),
      Option(
        "password-file", "FILE", path: true,
        "The file that holds the password; a line end behind it does not count."),
      Option(
        "tls-ca", "FILE", path: true, key: .member(of: "tls"),
        "The authorities that may have signed the broker's certificate: a file or a folder. Default: the system's."
      ),
      Option(
        "tls-cert", "FILE", path: true, key: .member(of: "tls"),
        "The certificate to show to the broker; with --tls-key and --tls-ca."),
      Option("tls-key", "FILE", path: true, key: .member(of: "tls"), "The certificate's private key."),
      Option(
        "tls-insecure", key: .member(of: "tls"),
        "Take whoever answers for the broker. For trying something out."),
    ])

  /// How a command is sent and answered.
  static let sending = OptionGroup(
    "Sending",
    [
      Option("wait", "D", "How long to wait for the relay's answer. Default 10s."),
      Option(
        "key", "K", "The idempotency key: the same key and command again run once. Default: a random one."),
      Option("publisher", "NAME", "Publish on command/NAME, for brokers that check who publishes."),
      json,
    ])

  static let queue = Option(
    "queue", "Leave the command at the broker for a relay that is away, and do not wait for its answer.")

  static let timezone = Option(
    "timezone", "ZONE", "The zone of times without an offset, such as Europe/Berlin. Default: the system's.")
}
