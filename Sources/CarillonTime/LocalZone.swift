import CarillonModel
import Glibc

/// The zone in which this machine keeps its time, and how that was found out.
public struct LocalZone: Sendable {
  public let zone: Zone
  /// What kept the zone from being found, fit for a warning; `nil` where it was found.
  public let problem: String?
  /// Whether it is UTC only because nothing usable was said.
  public var isAssumed: Bool { problem != nil }

  init(_ zone: Zone, problem: String? = nil) {
    self.zone = zone
    self.problem = problem
  }
}

extension ZoneDatabase {
  /// The machine's zone: from the environment's `TZ`, else from the link `/etc/localtime`, else from `/etc/timezone`; else
  /// UTC. What is set and cannot be used is never passed over in silence: it gives UTC and says why.
  public func local() -> LocalZone {
    local(variable: environmentVariable("TZ"), etc: "/etc")
  }

  /// The same for any value of `TZ` and any folder of settings.
  func local(variable: String?, etc: String) -> LocalZone {
    if let variable { return named(fromVariable: variable) }
    let targets = linkTargets(of: etc + "/localtime")
    if let name = targets.lazy.compactMap(name(fromPath:)).first {
      return found(name, in: etc + "/localtime")
    }
    if !targets.isEmpty {
      return LocalZone(.utc, problem: "\(etc)/localtime leads to no time zone by name; UTC is assumed")
    }
    if let line = ZoneFolder.firstLine(of: etc + "/timezone"), !line.isEmpty {
      return found(String(line), in: etc + "/timezone")
    }
    return LocalZone(.utc, problem: "no time zone is set on this machine; UTC is assumed")
  }

  /// POSIX: an empty `TZ` is UTC; a colon before the name says that it is one. A rule such as `CET-1CEST` has no history and
  /// no name, so it cannot be kept with a request.
  private func named(fromVariable variable: String) -> LocalZone {
    let text = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
    if text.isEmpty { return LocalZone(.utc) }
    return found(text.hasPrefix("/") ? name(fromPath: text) ?? text : text, in: "TZ")
  }

  private func found(_ name: String, in source: String) -> LocalZone {
    do {
      return LocalZone(try zone(named: name, at: source))
    } catch {
      return LocalZone(.utc, problem: "\(source): \(error.message); UTC is assumed")
    }
  }

  /// The part of a path below this folder, or below any folder of zones (`../usr/share/zoneinfo/Europe/Berlin`).
  private func name(fromPath path: String) -> String? {
    if path.hasPrefix(directory + "/") { return plainName(path.dropFirst(directory.count + 1)) }
    let parts = path.split(separator: "/")
    guard let folder = parts.lastIndex(of: "zoneinfo"), folder + 1 < parts.count else { return nil }
    return plainName(parts[(folder + 1)...].joined(separator: "/")[...])
  }

  /// Without the name of the copy: `posix/Europe/Berlin` is the same zone.
  private func plainName(_ name: Substring) -> String {
    String(name.hasPrefix("posix/") ? name.dropFirst("posix/".count) : name)
  }

  /// Where a link leads, step by step: systems with a read-only `/etc` have a second link where it can be written. Empty
  /// where it is none.
  private func linkTargets(of link: String) -> [String] {
    var targets: [String] = []
    while targets.count < ZoneDatabase.mostLinks, let target = linkTarget(of: targets.last ?? link) {
      let folder = (targets.last ?? link).split(separator: "/", omittingEmptySubsequences: false).dropLast()
      targets.append(target.hasPrefix("/") ? target : folder.joined(separator: "/") + "/" + target)
    }
    return targets
  }

  /// More than anybody has; links may lead in a circle.
  private static let mostLinks = 8

  private func linkTarget(of path: String) -> String? {
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink(path, &bytes, bytes.count)
    guard count > 0 else { return nil }
    return String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
