import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonStore

extension RelayService {
  func perform(_ actions: [Action], at moment: Moment) {
    for action in actions { perform(action, at: moment) }
  }

  private func perform(_ action: Action, at moment: Moment) {
    switch action {
    case .reply(let topic, let correlation, let payload):
      publish(reply: Publication(topic: topic, payload: payload, correlationData: correlation))
    case .reject(let refusal, let payload, let topic):
      metrics.counts.rejected[refusal.code, default: 0] += 1
      let place = refusal.path.isEmpty ? "" : " at \(refusal.path)"
      // One count for all topics, whose last level is the publisher's to choose.
      log.limited(
        "refused", level: .warning, "refused on \(topic): \(refusal.code.rawValue)\(place)")
      publish(Publication(topic: configuration.topics.rejected, payload: payload))
      noteError(LastError(refusal, topic: topic, from: publisher(of: topic), at: moment.wall))
    case .deliver(let delivery):
      if delivery.open == .notification, delivery.firing.fired != nil {
        touchLatest(delivery.device, firing: delivery.firing.row, isNew: true)
        home.lastFired = moment.wall
      }
      perform(outbox.add(delivery, at: moment), at: moment)
    case .recall(let firing): outbox.recall(firing)
    case .settle(let firing, let device):
      perform(outbox.settle(DeliveryKey(firing: firing, device: device)), at: moment)
    case .presence(let device, let name, let isOnline):
      log.info("device \(name) is \(isOnline.map { $0 ? "online" : "offline" } ?? "without a status")")
      // A device that is new may have something retained from another time.
      if retained.latest[device] == nil { retained.dirty[device] = SystemClock.elapsedMilliseconds }
      timers.latest.arm(within: 20)
      perform(outbox.presence(device, isOnline: isOnline), at: moment)
      touchAnnouncement(device)
    case .focus(let device, let name, let isOn):
      log.info("focus of device \(name) is \(isOn ? "on" : "off")")
      publishFocus(device)
      armFocus()
    case .returned(let device): perform(outbox.returned(device), at: moment)
    case .profile(let device): touchAnnouncement(device)
    case .event(let response, let name, let id): publishEvent(response, name, id: id, at: moment)
    case .forget(let device, let name): forget(device, name)
    case .touchLatest(let device, let firing, let isNew): touchLatest(device, firing: firing, isNew: isNew)
    case .watch(let subscribe, let unsubscribe):
      unwatch(unsubscribe)
      watch(subscribe)
    case .crowded(let device): tellCrowd(besides: device)
    case .noted(let what): log.limited("requests", what)
    case .ignored(let what): log.limited("ignored", level: .info, "ignored \(what)")
    }
  }

  private func forget(_ device: Int64, _ name: Name) {
    log.info("device \(name) is forgotten")
    endCrowd()
    outbox.forget(device)
    retained.latest[device] = nil
    retained.dirty[device] = nil
    for leaf in [Topics.Device.latest, .focus, .status, .profile] {
      publish(Publication(topic: configuration.topics.device(name, leaf), payload: [], retain: true))
    }
    unannounce(device, name)
  }

  private func publisher(of topic: String) -> String? {
    if case .command(let publisher) = configuration.topics.meaning(of: topic) { publisher?.text } else { nil }
  }

  /// Publishes a reply. One that the broker does not take is still an answer: that it is too large.
  private func publish(reply: Publication) {
    do throws(PublicationError) {
      try session.publish(reply)
    } catch {
      guard case .tooLarge(let size, let limit) = error else { return tellUnpublished(reply, error) }
      var short = reply
      short.payload = Reply.refused(
        Refusal(
          .tooLarge, "dealt with, but the reply would have \(size) bytes; the broker takes \(limit)"), nil)
      publish(short)
    }
  }

  private func tellUnpublished(_ publication: Publication, _ error: PublicationError) {
    guard error != .notConnected else { return }
    log.limited("publish", level: .warning, "not published on \(publication.topic): \(error)")
  }

  /// Publishes what is no delivery: lost with the connection, never sent again by itself.
  func publish(_ publication: Publication) {
    do throws(PublicationError) {
      try session.publish(publication)
    } catch {
      tellUnpublished(publication, error)
    }
  }

  // MARK: The outbox

  func perform(_ actions: [Outbox.Action], at moment: Moment) {
    for action in actions {
      switch action {
      case .publish(let delivery): publish(delivery, at: moment)
      case .load(let device): load(device, at: moment)
      case .reload(let key): reload(key, at: moment)
      case .released(let keys):
        // What is due leaves before anything is written down about it, but never with the acknowledgements of a batch that
        // is not committed.
        if !isBatchOpen { session.flush() }
        home.lastFired = moment.wall
        for key in keys {
          mark { $0.fire(key.firing, at: moment.wall) }
          touchLatest(key.device, firing: key.firing, isNew: true)
        }
      case .accepted(let key, let closing): mark { $0.accept(key, closing: closing) }
      }
    }
  }

  private func publish(_ delivery: OutgoingDelivery, at moment: Moment) {
    guard let name = relay.devices[delivery.device]?.name else { return outbox.dropped(delivery) }
    let key = DeliveryKey(firing: delivery.firing.row, device: delivery.device)
    let written = writtenAhead.take(delivery, at: moment)
    if delivery.open == .notification, let expires = delivery.firing.expires, expires <= moment.wall {
      outbox.dropped(delivery)
      mark { $0.end(key, .expired, detail: nil) }
      return
    }
    do {
      let packet = try session.publish(try written ?? message(delivery, name, at: moment))
      outbox.published(delivery, packet: packet)
      hasPublished = true
      if delivery.firing.fired == nil {
        home.lastFired = moment.wall
        if delivery.open == .notification {
          let axis = delivery.firing.axis
          metrics.counts.lateness.count(moment.on(axis) - delivery.firing.release)
        }
        mark { $0.fire(key.firing, at: moment.wall) }
        // Its release was not seen in memory, so nothing else has said that it is the newest.
        if delivery.open == .notification { touchLatest(delivery.device, firing: key.firing, isNew: true) }
      }
    } catch PublicationError.notConnected {
      outbox.refused(delivery)
    } catch {
      // It will not get better by being tried again.
      outbox.dropped(delivery)
      let reason = (error as? Refusal)?.message ?? "\(error)"
      log.limited(
        "delivery", level: .warning, "delivery \(writer.id(delivery.firing)) to \(name) failed: \(reason)")
      mark { $0.end(key, .failed, detail: reason) }
    }
  }

  private func message(_ delivery: OutgoingDelivery, _ name: Name, at moment: Moment) throws(Refusal)
    -> Publication
  {
    let life =
      delivery.open == .notification
      ? delivery.firing.expires.map { $0.milliseconds - moment.wall.milliseconds } : nil
    return Publication(
      topic: configuration.topics.device(name, .notification),
      payload: try writer.message(delivery, device: name, fired: moment.wall),
      expiry: life.map { UInt32(clamping: ($0 + 999) / 1000) })
  }

  /// Writes the messages of what goes out next, while the broker is at work.
  func writeAhead(at moment: Moment) {
    guard outbox.isBusy else { return }
    writtenAhead.write(outbox.next(WrittenAhead.limit), at: moment) { delivery in
      // What is wrong with one is told when its turn comes.
      guard let name = relay.devices[delivery.device]?.name,
        delivery.firing.expires.map({ $0 > moment.wall }) ?? true
      else { return nil }
      return try? message(delivery, name, at: moment)
    }
  }

  private func load(_ device: Int64, at moment: Moment) {
    do throws(StoreError) {
      guard let found = try outbox.waiting(for: device, in: queue, besides: marks, at: moment) else { return }
      for end in found.ended { mark { $0.end(end.key, end.state, detail: nil) } }
      perform(outbox.loaded(device, found, at: moment), at: moment)
    } catch {
      storeFailed(error, "deliveries wait")
    }
  }

  private func reload(_ key: DeliveryKey, at moment: Moment) {
    do throws(StoreError) {
      guard let delivery = try queue.outgoing(key.firing, to: key.device), delivery.open != .nothing,
        !marks.closes(key, delivery.open)
      else {
        perform(outbox.settle(key), at: moment)
        return
      }
      perform(outbox.reloaded(delivery, at: moment), at: moment)
    } catch {
      storeFailed(error, "deliveries wait")
    }
  }

  // MARK: Marks

  private func mark(_ change: (inout Marks) -> Void) {
    change(&marks)
    if !timers.marks.isArmed { timers.marks.arm(after: Marks.delay) }
  }

  func markTimerFired() {
    // While more is to go out, it goes out first.
    guard held == nil, !isSending else { return timers.marks.arm(after: Marks.delay) }
    saveMarks(at: now())
  }

  /// Puts marks on record where too many are not.
  func keepMarks() {
    guard !areMarksRefused else { return }
    if marks.mustBeSaved || (marks.mustBeNoted && !isSending) {
      saveMarks(at: now())
    } else if marks.mustBeNoted {
      noteMarks()
    }
  }

  /// Whether more is to go out now: it waits for a slot, or is due and has not been looked at.
  var isSending: Bool { outbox.isBusy || isBusySoon(within: 0, at: now()) }

  private func noteMarks() {
    do throws(StoreError) {
      let marks = marks
      // A power cut may take the note back; only the marks themselves are waited for.
      try transaction(isDurable: false) { () throws(StoreError) in try marks.note(in: queue) }
      self.marks.noted()
    } catch {
      marksRefused(error)
    }
  }

  /// Writes the marks; what the store does not take now is tried again.
  func saveMarks(at moment: Moment) {
    guard !marks.isEmpty else { return }
    do throws(StoreError) {
      let marks = marks
      try transaction { () throws(StoreError) in try marks.save(in: queue, at: moment) }
      FaultPoint.reached("relay.marked")
      self.marks.clear()
      areMarksRefused = false
      retained.isStateDirty = true
    } catch {
      marksRefused(error)
    }
  }

  /// Each try may block for a moment; the timer's are enough.
  private func marksRefused(_ error: StoreError) {
    areMarksRefused = true
    storeFailed(error, "marks wait")
    if !isStopping { timers.marks.arm(after: .milliseconds(500)) }
  }
}
