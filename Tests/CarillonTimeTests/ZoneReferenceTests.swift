import CarillonModel
import CarillonTestSupport
import Testing

@testable import CarillonTime

/// Every installed zone against the clocks of two other implementations, 1970 to 2100.
///
/// The committed reference was made with one release of tzdata, and another may be installed: regions change their clocks,
/// and history is corrected. With the same release nothing may differ. With another, a zone that differs is asked anew, of
/// the same implementations and the installed file: what tzdata has changed, they read as well; what this code reads wrong,
/// they do not.
struct ZoneReferenceTests {
  private let database = ZoneDatabase(directory: ZoneDatabase.systemDirectory)

  @Test func `The clocks of every zone are those of the reference`() throws {
    let reference = try ReferenceZones.committed.get()
    let names = database.allNames()
    var unlike: [String: [String]] = [:]
    for name in names {
      let differences = try reference.zones[name]?.differences(from: database.zone(named: name))
      if differences != [] { unlike[name] = differences ?? ["\(name) is not in the reference"] }
    }
    // From the first release of 2021 to that of the reference, 77 zones changed.
    try #require(
      names.count - unlike.count >= 400,
      "\(unlike.count) of \(names.count) zones differ, such as \(unlike.values.first ?? []): make zones.txt anew"
    )
    if !isOfReference(reference), !unlike.isEmpty {
      let anew = try ReferenceZones.made(of: unlike.keys.sorted(), in: database.directory)
      for name in unlike.keys {
        unlike[name] = try anew.zones[name]?.differences(from: database.zone(named: name))
      }
    }
    for difference in unlike.values.joined() { Issue.record("\(difference)") }
  }

  /// Whether the installed tzdata is of the reference's release.
  private func isOfReference(_ reference: ReferenceZones) -> Bool {
    database.version.hasPrefix(reference.release + "-")
  }

  @Test func `The reference holds every zone of its release`() throws {
    let reference = try ReferenceZones.committed.get()
    #expect(reference.zones.count > 590)
    #expect(reference.zones.values.map(\.stretches.count).reduce(0, +) > 50_000)
    if isOfReference(reference) { #expect(Set(database.allNames()) == Set(reference.zones.keys)) }
  }

  /// So that this way is known to work before a release needs it.
  @Test func `A zone can be asked anew`() throws {
    let names = ["Africa/Casablanca", "Europe/Dublin", "Pacific/Apia"]
    let anew = try ReferenceZones.made(of: names, in: database.directory)
    #expect(isOfReference(anew))
    #expect(anew.zones.keys.sorted() == names)
    for (name, reference) in anew.zones {
      #expect(try reference.differences(from: database.zone(named: name)) == [])
      #expect(try reference.differences(from: database.zone(named: "Asia/Tokyo")) != [])
    }
  }

  /// Zones with unusual changes: across midnight, by half an hour, of a whole day, several in a month, in the wrong season.
  static let unusual = [
    "Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "Africa/Monrovia", "Africa/Windhoek",
    "America/Anchorage", "America/Asuncion", "America/Caracas", "America/Havana", "America/Miquelon",
    "America/New_York",
    "America/Nuuk", "America/Santiago", "America/Scoresbysund", "America/St_Johns", "Antarctica/Troll",
    "Asia/Amman",
    "Asia/Beirut", "Asia/Gaza", "Asia/Jerusalem", "Asia/Kathmandu", "Asia/Pyongyang", "Asia/Tehran",
    "Atlantic/Azores",
    "Australia/Lord_Howe", "Australia/Sydney", "Europe/Berlin", "Europe/Chisinau", "Europe/Dublin",
    "Europe/Istanbul",
    "Europe/Kyiv", "Europe/Lisbon", "Europe/London", "Europe/Moscow", "Europe/Volgograd", "Pacific/Apia",
    "Pacific/Auckland",
    "Pacific/Chatham", "Pacific/Easter", "Pacific/Fiji", "Pacific/Kiritimati", "Pacific/Kwajalein",
    "Pacific/Norfolk",
  ]

  @Test(arguments: unusual)
  func `A reading is resolved as the reference's stretches say`(name: String) throws {
    let zone = try database.zone(named: name)
    guard let known = try ReferenceZones.committed.get().zones[name] else {
      throw TestFailure("\(name) is not there")
    }
    // Of a zone that tzdata has changed since, the reference says nothing.
    guard known.differences(from: zone).isEmpty else { return }
    for place in known.stretches.indices.dropFirst() {
      let after = known.stretches[place]
      let offsets = [known.stretches[place - 1].offset.seconds, after.offset.seconds]
      for edge in offsets.map({ after.start + Int64($0) }) {
        for near in [-86_400, -3600, -1, 0, 1, 1800, 86_400] as [Int64] {
          let local = edge + near
          // The fraction goes along.
          let resolution = zone.resolve(CivilTime(utc: WallTime(milliseconds: local * 1000 + 250)))
          let expected = known.resolution(of: local, fraction: 250, around: place)
          guard resolution == expected else {
            Issue.record("\(name), reading \(WallTime(seconds: local)): \(resolution), not \(expected)")
            return
          }
        }
      }
    }
  }
}

extension ReferenceZone {
  /// When clocks show a reading, found by trying every stretch around one; no stretch is shorter than some days.
  fileprivate func resolution(of local: Int64, fraction: Int64, around place: Int) -> LocalResolution {
    let near = max(place - 3, 0)..<min(place + 3, stretches.count)
    var found: [WallTime] = []
    for place in near {
      let second = local - Int64(stretches[place].offset.seconds)
      let next = place + 1 < stretches.count ? stretches[place + 1].start : .max
      if second < next, second >= stretches[place].start || place == 0 {
        found.append(WallTime(milliseconds: second * 1000 + fraction))
      }
    }
    if found.count > 1 { return .repeated(first: found[0], second: found[1]) }
    if let only = found.first { return .unique(only) }
    let gap = near.dropFirst().first { place in
      let (before, after) = (stretches[place - 1], stretches[place])
      return after.start + Int64(before.offset.seconds) <= local
        && local < after.start + Int64(after.offset.seconds)
    }
    return .gap(firstInstantAfter: WallTime(seconds: gap.map { stretches[$0].start } ?? 0))
  }
}
