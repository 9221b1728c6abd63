import CarillonLinks
import CarillonLoop
import CarillonModel

/// A navigation whose steps an attached application takes, each acknowledged before the next is told.
final class HandOver {
  let application: Application
  private let navigation: Navigation
  private let delivery: String
  private let loop: EventLoop
  private let tell: (Int) -> Void
  private var then: ((NavigationOutcome) -> Void)?
  private var step = 0
  private var timer: Timer?

  /// - Parameters:
  ///   - tell: called with each step, counted from 0.
  ///   - then: called once, after the call that brought the end has returned.
  init(
    _ navigation: Navigation, to application: Application, delivery: String, loop: EventLoop,
    tell: @escaping (Int) -> Void, then: @escaping (NavigationOutcome) -> Void
  ) {
    self.navigation = navigation
    self.application = application
    self.delivery = delivery
    self.loop = loop
    self.tell = tell
    self.then = then
  }

  func begin() {
    timer = try? loop.timer(.elapsed) { [unowned self] in
      finish(.failed("\(place): \(application.name) did not answer within \(navigation.timeout.written)"))
    }
    advance()
  }

  private func advance() {
    guard step < navigation.steps.count else { return finish(.opened) }
    timer?.arm(after: navigation.timeout)
    tell(step)
  }

  func done(_ application: Application, _ delivery: String, _ step: Int) {
    guard isAbout(application, delivery, step) else { return }
    self.step += 1
    advance()
  }

  func failed(_ application: Application, _ delivery: String, _ step: Int, _ reason: String) {
    guard isAbout(application, delivery, step) else { return }
    finish(.failed("\(place): \(reason)"))
  }

  func left(_ application: Application) {
    guard application == self.application else { return }
    finish(.failed("\(place): \(application.name) has left"))
  }

  private func isAbout(_ application: Application, _ delivery: String, _ step: Int) -> Bool {
    application == self.application && delivery.isIdentical(to: self.delivery) && step == self.step + 1
  }

  private var place: String { "step \(step + 1) of \(navigation.steps.count)" }

  private func finish(_ outcome: NavigationOutcome) {
    guard let then else { return }
    self.then = nil
    timer?.disarm()
    loop.afterTurn { then(outcome) }
  }
}
