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
      Option("broker", "URL", "mqtt://[user@]host[:port]. Default mqtt://localhost."),
      Option("prefix", "PREFIX", "The topics' first level. Default carillon."),
      Option("username", "NAME", "The name to log in with; also in the URL."),
      Option(
        "password-file", "FILE", path: true,
        "The file that holds the password; a line end behind it does not count."),
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

  /// When a request fires.
  static let trigger = OptionGroup(
    "Trigger (none: now)",
    [
      Option("after", "D", group: "trigger", "Once, that much later: 30m, 1h30m, PT90S."), every, from, at,
      triggerJSON, countLimit, until,
    ] + otherTriggers)

  static let every = Option("every", "D", group: "trigger", "Again and again, at least 1s apart.")
  static let from = Option("from", "TIME", "Where --every counts from. Default: one interval from now.")
  static let at = Option(
    "at", "TIME", group: "trigger", "Once, at a date and time: 2026-12-24T18:00, with or without an offset.")
  static let triggerJSON = Option(
    "trigger", "JSON", group: "trigger", "The trigger as JSON, as in a command.")
  static let countLimit = Option("count-limit", "N", "End a repeating trigger after so many firings.")
  static let until = Option("until", "TIME", "End a repeating trigger at this time, inclusive.")

  /// Kinds of trigger that this version knows by name and refuses, so that nobody takes the name for a slip.
  static let otherTriggers = [
    Option("calendar", "COMPONENTS", hidden: true, group: "trigger", ""),
    Option("cron", "EXPR", hidden: true, group: "trigger", ""),
    Option("rrule", "RULE", hidden: true, group: "trigger", ""),
    Option("sun", "EVENT", hidden: true, group: "trigger", ""),
    Option("when", "TOPIC=VALUE", hidden: true, group: "trigger", ""),
    Option("start", "TIME", hidden: true, ""), Option("except", "TIME", repeatable: true, hidden: true, ""),
    Option("offset", "D", hidden: true, ""), Option("repeats", hidden: true, ""),
  ]

  static let timezone = Option(
    "timezone", "ZONE", "The zone of times without an offset, such as Europe/Berlin. Default: the system's.")
}
