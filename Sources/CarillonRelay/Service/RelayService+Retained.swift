import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonStore

/// What the relay keeps retained at the broker, and when it last said so.
struct RetainedState {
  /// The newest firing for each device.
  var latest: [Int64: Int64] = [:]
  /// Devices whose `latest` has to be looked at again, and the earliest time for it, on the boot clock.
  var dirty: [Int64: Int64] = [:]
  /// When each device's `latest` was published last, on the boot clock.
  var published: [Int64: Int64] = [:]
  /// When a shown `latest` ends to be valid, on the wall clock.
  var ends: [Int64: WallTime] = [:]
  var isStateDirty = true
  var statePublished: Int64 = .min
  /// The store's trouble, as `relay/state` names it; `nil` for none.
  var storeState: String?
  /// Whether more has aged than was taken away.
  var isHouseUntidy = false
  /// The last device of which too old or too many deliveries were looked for; 0 to begin with the first.
  var keptDevice: Int64 = 0
  /// Seconds counted since the start.
  var ticks = 0

  /// The least time between two updates (protocol §1).
  static let pause: Int64 = 1000
  /// How long a notification is the latest (protocol §1).
  static let latestLife: Int64 = 86_400_000
}

extension RelayService {
  /// Marks a device's `latest` for an update, at once or a second after the one before.
  func touchLatest(_ device: Int64, firing: Int64, isNew: Bool) {
    if isNew {
      guard firing >= retained.latest[device] ?? 0 else { return }
      retained.latest[device] = firing
    } else if retained.latest[device] != firing {
      return
    }
    let now = SystemClock.elapsedMilliseconds
    let earliest = (retained.published[device] ?? now - RetainedState.pause) + RetainedState.pause
    retained.dirty[device] = retained.dirty[device] ?? max(now, earliest)
    // After what is due now, and together with what comes at once.
    timers.latest.arm(within: max(20, earliest - now))
  }

  func latestTimerFired() {
    guard held == nil, !isStopping else { return timers.latest.arm(within: 100) }
    publishDueLatest(at: now())
    session.flush()
  }

  /// What is shown for so many devices is published in one turn: what is due meanwhile waits for no more than these.
  private static let shown = 10

  private func publishDueLatest(at moment: Moment) {
    guard connection.isReady, let first = retained.dirty.values.min() else { return }
    let now = SystemClock.elapsedMilliseconds
    // In a burst what is shown would soon be something else; what goes out goes out first.
    if isSending, now < first + RetainedState.pause { return timers.latest.arm(within: 20) }
    // What is shown is read from the store, which is to know when it went out.
    if marks.areOfDeliveries { saveMarks(at: moment) }
    for (device, _) in retained.dirty.filter({ $0.value <= now }).sorted(by: { $0.value < $1.value })
      .prefix(RelayService.shown)
    {
      retained.dirty[device] = nil
      publishLatest(device, at: moment)
    }
    if let next = retained.dirty.values.min() { timers.latest.arm(within: max(1, next - now)) }
  }

  /// Publishes everything retained again, as after each connect.
  func publishRetained(at moment: Moment) {
    let announced = relay.devices.announced.filter { retained.latest[$0] == nil }
    retained.dirty = [:]
    for device in retained.latest.keys.sorted() + announced { publishLatest(device, at: moment) }
    for (row, device) in relay.devices.byRow where device.isAnnounced || device.focus != nil {
      publishFocus(row)
    }
    announceAll()
    publishState(at: moment)
  }

  private func publishLatest(_ device: Int64, at moment: Moment) {
    guard let name = relay.devices[device]?.name else { return }
    let firing = retained.latest[device]
    let shown: OutgoingDelivery?
    do throws(StoreError) {
      shown = try firing.flatMap { firing throws(StoreError) in try queue.outgoing(firing, to: device) }
    } catch {
      // What late subscribers find stays as it is: that the store cannot be read does not take it back.
      storeFailed(error, "the latest of \(name) waits")
      retained.dirty[device] = SystemClock.elapsedMilliseconds + RetainedState.pause
      timers.latest.arm(within: RetainedState.pause)
      return
    }
    retained.published[device] = SystemClock.elapsedMilliseconds
    retained.ends[device] = nil
    var publication = Publication(
      topic: configuration.topics.device(name, .latest), payload: [], retain: true)
    if let shown, let end = end(of: shown, at: moment),
      let payload = try? writer.notification(shown, device: name, fired: moment.wall)
    {
      publication.payload = payload
      publication.expiry = UInt32(clamping: (end.milliseconds - moment.wall.milliseconds + 999) / 1000)
      retained.ends[device] = end
    }
    publish(publication)
    publishLast(shown, name)
    if let firing { marks.latest(device, firing) }
  }

  /// Until when a delivery is the latest; `nil` where it is not any more.
  private func end(of delivery: OutgoingDelivery, at moment: Moment) -> WallTime? {
    let firing = delivery.firing
    let isGone: Bool =
      switch delivery.state {
      case .tapped, .acted, .dismissed, .withdrawn, .expired: true
      default: firing.ended != nil
      }
    let day = firing.due + .milliseconds(RetainedState.latestLife)
    let end = min(day, firing.expires ?? day)
    return isGone || end <= moment.wall ? nil : end
  }

  /// Empties what has ended: a 3.1.1 broker knows no expiry.
  private func endLatest(at moment: Moment) {
    for (device, end) in retained.ends where end <= moment.wall { publishLatest(device, at: moment) }
  }

  // MARK: The state

  func publishState(at moment: Moment) {
    retained.isStateDirty = false
    retained.statePublished = SystemClock.elapsedMilliseconds
    // What is prepared has not fired yet.
    let prepared = try? queue.preparedSummary(at: moment)
    let due = TimeAxis.allCases.compactMap { axis in
      nextDue[axis].map { moment.wall(at: $0, on: axis) }
    }
    let followup = nextFollowup.map { moment.wall(at: $0) }
    let next = (due + [prepared?.next, followup].compactMap { $0 }).min()
    var oldest: WallTime?
    for device in outbox.lanes.keys {
      if let time = try? queue.oldestOpen(device), time <= moment.wall,
        time < oldest ?? time + .milliseconds(1)
      {
        oldest = time
      }
    }
    let zone = relay.defaultZone
    let state: JSON = [
      "pending": .integer(queue.counters.pending + (prepared?.last ?? 0)),
      "next": next.map { .string(zone.timestamp($0)) } ?? .null,
      "fired": .integer(queue.counters.fired), "failed": .integer(queue.counters.failed),
      "oldestUnreceived": oldest.map { .string(zone.timestamp($0)) } ?? .null,
      "store": .string(retained.storeState ?? "ok"),
      "uptime": .integer((SystemClock.elapsedMilliseconds - started) / 1000), "version": .string(version),
      "instance": .string(instance),
      "warnings": .array((warnings + watched.warnings + requestWarnings).map { .string($0) }),
    ]
    publish(Publication(topic: configuration.topics.relayState, payload: state.encoded, retain: true))
    publishSummary(pending: queue.counters.pending + (prepared?.last ?? 0), next: next, oldest: oldest)
  }

  /// What nobody else is told of: that requests are kept which cannot fire.
  private var requestWarnings: [String] {
    guard let count = try? queue.countInvalid(), count > 0 else { return [] }
    let what = count == 1 ? "1 request cannot fire" : "\(count) requests cannot fire"
    return [what + ": its zone, the relay's location or a permission is gone; pending lists it as invalid"]
  }

  // MARK: Once a second

  /// The state is said again so often although nothing changed, for its uptime.
  private static let statePeriod: Int64 = 60_000

  func tick() {
    defer { timers.tick.arm(after: .seconds(1)) }
    if !isStopping { writeMetrics() }
    guard held == nil, !isStopping else { return }
    if reloading.isDue { reload() }
    let moment = now()
    watchCheck()
    settleHead(at: moment)
    if connection.isReady {
      noticeLasting()
      announceNext()
      let age = SystemClock.elapsedMilliseconds - retained.statePublished
      if retained.isStateDirty || age >= RelayService.statePeriod { publishState(at: moment) }
      endLatest(at: moment)
      perform(outbox.loads, at: moment)
      // A minute and more is waited for an answer, so looking once a second is close enough.
      perform(outbox.retry(at: moment), at: moment)
    }
    takeLeftover(at: moment)
    finishWatches(at: moment)
    endFocus(at: moment)
    keepHouse(at: moment)
    if retained.storeState != nil { tryStore(at: moment) }
    log.settle()
    finish()
  }

  /// Looks whether the store takes changes again: without it, its trouble would be told for as long as nothing happens.
  private func tryStore(at moment: Moment) {
    do throws(StoreError) {
      try rememberClocks(at: moment)
    } catch {
      storeFailed(error, "trying again")
    }
  }

  /// Ages out what is old, a slice at a time, and remembers the clocks.
  private func keepHouse(at moment: Moment) {
    retained.ticks += 1
    guard retained.ticks % 10 == 0 || retained.isHouseUntidy else { return }
    do throws(StoreError) {
      let slice = 500
      var dropped = 0
      try transaction { () throws(StoreError) in
        try writeClocks(at: moment)
        for axis in [TimeAxis.wall, .elapsed] {
          try queue.markReleased(through: moment.on(axis) - 2000, on: axis, at: moment.wall)
        }
        let keys = try queue.pruneKeys(
          before: moment.elapsed.subtractingSaturated(Relay.keyLife.milliseconds), limit: slice)
        let old = try queue.pruneHistory(
          before: moment.wall - configuration.history,
          notedBefore: moment.elapsed.subtractingSaturated(configuration.history.milliseconds),
          revisionsBefore: moment.wall - max(configuration.history, RelayService.revisionLife), limit: slice)
        // More has aged than one slice takes away: the next follows at the next tick.
        retained.isHouseUntidy = keys >= slice || !old.isDone
        dropped = try dropWaiting(at: moment)
      }
      if dropped > 0 { tellDropped(dropped) }
    } catch {
      storeFailed(error, "housekeeping waits")
    }
  }

  /// How long a cancelled id keeps its revision, however short the history is.
  private static let revisionLife: Duration = .seconds(30 * 86_400)

  /// How long a delivery waits for a device (protocol §4).
  static let waitingLife: Duration = .seconds(30 * 86_400)

  /// So many devices are looked at in one turn, and so many of their deliveries dropped.
  private static let (devicesAtOnce, dropsAtOnce) = (25, 2000)

  /// Drops what has waited for too long or is too much, for a few devices at a time and all of them in turn: also those
  /// that are online and never answer.
  private func dropWaiting(at moment: Moment) throws(StoreError) -> Int {
    let devices = try queue.devicesWithOpen(after: retained.keptDevice, limit: RelayService.devicesAtOnce)
    var dropped = 0
    for device in devices {
      dropped += try queue.dropWaiting(
        device, dueBefore: moment.wall - RelayService.waitingLife,
        keeping: try mayWaitAtWill(device, at: moment) ? nil : Limits.waiting,
        atMost: RelayService.dropsAtOnce - dropped, at: moment.wall)
      guard dropped < RelayService.dropsAtOnce else {
        // More of this device may have to go: it is the first again at the next tick.
        retained.isHouseUntidy = true
        return dropped
      }
      retained.keptDevice = device
    }
    if devices.count < RelayService.devicesAtOnce { retained.keptDevice = 0 }
    return dropped
  }

  /// Whether any number may wait for a device. What is on its way to one that takes it is no backlog, however much it is,
  /// nor is what waits for the broker; one that has not answered for so long is as good as away.
  private func mayWaitAtWill(_ device: Int64, at moment: Moment) throws(StoreError) -> Bool {
    switch relay.devices[device]?.isOnline {
    case nil: true
    case true?: try queue.oldestOpen(device).map { $0 >= moment.wall - RelayService.answerTime } ?? true
    case false?: false
    }
  }

  /// How long a device that is online may take to answer before it counts as away.
  private static let answerTime: Duration = .seconds(3600)

  private func tellDropped(_ count: Int) {
    let text =
      "\(count) deliveries that waited for devices were dropped: at most \(Limits.waiting), or 30 days, wait"
    log.warning(text)
    warnings.removeAll { $0.hasSuffix("wait") }
    warnings.append(text)
    retained.isStateDirty = true
  }
}
