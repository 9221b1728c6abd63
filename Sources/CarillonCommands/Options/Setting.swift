/// Where a value was found; the earlier beats the later.
enum Source: Hashable, Sendable, Comparable {
  case commandLine
  case environment
  case file(String)

  private var rank: Int {
    switch self {
    case .commandLine: 0
    case .environment: 1
    case .file: 2
    }
  }

  static func < (left: Source, right: Source) -> Bool { left.rank < right.rank }

  /// What a message about a bad value of the option calls it.
  func label(_ option: Option) -> String {
    switch self {
    case .commandLine: "--\(option.name)"
    case .environment: option.variable
    case .file(let path): "\(option.configurationKey ?? option.name) in \(path)"
    }
  }

  /// Whether it stands nearer than any file.
  var isNear: Bool { rank < 2 }

  /// The folder of the file, with its slash; empty where there is none.
  var folder: String {
    guard case .file(let path) = self, let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[...slash])
  }

  /// How a bad value from there ends the program: a wrong option, or a bad configuration.
  var fault: ExitStatus { self == .commandLine ? .usage : .configuration }
}

/// An option's values and where they come from. A switch that is on has no values.
struct Setting: Hashable, Sendable {
  let option: Option
  var values: [String]
  let source: Source

  var value: String { values.last ?? "" }

  /// The failure that a bad value is.
  func failure(_ message: String, _ status: ExitStatus? = nil) -> Failure {
    Failure(status ?? source.fault, "\(source.label(option)): \(message)")
  }
}
