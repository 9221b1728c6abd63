import CarillonLinks
import CarillonLoop
import CarillonModel
import CarillonStore

// The applications: those that are attached, and those that have to be started first.
extension Companion {
  /// Without a socket there are no applications, and all else works.
  func makeHub() {
    guard let path = appearance.socket else { return }
    do throws(SocketFault) {
      let hub = try ApplicationHub(path: path, device: device, loop: loop, log: log) { [unowned self] in
        applicationHas($0)
      }
      state.isAttached = { [unowned hub] in hub.application(for: $0) != nil }
      self.hub = hub
    } catch { log.error("applications cannot attach: \(error)") }
  }

  private func applicationHas(_ event: ApplicationEvent) {
    guard !isStopping else { return }
    switch event {
    case .attached(let application): return attached(application)
    case .detached(let application):
      consulted = consulted.filter { $0.value != application }
      handOver?.left(application)
    case .presentation(_, let delivery, let presentation):
      happened(.ruled(delivery: delivery, presentation))
    case .stepDone(let application, let delivery, let step): handOver?.done(application, delivery, step)
    case .stepFailed(let application, let delivery, let step, let reason):
      handOver?.failed(application, delivery, step, reason)
    case .tapped(_, let delivery): happened(.answered(delivery: delivery, action: nil, text: nil))
    case .acted(_, let delivery, let action, let text):
      happened(.answered(delivery: delivery, action: action, text: text))
    case .dismissed(_, let delivery): happened(.dismissed(delivery: delivery))
    case .authorizationChanged: reloadAuthorization()
    }
    process()
  }

  /// It gets what was held for it, else the latest that nobody has answered.
  private func attached(_ application: Application) {
    log.info(
      "the application \(application.name) is attached, for \(application.schemes.sorted().joined(separator: " "))"
    )
    happened(.attached(schemes: application.schemes))
    process()
    guard handOver?.application != application else { return }
    let entries: [InboxEntry]
    do throws(StoreError) { entries = try store.unanswered(limit: 100) } catch { return }
    let notification = entries.lazy.compactMap(\.notification).first { notification in
      self.state.scheme(of: notification).map { application.schemes.contains($0) } ?? false
    }
    guard let notification else { return }
    consulted[notification.delivery] = application
    hub?.tell(application, notification)
  }

  /// Asks the application that takes a notification's link how to present it.
  func consult(_ notification: Notification, _ usual: Presentation) {
    guard let scheme = state.scheme(of: notification), let application = hub?.application(for: scheme) else {
      happened(.ruled(delivery: notification.delivery, nil))
      return
    }
    consulted[notification.delivery] = application
    hub?.ask(application, notification, usual)
  }

  /// An application that knows of a delivery is told that it is gone.
  func tellApplication(_ line: Line) {
    switch line {
    case .withdrawn(let delivery, _, _): consulted.removeValue(forKey: delivery).map { hub?.tell($0, line) }
    case .expired(let notification):
      consulted.removeValue(forKey: notification.delivery).map { hub?.tell($0, line) }
    case .opened(let notification, _, _): consulted[notification.delivery] = nil
    case .dismissed(let delivery, _), .acted(let delivery, _, _, _): consulted[delivery] = nil
    case .failed(let delivery, _, _):
      consulted[delivery] = nil
      tokens[delivery] = nil
    default: break
    }
  }

  /// Hands a navigation's steps to an application.
  func hand(_ navigation: Navigation, _ opened: Errand.Opened, to application: Application) {
    handOver = HandOver(
      navigation, to: application, delivery: opened.notification.delivery, loop: loop,
      tell: { [unowned self] step in
        let line = navigateLine(step, of: navigation, opened)
        write(.navigate(line))
        hub?.navigate(application, line)
      },
      then: { [unowned self] outcome in
        handOver = nil
        navigated(outcome)
      })
    handOver?.begin()
  }
}

// Applications that are not there.
extension Companion {
  /// Starts the application for a scheme. It attaches when it is ready; until then the link is held.
  func launch(_ scheme: String, _ delivery: String) {
    guard let setting = state.application(for: scheme), launched[setting] == nil else { return }
    guard let command = setting.run, configuration.execute else {
      log.info("a link is held until an application attaches for \(scheme)")
      return
    }
    var spawn = Spawn(command, environment: variables(delivery))
    // Its own output must not come between lines that a program reads.
    if appearance.format == .json { spawn.standardOutput = 2 }
    do throws(LoopError) {
      let process = try spawn.start()
      launched[setting] = try loop.child(process) { [unowned self] exit in
        loop.afterTurn { [weak self] in self?.ended(setting, exit) }
      }
    } catch {
      happened(.absent(schemes: setting.schemes, reason: error.description))
    }
  }

  private func variables(_ delivery: String) -> [String: String] {
    var variables = NavigationVariables.opening
    variables["CARILLON_DEVICE"] = device.text
    variables["CARILLON_SOCKET"] = appearance.socket
    return variables.merging(activation(delivery)) { $1 }
  }

  /// What a program that is started because of a tap needs to come to the front.
  func activation(_ delivery: String) -> [String: String] {
    guard let token = tokens.removeValue(forKey: delivery) else { return [:] }
    return ["XDG_ACTIVATION_TOKEN": token, "DESKTOP_STARTUP_ID": token]
  }

  /// One that has ended well may have left another process that attaches.
  private func ended(_ setting: ApplicationSetting, _ exit: ChildExit) {
    launched[setting] = nil
    guard !isStopping, exit != .exited(0), !setting.schemes.contains(where: state.isAttached) else { return }
    let reason =
      switch exit {
      case .exited(let status): "ended with status \(status)"
      case .signaled(let number): "was ended by signal \(number)"
      }
    let program = printable(setting.run?.first ?? "", limit: 200)
    happened(.absent(schemes: setting.schemes, reason: "\(program) \(reason) before it attached"))
    process()
  }
}
