import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonSchedule
import CarillonStore

extension RelayService {
  /// One wake-up of the session, with everything that it brought.
  func turn(_ events: [SessionEvent]) {
    guard !isStopping else { return }
    let moment = now()
    isBatchOpen = true
    // First free the slots of what was acknowledged and publish what is due: the order is the latency.
    for event in events {
      guard case .acknowledged(let packet, let reason) = event else { continue }
      if reason >= 0x80 { tellRefusal(reason) }
      guard let actions = outbox.acknowledged(packet, isAccepted: reason < 0x80, at: moment) else { continue }
      FaultPoint.reached("relay.acknowledged")
      perform(actions, at: moment)
    }
    if held == nil { release(at: moment) }
    var batch: [Arrival] = []
    for event in events {
      switch event {
      case .message(let message): collect(message, into: &batch, at: moment)
      case .acknowledged: break
      default:
        take(batch, at: moment)
        batch = []
        connectionChanged(event, at: moment)
      }
    }
    take(batch, at: moment)
    isBatchOpen = false
    finish()
  }

  private func collect(_ message: IncomingMessage, into batch: inout [Arrival], at moment: Moment) {
    if message.topic == configuration.topics.relayStatus {
      if let echo = ownStatus(message) { batch.append(echo) }
      return
    }
    if message.topic == birthTopic { homeAssistantSaid(message) }
    batch.append(
      Arrival(
        topic: message.topic, payload: message.payload, qos: message.qos, isRetained: message.isRetained,
        packetID: message.packetID, responseTopic: message.responseTopic,
        correlation: message.correlationData,
        expires: message.expiry.map { moment.elapsed + Int64($0) * 1000 },
        isBacklog: !connection.isCaughtUp))
  }

  /// Decides on a batch, commits it, and acts.
  func take(_ arrivals: [Arrival], at moment: Moment) {
    guard !arrivals.isEmpty else { return }
    guard held == nil else {
      held?.batch += arrivals
      return
    }
    takeLeftover(at: moment)
    FaultPoint.reached("relay.received", if: arrivals.contains { !relay.isOfDevice($0) })
    FaultPoint.reached("relay.answer-received", if: arrivals.contains(where: relay.isResponse))
    do throws(StoreError) {
      try commit(arrivals, at: moment)
      leftover.supersede(with: arrivals, configuration.topics)
    } catch {
      hold(arrivals, error)
    }
  }

  func commit(_ batch: [Arrival], at moment: Moment) throws(StoreError) {
    var draft = relay
    let marks = marks
    let actions = try transaction { () throws(StoreError) in
      try marks.save(in: queue, at: moment)
      return try draft.handle(batch, at: moment)
    }
    metrics.counts.commands += Int64(batch.count { $0.isCommand(configuration.topics) })
    FaultPoint.reached("relay.committed", if: batch.contains { !relay.isOfDevice($0) })
    FaultPoint.reached("relay.answer-committed", if: batch.contains(where: relay.isResponse))
    FaultPoint.reached("relay.marked", if: !marks.isEmpty)
    self.marks.clear()
    areMarksRefused = false
    relay = draft
    if draft.changesSchedule { isNextDueKnown = false }
    retained.isStateDirty = true
    perform(actions, at: moment)
  }

  /// Changes the store, and remembers for `relay/state` how it takes changes.
  ///
  /// - Parameter isDurable: see `Queue.transaction`.
  func transaction<Result>(
    isDurable: Bool = true, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    if let damage { throw damage }
    do throws(StoreError) {
      let result = try queue.transaction(isDurable: isDurable, body)
      metrics.counts.committed = SystemClock.wallMilliseconds
      tellStore(nil)
      return result
    } catch {
      tellStore(error)
      throw error
    }
  }

  // MARK: Time

  /// Publishes what is due.
  private func release(at moment: Moment) {
    guard takeBackMissed(at: moment) else { return }
    perform(outbox.release(at: moment, limit: RelayService.released), at: moment)
  }

  /// So many deliveries are released in one turn, and go out before the next are looked at: a few more than may be under
  /// way. The timer, whose time is over, sees to the next turn.
  private static let released = 50

  /// Takes back what should have gone out more than a minute ago.
  ///
  /// - Returns: whether what is due may go out: the store may not take it now.
  private func takeBackMissed(at moment: Moment) -> Bool {
    let isOverdue = [TimeAxis.wall, .elapsed].contains { axis in
      outbox.nextRelease(on: axis).map { isMissed(due: $0, at: moment.on(axis)) } ?? false
    }
    guard isOverdue else { return true }
    var draft = relay
    do throws(StoreError) {
      let marks = marks
      let actions = try transaction { () throws(StoreError) in
        // What has gone out is not taken back.
        try marks.save(in: queue, at: moment)
        return try draft.takeBackMissed(at: moment, limit: RelayService.slice)
      }
      self.marks.clear()
      areMarksRefused = false
      relay = draft
      isNextDueKnown = false
      perform(actions, at: moment)
      return true
    } catch {
      storeFailed(error, "what is due waits")
      timers.again.arm(after: .milliseconds(50))
      return false
    }
  }

  /// A timer of a release or a preparation.
  func wake() {
    guard !isStopping, held == nil else { return }
    let moment = now()
    release(at: moment)
    finish()
  }

  /// Lets everything leave, prepares what falls due soon, and sets the timers.
  func finish() {
    guard held == nil, !isStopping else { return }
    fillSlots()
    flush()
    let moment = now()
    writeAhead(at: moment)
    if clock.wasSetBack { noticeChanges() }
    prepare(at: moment)
    guard held == nil else { return }
    fillSlots()
    flush()
    keepMarks()
    if queue.isLogLong, outbox.isIdle, !isBusySoon(within: RelayService.copying, at: now()) {
      queue.copyLog()
    }
    arm()
  }

  private func flush() {
    session.flush()
    if hasPublished { FaultPoint.reached("relay.published") }
    hasPublished = false
  }

  /// How long it may take to copy the store's log, in milliseconds: if something goes out within that time, it waits.
  private static let copying: Int64 = 40

  /// Hands out what waits for slots that became free because something was not worth publishing.
  private func fillSlots() {
    let moment = now()
    var actions = outbox.fill(at: moment)
    while !actions.isEmpty {
      perform(actions, at: moment)
      actions = outbox.fill(at: moment)
    }
  }

  /// Requests prepared in one transaction.
  private static let slice = 300

  private func prepare(at moment: Moment) {
    guard connection.mayFire, !timers.again.isArmed, isDue(at: moment) else { return }
    var draft = relay
    do throws(StoreError) {
      let (actions, hasMore) = try transaction { () throws(StoreError) in
        try draft.prepare(
          at: moment, wallClock: clock.isSet, events: connection.isCaughtUp, limit: RelayService.slice)
      }
      FaultPoint.reached("relay.prepared")
      relay = draft
      isNextDueKnown = false
      retained.isStateDirty = true
      perform(actions, at: moment)
      if hasMore { loop.afterTurn { [unowned self] in wake() } }
    } catch {
      storeFailed(error, "what is due waits")
      timers.again.arm(after: .milliseconds(50))
    }
  }

  private func isDue(at moment: Moment) -> Bool {
    readNextDue()
    if let nextFollowup, nextFollowup <= moment.elapsed { return true }
    for axis in axes {
      if let due = nextDue[axis], due <= moment.on(axis).addingSaturated(axis.preparation) { return true }
    }
    return false
  }

  /// The axes whose requests may fire.
  private var axes: [TimeAxis] {
    TimeAxis.allCases.filter { axis in
      switch axis {
      case .wall: clock.isSet
      case .elapsed: true
      case .event: connection.isCaughtUp
      }
    }
  }

  func readNextDue() {
    guard !isNextDueKnown else { return }
    do throws(StoreError) {
      for axis in TimeAxis.allCases { nextDue[axis] = try queue.nextDue(on: axis) }
      nextFollowup = try queue.nextFollowup()
      isNextDueKnown = true
    } catch {
      storeFailed(error, "due times cannot be read")
    }
  }

  /// Sets the timers for the next release and preparation.
  func arm() {
    readNextDue()
    let mayPrepare = connection.mayFire && !timers.again.isArmed
    func next(_ clock: TimeAxis) -> Int64? {
      let preparations = axes.filter { mayPrepare && $0.clock == clock }.map { axis in
        nextDue[axis].map { $0.subtractingSaturated(axis.preparation) }
      }
      let followup = mayPrepare && clock == .elapsed ? nextFollowup : nil
      return ([outbox.nextRelease(on: clock), followup] + preparations).compactMap { $0 }.min()
    }
    if let time = next(.wall), clock.isSet {
      timers.wall.arm(atMilliseconds: time)
    } else {
      timers.wall.disarm()
    }
    if let time = next(.elapsed) {
      timers.elapsed.arm(atMilliseconds: clock.boot(time))
    } else {
      timers.elapsed.disarm()
    }
  }
}
