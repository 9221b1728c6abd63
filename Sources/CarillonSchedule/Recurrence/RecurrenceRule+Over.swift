import CarillonModel
import CarillonTime

extension RecurrenceRule {
  /// Whether UNTIL has passed by an instant: nothing is left of the rule, whenever it began.
  func isOver(by time: WallTime, in zone: Zone) -> Bool {
    switch parts.until {
    case .reading(let reading): zone.reading(at: time).utc.seconds > reading
    case .instant(let end): time > end
    case nil: false
    }
  }
}
