import CarillonModel
import CarillonStore

/// The arithmetic of a nag: which firings a series has, to whom each goes, and when.
struct NagSeries {
  let nag: Nag

  /// The last position: of the repetitions, or of those for `then`.
  var last: Int64 {
    let times = Int64(nag.times)
    return nag.then == nil ? times : 2 * times + 1
  }

  private var pause: Int64 { nag.every.milliseconds }

  /// Where a series begins to nag.
  ///
  /// - Parameter start: when its first firing goes out, on the elapsed axis.
  func beginning(of firing: Int64, _ sequence: Int64, at start: Int64) -> Followup {
    Followup(
      sequence: sequence, firing: firing, kind: .nag, position: 1, due: start.addingSaturated(pause))
  }

  /// The newest position that is due; what was missed before it is passed over.
  func newest(_ followup: Followup, at now: Int64) -> Followup {
    let passed = max(0, now.subtractingSaturated(followup.due)) / pause
    return moved(followup, by: min(passed, max(0, last - followup.position)))
  }

  /// What comes after a position; `nil` where it is the last.
  func next(after followup: Followup) -> Followup? {
    followup.position < last ? moved(followup, by: 1) : nil
  }

  private func moved(_ followup: Followup, by count: Int64) -> Followup {
    var followup = followup
    followup.position += count
    followup.due = followup.due.addingSaturated(count * pause)
    return followup
  }

  func place(of followup: Followup) -> SeriesPlace {
    SeriesPlace(first: followup.firing, position: followup.position, times: Int64(nag.times))
  }
}

extension Rule {
  /// To whom a firing at a place in a series goes.
  func recipients(at place: SeriesPlace?) -> Recipients {
    guard place?.isForThen == true, let then = nag?.then else { return to }
    return then
  }
}
