import Glibc

/// Where a message bus listens, in D-Bus's notation (`unix:path=/run/user/1000/bus`).
enum BusAddress: Hashable, Sendable {
  case known(String)
  /// There is none, in words for people.
  case missing(String)

  /// The user's session bus: DBUS_SESSION_BUS_ADDRESS, else the socket in XDG_RUNTIME_DIR.
  static func session(_ variable: (String) -> String? = environment) -> BusAddress {
    if let address = variable("DBUS_SESSION_BUS_ADDRESS"), !address.isEmpty {
      return checked(address, "DBUS_SESSION_BUS_ADDRESS")
    }
    if let folder = variable("XDG_RUNTIME_DIR"), !folder.isEmpty {
      return .known("unix:path=\(escaped(folder))/bus")
    }
    return .missing("no session bus: neither DBUS_SESSION_BUS_ADDRESS nor XDG_RUNTIME_DIR is set")
  }

  /// The machine's: DBUS_SYSTEM_BUS_ADDRESS, else the place that the specification names.
  static func system(_ variable: (String) -> String? = environment) -> BusAddress {
    if let address = variable("DBUS_SYSTEM_BUS_ADDRESS"), !address.isEmpty {
      return checked(address, "DBUS_SYSTEM_BUS_ADDRESS")
    }
    return .known("unix:path=/run/dbus/system_bus_socket")
  }

  static func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Keeps the Unix sockets of a list. To connect to the other kinds a host name is looked up, or a program started,
  /// and the loop would wait for that.
  private static func checked(_ list: String, _ name: String) -> BusAddress {
    let sockets = list.split(separator: ";").filter { $0.hasPrefix("unix:") }
    guard !sockets.isEmpty else { return .missing("no bus: \(name) names no Unix socket (unix:…)") }
    return .known(sockets.joined(separator: ";"))
  }

  /// Bytes outside of the specification's "optionally-escaped" set travel as %XX.
  private static func escaped(_ path: String) -> String {
    var result = ""
    for byte in path.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain =
        byte < 0x80
        && (scalar.properties.isAlphabetic || (0x30...0x39).contains(byte)
          || "-_/.\\*".unicodeScalars.contains(scalar))
      if isPlain {
        result.unicodeScalars.append(scalar)
      } else {
        result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
      }
    }
    return result
  }
}
