import CarillonModel
import CarillonStore

/// How far the finding anew of all due times on the wall clock has come, after tzdata or the clock has changed.
///
/// Due times that are stored are computed ahead; a request's is found anew before it fires, and all others in slices, those
/// first that fall due first. It survives a restart.
struct Recalculation: Hashable, Sendable {
  enum Place: Hashable, Sendable {
    /// Pending requests behind this place in the order of due times are still to come.
    case pending(after: DuePlace)
    /// Then those that are paused, or could not be understood, from after a number.
    case resting(after: Int64)

    /// Where it goes on once a request is done; `nil` for the last one of this kind.
    func next(after request: StoredRequest?) -> Place? {
      switch (self, request) {
      case (.pending, let request?):
        .pending(after: DuePlace(due: request.due ?? .min, sequence: request.sequence))
      case (.pending, nil): .resting(after: 0)
      case (.resting, let request?): .resting(after: request.sequence)
      case (.resting, nil): nil
      }
    }
  }

  /// So many requests may have been looked at, and so many of them have been found to be due earlier, before the store is
  /// told. What it has not been told is found again after a crash.
  static let (mostUnsaved, mostNotes) = (10_000, 500)
  /// But what is due within that time is told at once.
  static let soon: Duration = .seconds(10)

  var place: Place
  /// Requests that were looked at since the store was told.
  var unsaved = 0
  /// Those of them that are due before the time in their row.
  var notes: [DuePlace] = []

  static let start = Recalculation(place: .pending(after: .start))

  /// Whether a pending request's due time may still be the old one.
  func isAhead(of request: StoredRequest) -> Bool {
    guard request.axis == .wall, case .pending(let place) = place, let due = request.due else { return false }
    return place < DuePlace(due: due, sequence: request.sequence)
  }

  init(place: Place) {
    self.place = place
  }

  /// Whether the store is to be told now.
  func isToBeSaved(at moment: Moment) -> Bool {
    let soon = moment.wall + Recalculation.soon
    return unsaved >= Recalculation.mostUnsaved || notes.count >= Recalculation.mostNotes
      || notes.contains { $0.due <= soon.milliseconds }
  }

  // MARK: As a fact in the store

  static let fact = "recalculation"

  var text: String {
    switch place {
    case .pending(let place): "pending \(place.due) \(place.sequence)"
    case .resting(let sequence): "resting \(sequence)"
    }
  }

  init?(_ text: String) {
    let words = text.split(separator: " ")
    let numbers = words.dropFirst().map { Int64($0) }
    switch (words.first, numbers.count) {
    case ("pending", 2):
      guard let due = numbers[0], let sequence = numbers[1] else { return nil }
      place = .pending(after: DuePlace(due: due, sequence: sequence))
    case ("resting", 1):
      guard let sequence = numbers[0] else { return nil }
      place = .resting(after: sequence)
    default: return nil
    }
  }
}
