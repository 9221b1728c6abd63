import CarillonModel
import CarillonTime

/// `cron`: five fields as Debian's cron reads them (crontab(5)), on the wall clock.
///
/// Day of month and day of week join by OR where neither begins with `*`, else both must match. A rule whose minute or hour
/// begins with `*` runs through the day; any other has fixed times.
public struct CronRule: WallRule, Hashable {
  let days: CivilDays
  let times: TimesOfDay
  let mode: WallMode

  init(days: CivilDays, times: TimesOfDay, mode: WallMode) {
    self.days = days
    self.times = times
    self.mode = mode
  }

  private var engine: WallEngine<DayTimes<CivilDays>> { WallEngine(DayTimes(days: days, times: times), mode) }

  public var whyNever: String? { days.whyNever }

  public func next(after time: WallTime, in zone: Zone) -> WallTime? { engine.next(after: time, in: zone) }

  public func count(after start: WallTime, through end: WallTime, in zone: Zone) -> Int64 {
    engine.count(after: start, through: end, in: zone)
  }
}
