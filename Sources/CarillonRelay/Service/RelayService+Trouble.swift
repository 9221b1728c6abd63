import CarillonLoop
import CarillonMQTT
import CarillonModel

// What the broker does to the connection again and again: told as often as it helps.
extension RelayService {
  /// The connection has ended.
  func tellEnd(_ failure: SessionFailure) {
    let isTold = connection.takeover.isWorthTelling && !connection.takeover.isTaken
    let verdict = connection.takeover.disconnected(failure, at: SystemClock.elapsedMilliseconds)
    guard verdict == .nothing else { return takenOver(verdict) }
    if isTold { log.warning("\(failure)" + (connection.takeover.isLastTold ? TakeoverWatch.lastTold : "")) }
  }

  /// Another program has this relay's client id: it is left alone for a minute at a time, or the two would throw each other
  /// out for ever.
  private func takenOver(_ verdict: TakeoverWatch.Verdict) {
    let id = session.configuration.clientID
    if verdict == .taken {
      log.error(
        "another program uses the client id \(id), as a relay on a copy of this store would; end one of them; "
          + "trying again every \(TakeoverWatch.pause.written)")
    }
    loop.notifyStatus("another program is connected as \(id)")
    session.resetConnection("another program is connected as \(id)", retryIn: TakeoverWatch.pause)
  }

  /// Looks, once a second, whether the connection has lasted.
  func noticeLasting() {
    guard connection.takeover.hasLasted(at: SystemClock.elapsedMilliseconds) else { return }
    if connection.takeover.lasted() {
      log.info("the client id \(session.configuration.clientID) is this relay's again")
    }
  }

  private static let crowd =
    "\(Limits.strangers) devices that are not in devices have announced themselves; further ones are ignored"

  /// Too many devices have announced themselves: told once.
  func tellCrowd(besides device: Name) {
    guard !warnings.contains(RelayService.crowd) else { return }
    warnings.append(RelayService.crowd)
    retained.isStateDirty = true
    log.warning("\(RelayService.crowd), \(device) first; list those that are yours, or forget others")
  }

  /// There is room for a device again.
  func endCrowd() {
    warnings.removeAll { $0 == RelayService.crowd }
    retained.isStateDirty = true
  }

  /// The broker did not take a message. A delivery stays open and is sent again; anything else is made anew when it changes.
  func tellRefusal(_ reason: UInt8) {
    connection.takeover.refused()
    let remedy = reason == 0x87 ? "; allow the relay to publish in the broker's access list" : ""
    log.limited("refusals", "the broker refused a message: \(reasonText(reason))\(remedy)")
  }
}
