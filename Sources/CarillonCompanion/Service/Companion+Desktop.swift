import CarillonDesktop
import CarillonLoop
import CarillonModel
import CarillonStore

// The desktop: what is shown there, and what a person does with it.
extension Companion {
  /// How many unanswered ones are shown again when the desktop comes back.
  private static let shownAgain = 20

  func makeDesktop() throws(LoopError) {
    if appearance.hasSeat { seat = try SeatWatch(loop: loop) { [unowned self] in presenceIs($0) } }
    guard configuration.desktop, appearance.hasDesktop else { return }
    desktop = try Desktop(loop: loop, name: "Carillon") { [unowned self] in desktopHas($0) }
  }

  private func desktopHas(_ event: Desktop.Event) {
    guard !isStopping else { return }
    switch event {
    case .available:
      log.info("notifications are shown on the desktop")
      showAgain()
      for publisher in prompts { prompt(publisher) }
    case .unavailable(let reason): log.warning("\(reason); notifications are printed only")
    case .shown: break
    case .refused(let key, let reason):
      log.limited("desktop", "the desktop does not show \(printable(key, limit: 200)): \(reason)")
    case .tapped(let key, let token): answered(key, action: nil, token: token)
    case .acted(let key, let action, let token): answered(key, action: action, token: token)
    case .replied(let key, let text): answered(key, action: nil, text: text, isReply: true)
    case .closed(let key, let closing): closed(key, closing)
    }
    process()
  }

  private func answered(
    _ key: String, action: String?, text: String? = nil, isReply: Bool = false, token: String? = nil
  ) {
    switch BubbleKey(stored: key) {
    case .prompt(let publisher): decided(publisher, allows: action == BubbleKey.allow, action: action)
    case .delivery(let delivery):
      keep(token, of: delivery, action)
      let action = isReply ? replyAction(of: delivery) : action
      guard !isReply || action != nil else { return }
      happened(.answered(delivery: delivery, action: action, text: text))
    case nil: break
    }
  }

  /// A token is kept only for what a program will be started for.
  private func keep(_ token: String?, of delivery: String, _ action: String?) {
    guard let token else { return }
    let notification = ((try? store.entry(delivery)) ?? nil)?.notification
    if notification?.url(of: action) != nil { tokens[delivery] = token }
  }

  /// The button that a written answer belongs to.
  private func replyAction(of delivery: String) -> String? {
    let entry = (try? store.entry(delivery)) ?? nil
    return entry?.notification?.replyAction?.id
  }

  private func closed(_ key: String, _ closing: Desktop.Closing) {
    guard case .delivery(let delivery) = BubbleKey(stored: key) else { return }
    forgetBubble(of: delivery)
    switch closing {
    case .dismissed: happened(.dismissed(delivery: delivery))
    case .timedOut: happened(.timedOut(delivery: delivery))
    case .taken, .unknown: break
    }
  }

  func show(_ notification: Notification, _ presentation: Presentation) {
    guard let desktop, desktop.isAvailable else { return }
    desktop.show(
      Bubble(
        notification, presentation,
        icon: ImageFolders(folders: configuration.images).icon(for: notification.image)))
    bubbles[notification.id] = notification.delivery
  }

  /// What was not answered, as if it had just come: the bubbles of before are gone.
  private func showAgain() {
    bubbles = [:]
    let entries: [InboxEntry]
    do throws(StoreError) { entries = try store.unanswered(limit: Companion.shownAgain) } catch { return }
    for entry in entries.reversed() where entry.presentation.contains(.banner) {
      guard let notification = entry.notification else { continue }
      show(notification, entry.presentation.subtracting(.sound))
    }
  }

  func close(_ delivery: String) {
    desktop?.close(BubbleKey.delivery(delivery).stored)
    forgetBubble(of: delivery)
  }

  private func forgetBubble(of delivery: String) {
    if let id = bubbles.first(where: { $0.value.isIdentical(to: delivery) })?.key { bubbles[id] = nil }
  }

  /// No bubble of a request is to be on the screen.
  func clear(_ id: String) {
    if let delivery = bubbles[id] { close(delivery) }
  }
}

// The seat: whether somebody is there.
extension Companion {
  private func presenceIs(_ presence: Profile.Presence) {
    guard presence != state.presence, !isStopping else { return }
    let wasLocked = state.presence == .locked
    state.presence = presence
    introduceAgain()
    guard wasLocked else { return }
    happened(.unveil)
    process()
  }
}
