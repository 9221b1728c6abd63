import CarillonLoop
import CarillonModel
import CarillonStore

// What the store fails at, and a store that is damaged.
extension RelayService {
  /// How long a relay on a damaged store still tells publishers so before it ends.
  static let farewell: Duration = .seconds(5)

  /// The store has failed at something that is not lost by it.
  ///
  /// - Parameter consequence: what that means, for the log.
  func storeFailed(_ error: StoreError, _ consequence: String) {
    tellStore(error)
    log.limited("store", level: .warning, "\(error); \(consequence)")
  }

  /// Remembers for `relay/state` how the store does. Damage does not go away: from then on nothing is written, commands
  /// are answered `unavailable`, and the relay ends.
  func tellStore(_ error: StoreError?) {
    if case .corrupt? = error { end(damagedBy: error) }
    let state = (damage ?? error)?.state
    guard retained.storeState != state else { return }
    retained.storeState = state
    retained.isStateDirty = true
  }

  private func end(damagedBy error: StoreError?) {
    guard damage == nil, let error else { return }
    damage = error
    log.error(
      "\(error); commands are answered as unavailable, and the relay ends in \(RelayService.farewell.written)"
    )
    loop.notifyStatus("\(error)")
    checking.running?.end()
    checking.running = nil
    timers?.damage.arm(after: RelayService.farewell)
  }
}
