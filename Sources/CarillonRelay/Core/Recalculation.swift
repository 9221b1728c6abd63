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

  var place: Place

  static let start = Recalculation(place: .pending(after: .start))

  /// Whether a pending request's due time may still be the old one.
  func isAhead(of request: StoredRequest) -> Bool {
    guard request.axis == .wall, case .pending(let place) = place, let due = request.due else { return false }
    return place < DuePlace(due: due, sequence: request.sequence)
  }

  init(place: Place) {
    self.place = place
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
