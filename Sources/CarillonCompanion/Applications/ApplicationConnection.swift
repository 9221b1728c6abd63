import CarillonLoop
import CarillonModel

/// One program on the socket: an application, once it has attached itself.
final class ApplicationConnection {
  struct Step: Hashable {
    let delivery: String
    let step: Int
  }

  /// Of so many deliveries it is remembered that the application knows them, the newest.
  private static let knownLimit = 1000

  var application: Application?
  var stream: LineStream?
  /// When it must have attached itself, in milliseconds of the elapsed clock.
  let deadline: Int64
  /// The steps that it has not acknowledged.
  private var steps: [Step] = []
  /// The deliveries of which it may say that somebody has answered them.
  private var known: [String] = []

  init(deadline: Int64) { self.deadline = deadline }

  func expect(_ delivery: String, step: Int) { steps.append(Step(delivery: delivery, step: step)) }

  /// Whether that step was waited for. It is not any more.
  func settle(_ delivery: String, step: Int) -> Bool {
    let wanted = Step(delivery: delivery, step: step)
    guard let place = steps.firstIndex(of: wanted) else { return false }
    steps.remove(at: place)
    return true
  }

  func learn(_ delivery: String) {
    guard !knows(delivery) else { return }
    known.append(delivery)
    if known.count > ApplicationConnection.knownLimit { known.removeFirst() }
  }

  func knows(_ delivery: String) -> Bool { known.contains { $0.isIdentical(to: delivery) } }

  func forget(_ delivery: String) { known.removeAll { $0.isIdentical(to: delivery) } }
}
