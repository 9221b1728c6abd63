import CarillonModel
import CarillonSchedule

extension FuzzTarget {
  static let cron = FuzzTarget(
    "cron", "cron expressions, and what they fire", longest: 1200,
    seeds: [
      "* * * * *", "0 9 * * 1-5", "*/15 8-18 1,15 * *", "30 2 29 2 *", "0 0 31 2 *", "0 0 1 1 7", "@daily",
      "@reboot",
      "@yearly ", "59 23 31 12 0", "0 0 13 * FRI", "5/7 */5 1-31/3 JAN-DEC/2 SUN-SAT", "0 0 * * mon,tue,sun",
      "0 0 * *",
      "0 0 * * * *", "CRON_TZ=UTC 0 0 * * *", "60 24 32 13 8", "0 0 L * ?", "\t1\t2\t3\t4\t5\t",
      "0-59/59 0-23/23 * * *",
      "0 0 30 2 1", "0 0 31 4,6,9,11 *", "1-0 * * * *", "*/0 * * * *", "0 0 */2,*/3 * */2",
    ],
    words: [
      "*", "*/", "-", ",", "/", "@", "?", "L", "W", "#", " ", "\t", "JAN", "feb", "Mon", "SUNDAY", "0", "00",
      "59", "60",
      "23", "31", "12", "7", "@hourly", "@midnight", "@weekly", "@monthly", "@annually", "4294967296", "=",
      "~",
    ]
  ) { input throws(Violation) in
    let text = text(input)
    let rule: CronRule
    do throws(TextFault) { rule = try CronRule(parsing: text) } catch {
      try demandSound(error, in: text)
      return .refused
    }
    try demandSound(rule, in: someZone(for: input))
    return .taken
  }
}
