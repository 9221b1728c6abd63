import CarillonLoop
import CarillonTestSupport

@testable import CarillonDesktop

/// A desktop's side of a bus: a `Desktop` on a loop of its own, and what it has told.
final class DesktopBench {
  let loop: EventLoop
  let bus: MessageBus
  private(set) var events: [Desktop.Event] = []
  private(set) var desktop: Desktop?

  /// - Parameter address: another one than the bus's.
  init(_ bus: MessageBus, address: String? = nil) throws {
    self.bus = bus
    loop = try EventLoop()
    desktop = try Desktop(
      loop: loop, name: "Carillon", address: address ?? bus.address, pace: Pace(first: .milliseconds(50))
    ) { [unowned self] event in events.append(event) }
  }

  /// Lets the loop run until the condition holds.
  func wait(_ what: String = "the condition", _ condition: () throws -> Bool) throws {
    let deadline = Deadline(after: .seconds(20))
    while try !condition() {
      guard !deadline.hasPassed else { throw TestFailure("\(what) did not come; events: \(events)") }
      try loop.turn(waiting: .milliseconds(5))
    }
  }

  /// Waits until an event has been told.
  func wait(for event: Desktop.Event) throws {
    try wait("\(event)") { events.contains(event) }
  }

  /// Starts it, and waits until bubbles can be shown.
  func begin() throws {
    desktop?.start()
    try wait("a service") { desktop?.isAvailable == true }
  }

  /// Shows a bubble and waits until it is on the screen.
  func show(_ bubble: Bubble) throws {
    desktop?.show(bubble)
    try wait(for: .shown(key: bubble.key))
  }

  /// Shows one more bubble, so that everything that was sent before has been dealt with.
  func settle(_ key: String = "settled") throws { try show(Bubble(key: key, tag: key, title: key)) }

  /// What has been told of one bubble.
  func events(of key: String) -> [Desktop.Event] {
    events.filter { event in
      switch event {
      case .available, .unavailable: false
      case .shown(let other), .refused(let other, _), .tapped(let other, _), .acted(let other, _, _),
        .replied(let other, _), .closed(let other, _):
        other == key
      }
    }
  }

  var unavailable: [String] {
    events.compactMap { if case .unavailable(let reason) = $0 { reason } else { nil } }
  }

  var available: [DesktopCapabilities] {
    events.compactMap { if case .available(let capabilities) = $0 { capabilities } else { nil } }
  }
}

extension Bubble {
  /// One with a tap and two buttons.
  static func bins(_ key: String = "1", tag: String = "bins", title: String = "Bins out") -> Bubble {
    Bubble(
      key: key, tag: tag, title: title, body: "Green and paper.",
      buttons: [Button(id: "done", title: "Done"), Button(id: "later", title: "Later")], takesTap: true)
  }
}
