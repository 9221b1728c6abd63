import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonStore

/// A batch that waits for the store, with nothing read, written or fired meanwhile.
struct HeldBatch {
  var batch: [Arrival]
  /// When to give up, on the boot clock.
  var deadline: Int64
}

/// A store that does not take a batch.
extension RelayService {
  func hold(_ batch: [Arrival], _ error: StoreError) {
    guard damage == nil else { return giveUp(batch, error, at: now()) }
    storeFailed(error, "retrying")
    session.isHeld = true
    // Shorter than half the keep-alive, so that the broker does not give the connection up.
    let patience = min(10_000, configuration.keepAlive.milliseconds / 2 - 500)
    held = HeldBatch(batch: batch, deadline: SystemClock.elapsedMilliseconds + patience)
    timers.hold.arm(after: .milliseconds(20))
  }

  func retryHeld() {
    guard let waiting = held, !isStopping else { return }
    let moment = now()
    takeLeftover(at: moment)
    do throws(StoreError) {
      try commit(waiting.batch, at: moment)
      leftover.supersede(with: waiting.batch, configuration.topics)
    } catch {
      guard damage != nil || SystemClock.elapsedMilliseconds >= waiting.deadline else {
        timers.hold.arm(after: .milliseconds(50))
        return
      }
      giveUp(waiting.batch, error, at: moment)
    }
    held = nil
    session.isHeld = false
    finish()
  }

  /// Answers the commands of a batch that cannot be stored, and keeps what devices said.
  private func giveUp(_ batch: [Arrival], _ error: StoreError, at moment: Moment) {
    log.limited("batches", level: .error, "\(batch.count) messages could not be stored: \(error)")
    perform(relay.unavailable(batch, error), at: moment)
    leftover.keep(batch.filter { relay.isOfDevice($0) })
  }

  /// The connection that a held batch came on has ended. What follows is decided when the broker has told whether it
  /// sends the batch again; meanwhile what is due goes its way.
  func parkHeld() {
    guard let waiting = held else { return }
    timers.hold.disarm()
    leftover.ofLostConnection += waiting.batch
    held = nil
    session.isHeld = false
  }

  /// Takes up what an ended connection left.
  func takeParked(sessionPresent: Bool, at moment: Moment) {
    let parked = leftover.ofLostConnection.filter { !sessionPresent || $0.qos == 0 }
    leftover.ofLostConnection = []
    take(parked, at: moment)
  }

  /// Tries to store what devices said while the store took nothing, without holding anything up. It has transactions of
  /// its own: the broker has the acknowledgement of these messages and does not send them again, so they share no fate
  /// with a batch that it would send again.
  func takeLeftover(at moment: Moment) {
    guard !leftover.ofDevices.isEmpty else { return }
    saveMarks(at: moment)
    guard marks.isEmpty else { return }
    let messages = leftover.ofDevices
    leftover.ofDevices = store(messages[...], at: moment)
  }

  /// - Returns: what the store does not take now.
  private func store(_ messages: ArraySlice<Arrival>, at moment: Moment) -> [Arrival] {
    do throws(StoreError) {
      try commit(Array(messages), at: moment)
      return []
    } catch {
      guard error.isOfTheRow else {
        storeFailed(error, "what devices said waits")
        return Array(messages)
      }
      guard messages.count > 1 else {
        log.error("a message on \(messages.first?.topic ?? "") can never be stored: \(error)")
        return []
      }
      // One of them does not keep the others out.
      let middle = messages.startIndex + messages.count / 2
      return store(messages[..<middle], at: moment) + store(messages[middle...], at: moment)
    }
  }
}

extension StoreError {
  /// Whether it is the fault of what was to be written, so that trying again cannot help: SQLITE_TOOBIG, _CONSTRAINT,
  /// _MISMATCH, _RANGE.
  fileprivate var isOfTheRow: Bool {
    if case .failed(let code, _) = self { [18, 19, 20, 25].contains(code & 0xFF) } else { false }
  }
}
