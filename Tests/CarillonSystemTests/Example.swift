import CarillonModel
import CarillonTestSupport
import Glibc

/// One folder of `config/examples`, whose very files the tests use.
struct Example {
  let folder: String

  init(_ name: String, file: String = #filePath) {
    let root = file.split(separator: "/").dropLast(3).joined(separator: "/")
    folder = "/\(root)/config/examples/\(name)"
  }

  var routesFile: String { "\(folder)/routes.json5" }

  func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }

  /// A request with another trigger.
  func request(_ name: String, trigger: JSON) throws -> String {
    guard case .object(var object) = try JSON(parsing: try bytes(name)) else {
      throw TestFailure("\(name) is no object")
    }
    object["trigger"] = trigger
    return JSON.object(object).written
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    let fd = open("\(folder)/\(name)", O_RDONLY)
    guard fd >= 0 else { throw TestFailure("there is no \(folder)/\(name)") }
    defer { close(fd) }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    bytes.removeLast(bytes.count - max(0, read(fd, &bytes, bytes.count)))
    return bytes
  }
}

/// The program that routes run for each step: it writes when it begins and ends, and can be held in between.
struct Kiosk {
  let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    let script = """
      #!/bin/sh
      echo "begin $1" >> '\(folder.path)/log'
      while [ -e '\(folder.path)/hold' ]; do sleep 0.02; done
      echo "end $1" >> '\(folder.path)/log'
      """
    chmod(try folder.write("kiosk-show", script + "\n"), 0o755)
  }

  /// For the companion: its commands are found here first.
  var environment: [String: String] {
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    return ["PATH": "\(folder.path):\(path)"]
  }

  /// What has begun and ended so far.
  var log: [String] { (folder.read("log") ?? "").split(separator: "\n").map(String.init) }

  /// From now on programs do not end before `release`.
  func hold() throws { try folder.write("hold", "") }

  func release() { unlink(folder.file("hold")) }
}
