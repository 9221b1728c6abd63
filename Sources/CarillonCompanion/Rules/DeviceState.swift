import CarillonLinks
import CarillonModel

/// What the companion's decisions depend on besides what is on disk: its settings, and how things are at the moment.
final class DeviceState {
  var configuration: CompanionConfiguration
  let device: Name
  var opener: LinkOpener
  /// What opens links where the settings say nothing.
  let usualOpening: OpenedBy
  /// Do not disturb.
  var focus = false
  var presence = Profile.Presence.unknown
  var authorization = Authorization()
  /// Whether an application is attached for a scheme.
  var isAttached: (_ scheme: String) -> Bool = { _ in false }

  init(_ configuration: CompanionConfiguration, device: Name, opener: LinkOpener, hasDesktop: Bool) {
    self.configuration = configuration
    self.device = device
    self.opener = opener
    usualOpening = hasDesktop ? .tap : .arrival
  }

  var manners: Manners {
    Manners(ruling: { [unowned self] in ruling($0) }, target: { [unowned self] in target($0) })
  }

  /// How it is presented at the moment where nothing else is said, for the profile.
  var usualPresentation: Presentation {
    configuration.presentation.presentations[presence == .locked ? .locked : .background] ?? []
  }

  private func ruling(_ notification: Notification) -> Ruling {
    let publisher = notification.firing.from
    let (standing, rule) = authorization.verdict(
      publisher: publisher, thread: notification.thread, level: notification.level)
    switch standing {
    case .denied: return .suppress(authorization.remedy(for: rule, from: publisher, on: device))
    case .ask: return .ask
    case .authorized: break
    }
    if focus, notification.level != "timeSensitive", notification.level != "critical" {
      return .suppress("focus is on")
    }
    let rules = configuration.presentation
    let opens = rules.opening(of: notification) ?? usualOpening
    if let scheme = scheme(of: notification), isAttached(scheme) {
      return .present(
        .init(rules.presentation(of: notification, in: .foreground), opens: opens, consults: true))
    }
    let background = rules.presentation(of: notification, in: .background)
    guard presence == .locked else { return .present(.init(background, opens: opens)) }
    let locked = rules.presentation(of: notification, in: .locked)
    return .present(
      .init(locked, opens: opens, isVeiled: !background.subtracting(locked).isEmpty))
  }

  private func target(_ url: String) -> Target {
    do {
      let navigation = try opener.navigation(to: url)
      let scheme = navigation.link.scheme
      guard isAttached(scheme) || application(for: scheme) == nil else { return .absent(scheme: scheme) }
      return .ready(Way(route: navigation.route, steps: navigation.steps.map(\.to)))
    } catch { return .refused(error.description) }
  }

  /// The scheme of a notification's link, where it would be opened.
  func scheme(of notification: Notification) -> String? {
    notification.url.flatMap { try? opener.navigation(to: $0) }?.link.scheme
  }

  /// The application that the settings have for a scheme.
  func application(for scheme: String) -> ApplicationSetting? {
    configuration.applications.first { $0.schemes.contains(scheme) }
  }
}
