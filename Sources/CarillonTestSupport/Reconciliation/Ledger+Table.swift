import CarillonModel

extension Ledger {
  /// What became of the requests of one kind, or of all.
  public struct Row: Sendable {
    public var kind: String
    public var requests = 0
    /// Fired as often as they were to.
    public var fired = 0
    public var cancelled = 0
    public var replaced = 0
    public var expired = 0
    public var pending = 0
    /// In none of the other columns.
    public var unaccounted: Int { requests - fired - cancelled - replaced - expired - pending }
    /// Times that a device has acted.
    public var actions = 0
    /// Times that one has reported it was interrupted.
    public var interrupted = 0
    /// Notifications that were published again.
    public var repeats = 0

    mutating func add(_ row: Row) {
      requests += row.requests
      fired += row.fired
      cancelled += row.cancelled
      replaced += row.replaced
      expired += row.expired
      pending += row.pending
      actions += row.actions
      interrupted += row.interrupted
      repeats += row.repeats
    }
  }

  /// A row for each kind, and one for all together.
  public var table: [Row] {
    var rows: [Row] = []
    var all = Row(kind: "all")
    for kind in Request.Kind.allCases {
      var row = Row(kind: kind.rawValue)
      for entry in entries.values where entry.request.kind == kind { Ledger.count(entry, in: &row) }
      guard row.requests > 0 else { continue }
      rows.append(row)
      all.add(row)
    }
    return rows + [all]
  }

  private static func count(_ entry: Entry, in row: inout Row) {
    row.requests += 1
    let firings = entry.firings.values
    let actions = firings.reduce(0) { $0 + $1.acted.values.reduce(0, +) }
    row.actions += actions
    row.interrupted += firings.reduce(0) { $0 + $1.interrupted.count }
    row.repeats += firings.reduce(0) { $0 + $1.published.values.reduce(0) { $0 + $1 - 1 } }
    switch entry.fate {
    case .asked: break
    case .cancelled: row.cancelled += 1
    case .replaced: row.replaced += 1
    case .stands where entry.request.kind == .far: row.pending += 1
    case .stands, .followed:
      if entry.request.kind == .expiring, actions == 0 {
        row.expired += 1
      } else if firings.count >= entry.request.leastOccurrences {
        row.fired += 1
      } else if entry.fate == .followed {
        // It fired, and made place before anybody saw it.
        row.replaced += 1
      }
    }
  }
}
