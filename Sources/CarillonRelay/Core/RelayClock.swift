import CarillonModel

/// The store's axis of elapsed time, made of the boot clock.
///
/// Within one boot it runs with the boot clock, however the wall clock is set. Over a reboot it goes on by the wall
/// clock's difference, as soon as the wall clock can be trusted: after a boot, while the kernel calls it unsynchronised
/// and it shows a time before the newest one in the store, it has not been set yet (protocol §3, clock steps).
struct RelayClock: Hashable, Sendable {
  /// What the kernel says at one instant.
  struct Reading: Hashable, Sendable {
    var bootID: String
    /// CLOCK_REALTIME in milliseconds.
    var wall: Int64
    /// CLOCK_BOOTTIME in milliseconds.
    var boot: Int64
    var isSynchronised: Bool
    /// The one minus the other, read finer and rounded down.
    var difference: Int64?
  }

  /// What the store remembers.
  struct Record: Hashable, Sendable {
    var bootID: String
    /// Elapsed axis minus boot clock.
    var offset: Int64
    /// The newest wall time seen, and the elapsed axis then.
    var wall: Int64
    var elapsed: Int64
    /// Whether the wall clock had been set in that boot.
    var isSet = true

    var text: String { "\(bootID) \(offset) \(wall) \(elapsed) \(isSet ? 1 : 0)" }

    init(bootID: String, offset: Int64, wall: Int64, elapsed: Int64, isSet: Bool = true) {
      self.bootID = bootID
      self.offset = offset
      self.wall = wall
      self.elapsed = elapsed
      self.isSet = isSet
    }

    init?(_ text: String) {
      let parts = text.split(separator: " ")
      guard parts.count == 5, let offset = Int64(parts[1]), let wall = Int64(parts[2]),
        let elapsed = Int64(parts[3])
      else { return nil }
      self.init(
        bootID: String(parts[0]), offset: offset, wall: wall, elapsed: elapsed, isSet: parts[4] == "1")
    }
  }

  private var record: Record
  /// While false, nothing on the wall clock fires.
  private(set) var isSet: Bool
  /// Wall clock minus elapsed axis, as last noted; `nil` before the first reading.
  private var ahead: Int64?
  /// The same as it was when the store was told last, until the first reading.
  private var aheadBefore: Int64?
  /// Whether the wall clock has been set back since somebody took notice.
  private(set) var wasSetBack = false

  /// By how much the wall clock must go back to have been set: clocks that are slewed do not come near it.
  private static let step: Int64 = 1000

  init(_ remembered: Record?, _ reading: Reading) {
    guard let remembered else {
      // A new store: the axis begins where the wall clock is, which makes its numbers readable.
      record = Record(
        bootID: reading.bootID, offset: reading.wall - reading.boot, wall: reading.wall, elapsed: reading.wall
      )
      isSet = true
      return
    }
    record = remembered
    // While the relay was away, the wall clock may have been set back too.
    aheadBefore = remembered.wall - remembered.elapsed
    // A restart within a boot changes nothing about whether the clock has been set in it.
    isSet = remembered.isSet
    if remembered.bootID != reading.bootID { resume(reading) }
  }

  private mutating func resume(_ reading: Reading) {
    let newest = record
    record.bootID = reading.bootID
    isSet = reading.isSynchronised || reading.wall >= newest.wall
    // Elapsed time never runs backwards, whatever the wall clock shows.
    let away = isSet ? max(0, reading.wall - newest.wall) : 0
    record.offset = newest.elapsed + away - reading.boot
  }

  /// Reads both clocks, and notices when the wall clock has been set at last.
  mutating func read(_ reading: Reading) -> Moment {
    if !isSet, reading.isSynchronised || reading.wall >= record.wall {
      let away = max(0, reading.wall - record.wall)
      record.offset = max(record.offset, record.elapsed + away - reading.boot)
      isSet = true
    }
    return moment(wall: reading.wall, boot: reading.boot, difference: reading.difference)
  }

  /// Both clocks on the store's axes. Their difference may waver by one where it is a whole number of milliseconds; it
  /// counts as changed only beyond that.
  ///
  /// - Parameter difference: the wall clock minus the boot clock, read finer than milliseconds and rounded down, so that
  ///   nothing seems to fire before it is due.
  mutating func moment(wall: Int64, boot: Int64, difference: Int64? = nil) -> Moment {
    let elapsed = boot + record.offset
    let ahead = (difference ?? wall - boot) - record.offset
    let known = self.ahead ?? aheadBefore ?? ahead
    let noted = self.ahead.map { abs(ahead - $0) > 1 ? ahead : $0 } ?? ahead
    if isSet, noted <= known - RelayClock.step { wasSetBack = true }
    if isSet {
      self.ahead = noted
      aheadBefore = nil
    }
    return Moment(wall: WallTime(milliseconds: wall), elapsed: elapsed, ahead: noted)
  }

  /// Somebody takes notice of the wall clock's having been set back.
  mutating func noticeStep() { wasSetBack = false }

  /// What to remember now.
  mutating func remember(_ moment: Moment) -> Record {
    record.isSet = isSet
    // While the wall clock is not set, what has passed since its newest time is all that is known of the true one.
    record.wall =
      isSet
      ? moment.wall.milliseconds
      : record.wall.addingSaturated(moment.elapsed.subtractingSaturated(record.elapsed))
    record.elapsed = moment.elapsed
    return record
  }

  /// The boot clock's time for a time of the elapsed axis.
  func boot(_ elapsed: Int64) -> Int64 { elapsed - record.offset }
}
