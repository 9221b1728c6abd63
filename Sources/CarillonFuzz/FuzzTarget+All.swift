extension FuzzTarget {
  /// Every one, the quick ones first.
  public static let all = [
    duration, time, cron, link, profile, response, application, notification, zone, route, recurrence,
    condition, command,
    configuration,
  ]
}
