import CarillonModel
import CarillonTestSupport
import CarillonTime

extension FuzzTarget {
  static let zone = FuzzTarget(
    "zone", "compiled time zones (TZif)", form: .binary, longest: 4096,
    seeds: [TZifFile.rich.bytes, TZifFile.old.bytes, lateZone.bytes, TZifFile().bytes] + installedZones,
    words: [
      "TZif", "\nXST-1XDT,M3.5.0,M10.5.0/3\n", "<+0330>-3:30", "J366", ",0/-167", "/167", "M12.5.6", "\u{0}",
    ]
  ) { input throws(Violation) in
    let zone: Zone
    do throws(ZoneFault) { zone = try Zone(name: "X", tzif: input) } catch {
      try demand(!error.description.isEmpty, "a fault without a word")
      return .refused
    }
    var seed = SplitMix(seed: input.reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1) })
    if let problem = zone.problem(using: &seed) { throw Violation(problem) }
    return .taken
  }

  private static let lateZone = TZifFile(
    transitions: [(Int64.max - 1, 0), (Int64.max, 0)], kinds: [.init(seconds: 89_999)],
    footer: "XST24XDT,J1/-167,365/167")

  private static let installedZones = [
    "Asia/Tokyo", "Europe/Berlin", "Africa/Casablanca", "Antarctica/Troll",
  ]
  .compactMap { ZoneFolder.contents(of: ZoneDatabase.systemDirectory + "/" + $0) }
}

extension Zone {
  /// What a zone, however wrong, must not do: stand still, or show a reading at an instant and not find it. `nil` where it
  /// does nothing of that at instants far and near.
  public func problem(using random: inout SplitMix) -> String? {
    for shift in [0, 12, 18, 20, 24, 30] as [Int64] {
      let time = WallTime(milliseconds: Int64(truncatingIfNeeded: random.next()) >> shift)
      if let next = nextTransition(after: time), next <= time { return "no way on from \(time)" }
      switch resolve(reading(at: time)) {
      case .unique(let found): if shift > 0, found != time { return "\(time) is found as \(found)" }
      case .repeated(let first, let second): if first >= second { return "\(first) and \(second)" }
      case .gap: if shift > 0 { return "\(time) is in a gap" }
      }
    }
    return nil
  }
}
