import CarillonModel
import CarillonSchedule
import CarillonTime

/// What holds for every rule of the wall clock in every zone: time goes on, a firing is counted once, and a rule that can
/// never fire does not.
func demandSound(_ rule: some WallRule, in zone: Zone) throws(Violation) {
  let starts = [0, 1_796_144_400_000, 1_800_000_000_001, -62_135_596_800_000] as [Int64]
  for start in starts + [.min, .max] {
    var time = WallTime(milliseconds: start)
    for _ in 0..<3 {
      guard let next = rule.next(after: time, in: zone) else { break }
      try demand(rule.isSatisfiable, "it never fires, and fires at \(next)")
      try demand(next > time, "after \(time) comes \(next)")
      let count = rule.count(after: time, through: next, in: zone)
      try demand(count == 1, "from \(time) to its next firing at \(next) it fires \(count) times")
      time = next
    }
  }
  let (first, last) = (WallTime(milliseconds: 0), WallTime(milliseconds: 100_000_000_000))
  guard let due = rule.first(after: first.milliseconds, in: zone) else { return }
  let backlog = rule.backlog(from: due, at: last.milliseconds, policy: .all, in: zone)
  try demand(backlog.firings.count <= 100, "\(backlog.firings.count) firings at once")
  try demand(
    backlog.next.map { $0.due > due.due || backlog.missed == 0 && $0 == due } ?? true,
    "a backlog does not go on")
}
