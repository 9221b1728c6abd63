import CarillonCompanion
import CarillonDesktop
import CarillonLoop
import CarillonModel
import Glibc

/// This machine as a device: its desktop, its companion, and what that may present.
enum DeviceInspection {
  static func run(_ site: Site) -> [Finding] {
    [desktop(site), seat(site)] + companion(site)
  }

  private static let limit: Duration = .seconds(3)

  /// - Returns: nil where there is none.
  private static func bus(_ site: Site) -> String? {
    let environment = site.surroundings.environment
    if let address = environment["DBUS_SESSION_BUS_ADDRESS"], !address.isEmpty { return address }
    guard site.surroundings.hasSessionBus, let folder = environment["XDG_RUNTIME_DIR"] else { return nil }
    return "unix:path=\(folder)/bus"
  }

  private static func desktop(_ site: Site) -> Finding {
    guard let address = bus(site) else {
      return Finding(
        "desktop", .skipped, "there is no session bus: the companion prints lines and shows nothing")
    }
    var told: Desktop.Event?
    do {
      let loop = try EventLoop()
      let desktop = try Desktop(loop: loop, name: "carillon", address: address) { event in
        if told == nil { told = event }
      }
      desktop.start()
      wait(loop) { told != nil }
      desktop.stop()
    } catch {
      return Finding("desktop", .wrong, "\(error)")
    }
    switch told {
    case .available?: return Finding("desktop", .ok, "a notification service answers on the session bus")
    case .unavailable(let reason)?:
      return Finding(
        "desktop", .wrong, visible(reason),
        ["install and start one: apt install dunst, on a bare window manager"])
    default:
      return Finding(
        "desktop", .wrong, "nothing on the session bus answers within \(limit.written)",
        ["log in to the desktop again; busctl --user list shows who is there"])
    }
  }

  private static func seat(_ site: Site) -> Finding {
    var presence = Profile.Presence.unknown
    do {
      let loop = try EventLoop()
      let watch = try SeatWatch(loop: loop, sessionBus: bus(site) ?? "unix:path=/nonexistent") {
        presence = $0
      }
      watch.start()
      wait(loop, .seconds(1)) { presence != .unknown }
      watch.stop()
    } catch {
      return Finding("presence", .wrong, "\(error)")
    }
    return presence == .unknown
      ? Finding("presence", .skipped, "neither logind nor a screen saver tells whether somebody sits here")
      : Finding("presence", .ok, "this seat is \(presence.rawValue)")
  }

  private static func wait(_ loop: EventLoop, _ limit: Duration = limit, until isEnough: () -> Bool) {
    let end = SystemClock.elapsedMilliseconds + limit.milliseconds
    while !isEnough(), SystemClock.elapsedMilliseconds < end {
      guard (try? loop.turn(waiting: .milliseconds(max(1, end - SystemClock.elapsedMilliseconds)))) != nil
      else {
        return
      }
    }
  }

  // MARK: The companion

  private static func companion(_ site: Site) -> [Finding] {
    guard let call = site.companion else {
      return [Finding("companion", .skipped, "its settings cannot be read")]
    }
    do {
      let device = try DeviceName.named(call)
      let folder =
        call.settings.text("state") ?? call.surroundings.stateFolder.map { "\($0)/companion/\(device)" }
      return [socket(device, call)] + (folder.map { authorization($0, device, call) } ?? [])
    } catch let failure as Failure {
      return [Finding("companion", failure)]
    } catch {
      return [Finding("companion", .wrong, "\(error)")]
    }
  }

  private static func socket(_ device: Name, _ call: Invocation) -> Finding {
    let start = ["start it: carillon companion, or systemctl --user start carillon-companion"]
    let place = SocketPlace.path(
      device: device, environment: call.surroundings.environment, state: call.surroundings.stateFolder)
    guard let place else { return Finding("companion", .skipped, "there is no folder for its socket") }
    do throws(LoopError) {
      close(try UnixSocket.connect(to: place))
      return Finding("companion", .ok, "that of \(device) takes applications at \(visible(place))")
    } catch {
      guard error.number == ENOENT || error.number == ECONNREFUSED else {
        return Finding("companion", .wrong, "\(visible(place)): \(systemMessage(error.number))", start)
      }
      let isWanted = !call.settings.configuration.files.isEmpty
      return Finding(
        "companion", isWanted ? .warning : .skipped, "no companion of \(device) runs here",
        isWanted ? start : [])
    }
  }

  private static func authorization(_ folder: String, _ device: Name, _ call: Invocation) -> [Finding] {
    do {
      let standing = try CompanionVerb.configuration(call).authorization
        .overruled(by: AuthorizationFile(in: folder).load())
      var denied = standing.rules.filter { $0.standing == .denied }.map {
        standing.remedy(for: $0, from: $0.publisher)
      }
      if standing.standard == .denied { denied.append("denied by default; carillon device authorize") }
      guard !denied.isEmpty else { return [Finding("authorization", .ok, "\(device) denies nobody")] }
      return denied.map { text in
        let parts = text.split(separator: "; ", maxSplits: 1)
        return Finding(
          "authorization", .warning, visible(String(parts[0])), parts.dropFirst().map { visible(String($0)) })
      }
    } catch let fault as AuthorizationFault {
      return [Finding("authorization", .wrong, fault.description)]
    } catch {
      return [Finding("authorization", .skipped, "\(error)")]
    }
  }
}
