import CarillonModel
import CarillonTestSupport
import Glibc

/// The code on a page of the documentation, in its order.
struct PageScript {
  struct Block {
    /// The heading that it stands under.
    var section: String
    /// What stands behind the three marks, such as `sh`; empty for what a terminal shows.
    var language: String
    var lines: [String]
  }

  /// What was typed in a terminal, and what it printed.
  struct Step {
    var command: String
    var output: [String]
  }

  let blocks: [Block]

  init(_ name: String, file: String = #filePath) throws {
    let root = "/" + file.split(separator: "/").dropLast(3).joined(separator: "/")
    let folder = try TemporaryDirectory()
    symlink("\(root)/Sources/carillon/Carillon.docc/\(name).md", folder.file("page"))
    guard let text = folder.read("page") else { throw TestFailure("there is no page \(name)") }
    var (blocks, section): ([Block], String) = ([], "")
    var open: Block?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        if let block = open { blocks.append(block) }
        open = open == nil ? Block(section: section, language: String(line.dropFirst(3)), lines: []) : nil
      } else if open != nil {
        open?.lines.append(line)
      } else if line.hasPrefix("## ") {
        section = String(line.dropFirst(3))
      }
    }
    self.blocks = blocks
  }

  /// The text of the first block of a language.
  func text(_ language: String) throws -> String {
    guard let block = blocks.first(where: { $0.language == language }) else {
      throw TestFailure("the page has no block of \(language)")
    }
    return block.lines.joined(separator: "\n") + "\n"
  }
}

extension PageScript.Block {
  var steps: [PageScript.Step] {
    var steps: [PageScript.Step] = []
    for line in lines {
      if line.hasPrefix("$ ") {
        steps.append(.init(command: String(line.dropFirst(2)), output: []))
      } else if !steps.isEmpty {
        steps[steps.count - 1].output.append(line)
      }
    }
    return steps
  }
}

/// A shell in a folder, with the program in its PATH and a broker in its environment.
struct PageShell {
  let home: TemporaryDirectory
  let environment: [String: String]

  init(broker: Broker, home: TemporaryDirectory) throws {
    self.home = home
    let folder = try Program.carillon().split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" }
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    environment = [
      "CARILLON_BROKER": broker.url, "PATH": "\(folder):\(path)", "MQTT_HOST": "127.0.0.1",
      "MQTT_PORT": "\(broker.port)",
      "TZ": "Etc/UTC",
    ]
    // Mosquitto's clients have files for their options.
    mkdir(home.file(".xdg_config_home"), 0o755)
    try home.write(".xdg_config_home/mosquitto_pub", "-h 127.0.0.1\n-p \(broker.port)\n")
  }

  /// What a command prints, on either stream.
  func run(_ command: String, within limit: Duration = .seconds(30)) throws -> [String] {
    let program = try Program(
      ["-c", "exec 2>&1\n" + command], environment: environment, executable: "/bin/sh", home: home)
    try program.waitForExit(within: limit)
    return program.lines()
  }
}

/// Whether a line is what a page says: `…` stands for anything, and ids, keys and times differ.
func isLine(_ line: String, as shown: String) -> Bool {
  let parts = steady(shown).split(separator: "…", omittingEmptySubsequences: false).map(String.init)
  var rest = steady(line)[...]
  guard rest.hasPrefix(parts[0]) else { return false }
  rest = rest.dropFirst(parts[0].count)
  guard parts.count > 1 else { return rest.isEmpty }
  for part in parts[1..<(parts.count - 1)] {
    guard let place = rest.firstRange(of: part) else { return false }
    rest = rest[place.upperBound...]
  }
  return rest.hasSuffix(parts[parts.count - 1])
}

/// A line with what differs from run to run taken out, and the width of columns.
private func steady(_ line: String) -> String {
  var words: [String] = []
  for word in line.split(separator: " ") {
    let core = word.filter { $0 != ":" && $0 != ";" }
    let isHexadecimal = core.allSatisfy { $0.isHexDigit || $0 == "-" }
    if isHexadecimal, core.count >= 32 {
      words.append("ID")
    } else if core.count > 20, core.first == "2", core.contains("T"), core.contains("+") {
      words.append("TIME")
    } else {
      words.append(String(word))
    }
  }
  return words.joined(separator: " ")
}
