extension SharedOptions {
  /// When a request fires: one of the kinds, and what belongs to it.
  static let trigger = OptionGroup("Trigger (none: now)", kinds.flatMap(\.self) + endings + [triggerJSON])

  /// The kinds of trigger, each with what stands beside it alone.
  private static let kinds = [
    [Option("after", "D", group: kind, "Once, that much later: 30m, 1h30m, PT90S.")],
    [
      Option("every", "D", group: kind, "Again and again, at least 1s apart."),
      Option("from", "TIME", "Where --every counts from. Default: one interval from now."),
    ],
    [
      Option(
        "at", "TIME", group: kind, "Once, at a date and time: 2026-12-24T18:00, with or without an offset.")
    ],
    [
      Option(
        "calendar", "COMPONENTS", group: kind,
        "When the clock shows all of them: 'weekday=mon,fri hour=7 minute=30', of year, month, day, weekday, nth, hour, minute and second."
      )
    ],
    [
      Option(
        "cron", "EXPR", group: kind,
        "The five fields of a crontab, or @daily and its kin: '30 7 * * mon-fri'.")
    ],
    [
      Option("rrule", "RULE", group: kind, "A recurrence rule of RFC 5545: 'FREQ=MONTHLY;BYDAY=-1FR'."),
      Option(
        "start", "TIME",
        "Where --rrule begins; it gives the time of day too. Default: now, and in a preview its start."),
      Option("except", "TIME", repeatable: true, separator: ",", "An occurrence that --rrule leaves out."),
    ],
    [
      Option("sun", "EVENT", group: kind, "At sunrise, sunset, dawn, dusk or noon where the relay is."),
      Option("offset", "D", "So long after what --sun names; before it with a minus: -30m."),
    ],
    [
      Option(
        "when", "TOPIC=VALUE", group: kind,
        "When a message on another topic is this value. The topic ends at the first equals sign.")
    ],
    [Option("repeats", "Every time: for --calendar, --sun and --when, which otherwise fire once.")],
  ]

  private static let endings = [
    Option("count-limit", "N", "End a repeating trigger after so many firings."),
    Option("until", "TIME", "End a repeating trigger at this time, inclusive."),
  ]

  private static let triggerJSON = Option(
    "trigger", "JSON", group: kind, "The trigger as JSON, as in a command; some of it has no option.")

  /// The options that exclude each other.
  private static let kind = "trigger"
}
