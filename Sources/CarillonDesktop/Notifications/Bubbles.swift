import CarillonModel

/// What is on the screen, as a value: which bubble has which number of the service, and what the service's signals mean.
///
/// The service numbers a notification only in its answer to `Notify`, and until then it can be replaced or closed here
/// already. Its messages come in the order in which it sent them: what it says of a number before it has answered a
/// replacement is about what was replaced.
struct Bubbles {
  enum Action: Hashable {
    /// Show it in the place of the notification with that number (0: none); the answer belongs to the slot.
    case notify(Bubble, replaces: UInt32, slot: Int)
    /// Close the notification with that number; the answer belongs to the slot.
    case closeNotification(UInt32, slot: Int)
    case tell(Desktop.Event)
  }

  /// A notification of the service's, or one that it has been asked for.
  private struct Slot {
    /// What stands there, or will with the answer.
    var bubble: Bubble
    /// 0 until the service has told it.
    var number: UInt32 = 0
    /// Whether `Notify` has not been answered.
    var isUnderWay = true
    /// What came for the place meanwhile. Of several only the last.
    var next: Bubble?
    var isClosing = false
    /// Whether a person has tapped or acted. That it goes from the screen then is no news.
    var isAnswered = false
    /// The token that came ahead of an action.
    var token: String?
  }

  private var slots: [Int: Slot] = [:]
  private var lastSlot = 0
  private var slotOfTag: [String: Int] = [:]
  private var slotOfKey: [String: Int] = [:]
  /// Only of those that have been answered for what stands there.
  private var slotOfNumber: [UInt32: Int] = [:]

  /// How many notifications there are, those that are being closed included.
  var count: Int { slots.count }

  /// Shows a bubble: in the place of the one with its tag, else in a new one. Of the one that was there nothing is told
  /// any more.
  mutating func show(_ bubble: Bubble) -> [Action] {
    var actions: [Action] = []
    if let old = slotOfKey[bubble.key], slotOfTag[bubble.tag] != old { actions = close(bubble.key) }
    guard let place = slotOfTag[bubble.tag], var slot = slots[place] else {
      lastSlot += 1
      slots[lastSlot] = Slot(bubble: bubble)
      slotOfTag[bubble.tag] = lastSlot
      slotOfKey[bubble.key] = lastSlot
      return actions + [.notify(bubble, replaces: 0, slot: lastSlot)]
    }
    forgetKeys(of: slot, at: place)
    slotOfKey[bubble.key] = place
    if slot.isUnderWay {
      slot.next = bubble
      slots[place] = slot
      return actions
    }
    slotOfNumber[slot.number] = nil
    return actions + [replace(place, slot, by: bubble)]
  }

  /// Closes what shows that key, as soon as the service has told its number; `closed` follows. Nothing where nothing
  /// shows it.
  mutating func close(_ key: String) -> [Action] {
    guard let place = slotOfKey[key], var slot = slots[place], !slot.isClosing else { return [] }
    if let next = slot.next, next.key == key {
      slot.bubble = next
      slot.next = nil
    }
    slot.isClosing = true
    slots[place] = slot
    slotOfTag[slot.bubble.tag] = nil
    return slot.isUnderWay ? [] : [.closeNotification(slot.number, slot: place)]
  }

  /// `Notify` has been answered.
  ///
  /// - Parameter number: 0, which no notification has, counts as a failure.
  mutating func answered(_ place: Int, number: UInt32) -> [Action] {
    guard number != 0 else { return failed(place, "the notification service gave it no number") }
    guard var slot = slots[place] else { return [] }
    slot.number = number
    slot.isUnderWay = false
    if let next = slot.next { return [replace(place, slot, by: next)] }
    // Two places with one number: the service has thrown the older one out.
    let actions = slotOfNumber[number].map { end($0, .unknown) } ?? []
    slots[place] = slot
    slotOfNumber[number] = place
    return actions
      + [slot.isClosing ? .closeNotification(number, slot: place) : .tell(.shown(key: slot.bubble.key))]
  }

  /// `Notify` has failed.
  mutating func failed(_ place: Int, _ reason: String) -> [Action] {
    guard let slot = slots[place] else { return [] }
    if let next = slot.next { return [replace(place, slot, by: next)] }
    let key = slot.bubble.key
    remove(place)
    // What it was to replace still shows what is over.
    var actions: [Action] = slot.number == 0 ? [] : [.closeNotification(slot.number, slot: place)]
    actions.append(.tell(slot.isClosing ? .closed(key: key, .taken) : .refused(key: key, reason: reason)))
    return actions
  }

  /// `CloseNotification` has been answered, if only with an error: there is no such notification any more.
  mutating func closeAnswered(_ place: Int) -> [Action] { end(place, .taken) }

  /// The service has left, and everything with it.
  mutating func reset() {
    slots = [:]
    slotOfTag = [:]
    slotOfKey = [:]
    slotOfNumber = [:]
  }
}

extension Bubbles {
  /// NotificationClosed: reason 1 is expired, 2 dismissed by a person, 3 closed by a call.
  mutating func closed(number: UInt32, reason: UInt32) -> [Action] {
    guard let place = slotOfNumber[number] else { return [] }
    switch reason {
    case 1: return end(place, .timedOut)
    case 2: return end(place, .dismissed)
    case 3: return end(place, .taken)
    default: return end(place, .unknown)
    }
  }

  /// ActivationToken, which comes ahead of the action that it is for.
  mutating func tokenCame(number: UInt32, _ token: String) {
    guard let place = slotOfNumber[number] else { return }
    // It becomes a variable of a program's environment.
    let isPlain = token.utf8.count <= 1000 && token.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    slots[place]?.token = isPlain ? token : nil
  }

  /// ActionInvoked. An action that the bubble does not offer is nothing. With an action the bubble has done its work;
  /// most services take it away themselves, dunst only as its configuration says.
  mutating func invoked(number: UInt32, action: String) -> [Action] {
    guard let place = slotOfNumber[number], let slot = slots[place] else { return [] }
    let key = slot.bubble.key
    let event: Desktop.Event
    if action == NotifyCall.tap {
      guard slot.bubble.takesTap else { return [] }
      event = .tapped(key: key, token: slot.token)
    } else {
      guard let button = slot.bubble.buttons.first(where: { NotifyCall.action(of: $0) == action }) else {
        return []
      }
      event = .acted(key: key, action: button.id, token: slot.token)
    }
    slots[place]?.token = nil
    return [.tell(event)] + finish(place)
  }

  /// NotificationReplied, where an answer in words was asked for.
  mutating func replied(number: UInt32, text: String) -> [Action] {
    guard let place = slotOfNumber[number], let slot = slots[place], slot.bubble.replyTitle != nil else {
      return []
    }
    var text = text
    while text.utf8.count > Response.textLimit { text.unicodeScalars.removeLast() }
    return [.tell(.replied(key: slot.bubble.key, text: text))] + finish(place)
  }
}

extension Bubbles {
  /// A person has answered: it leaves the screen, and is no place for another.
  private mutating func finish(_ place: Int) -> [Action] {
    guard let slot = slots[place] else { return [] }
    slots[place]?.isAnswered = true
    if slotOfTag[slot.bubble.tag] == place { slotOfTag[slot.bubble.tag] = nil }
    return [.closeNotification(slot.number, slot: place)]
  }

  private mutating func replace(_ place: Int, _ old: Slot, by bubble: Bubble) -> Action {
    slots[place] = Slot(bubble: bubble, number: old.number)
    slotOfTag[bubble.tag] = place
    slotOfKey[bubble.key] = place
    return .notify(bubble, replaces: old.number, slot: place)
  }

  private mutating func end(_ place: Int, _ closing: Desktop.Closing) -> [Action] {
    guard let slot = slots[place] else { return [] }
    remove(place)
    if slot.isAnswered, !slot.isClosing { return [] }
    return [.tell(.closed(key: slot.bubble.key, closing))]
  }

  private mutating func remove(_ place: Int) {
    guard let slot = slots.removeValue(forKey: place) else { return }
    forgetKeys(of: slot, at: place)
    if slotOfNumber[slot.number] == place { slotOfNumber[slot.number] = nil }
    if slotOfTag[slot.bubble.tag] == place { slotOfTag[slot.bubble.tag] = nil }
  }

  private mutating func forgetKeys(of slot: Slot, at place: Int) {
    for key in [slot.bubble.key, slot.next?.key] {
      if let key, slotOfKey[key] == place { slotOfKey[key] = nil }
    }
  }
}
