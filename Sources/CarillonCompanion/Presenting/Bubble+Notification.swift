import CarillonDesktop
import CarillonModel

extension Bubble {
  /// A notification as the desktop shows it.
  init(_ notification: Notification, _ presentation: Presentation, icon: String?) {
    var texts = [notification.title, notification.subtitle, notification.body].compactMap { $0 }
    texts.removeAll { $0.isEmpty }
    // What has no text has a link.
    let title = texts.isEmpty ? notification.url ?? notification.id : texts.removeFirst()
    let reply = notification.replyAction
    self.init(
      key: BubbleKey.delivery(notification.delivery).stored, tag: notification.id, title: title,
      body: texts.joined(separator: "\n"), icon: icon,
      urgency: Urgency(level: notification.level), category: notification.category,
      sound: presentation.contains(.sound) ? notification.soundName : nil,
      buttons: notification.actions.map { Button(id: $0.id, title: $0.title ?? $0.id) },
      takesTap: true, replyTitle: reply.map { $0.title ?? $0.id })
  }

  /// The question whether a publisher may show notifications.
  init(asking publisher: String?, title: String, body: String) {
    self.init(
      key: BubbleKey.prompt(publisher: publisher).stored, tag: BubbleKey.prompt(publisher: publisher).stored,
      title: title, body: body, urgency: .normal,
      buttons: [Button(id: BubbleKey.allow, title: "Allow"), Button(id: BubbleKey.deny, title: "Deny")],
      takesTap: false)
  }
}

extension Bubble.Urgency {
  fileprivate init(level: String?) {
    switch level {
    case "passive": self = .low
    case "critical": self = .critical
    default: self = .normal
    }
  }
}

extension Notification {
  /// The button that takes a written answer: `reply`, as Home Assistant has it.
  var replyAction: Action? { actions.first { $0.id.lowercased() == "reply" } }

  /// A sound of the XDG sound theme; nil for none. Names alone: a path would make the desktop read a file.
  var soundName: String? {
    guard let sound, sound != "none", !sound.isEmpty else { return nil }
    guard sound != "default" else { return "message-new-instant" }
    return sound.utf8.allSatisfy(Name.isAllowed) && !sound.hasPrefix(".") ? sound : "message-new-instant"
  }
}
