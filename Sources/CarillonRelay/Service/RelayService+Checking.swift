import CarillonLoop
import CarillonStore

/// Where the check of a store stands that is too large to be checked before the start.
struct CheckState {
  var running: StoreCheck?
  /// Until the next try, where this one is put off.
  var pause: Duration = .seconds(60)
  /// The log may grow to so many pages while a check keeps it from beginning anew. Default: 64 MiB.
  var logLimit = 16_384
}

// The check of a large store, by a second process beside the relay.
extension RelayService {
  /// After the start: what is due then goes first.
  static let checkDelay: Duration = .seconds(3)
  private static let longestCheckPause: Duration = .seconds(3600)

  func beginCheck() {
    guard !isStopping, damage == nil, checking.running == nil else { return }
    do throws(LoopError) {
      checking.running = try StoreCheck(StoreCheck.command(path), loop: loop) { [unowned self] in
        checked($0)
      }
    } catch {
      checked(.failed("\(error)"))
    }
  }

  func checked(_ outcome: StoreCheck.Outcome) {
    checking.running = nil
    switch outcome {
    case .sound: log.info("the store has been checked and is sound")
    case .damaged(let finding): storeFailed(.corrupt(finding), "found by a check")
    case .failed(let reason):
      log.warning("the store could not be checked (\(reason)); trying again later")
      checkLater()
    }
  }

  /// Puts a check off that keeps the log from beginning anew while much is written.
  func watchCheck() {
    guard checking.running != nil, queue.logPages > checking.logLimit else { return }
    checking.running?.end()
    checking.running = nil
    log.info("the check of the store is put off, since much is written")
    checkLater()
  }

  private func checkLater() {
    timers.check.arm(after: checking.pause)
    checking.pause = min(checking.pause * 2, RelayService.longestCheckPause)
  }
}
