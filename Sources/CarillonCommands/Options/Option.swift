/// One long option of a verb: the line of a table from which parsing, help, the environment's and the
/// configuration file's names all come.
public struct Option: Sendable, Hashable {
  /// What the file is searched for when the option is in no command line.
  public enum Key: Sendable, Hashable {
    /// The option's name in the manner of the files: `keep-alive` is `keepAlive`.
    case sameName
    /// A member of an object of that name, which the option's name begins with: `tls-ca` is `ca` in `tls`.
    case member(of: String)
    /// No file gives it, since it names the file: `--config`.
    case environment
    /// Neither a file nor the environment gives it: `--help`.
    case none
  }

  public let name: String
  /// What stands for the argument in the help, such as `ZONE`; nil for a switch.
  public let argument: String?
  /// Whether every occurrence counts. Of any other option the last one does.
  public let isRepeatable: Bool
  /// What stands between the values of a repeatable option in its environment variable.
  public let separator: Character
  /// Whether the help leaves it out.
  public let isHidden: Bool
  /// Whether it names a file; one that a configuration file names is meant from that file's folder.
  public let isPath: Bool
  public let help: String
  /// Options of one group exclude each other; a group on the command line hides the same group in the
  /// environment, and that the one in the file.
  public let group: String?
  public let key: Key

  /// An option with an argument.
  public init(
    _ name: String, _ argument: String, repeatable: Bool = false, separator: Character = "\n",
    hidden: Bool = false, path: Bool = false, group: String? = nil, key: Key = .sameName, _ help: String
  ) {
    self.init(name, argument: argument, repeatable, separator, hidden, path, group, key, help)
  }

  /// A switch.
  public init(_ name: String, hidden: Bool = false, key: Key = .sameName, _ help: String) {
    self.init(name, argument: nil, false, "\n", hidden, false, nil, key, help)
  }

  private init(
    _ name: String, argument: String?, _ isRepeatable: Bool, _ separator: Character, _ isHidden: Bool,
    _ isPath: Bool, _ group: String?, _ key: Key, _ help: String
  ) {
    self.name = name
    self.argument = argument
    self.isRepeatable = isRepeatable
    self.separator = separator
    self.isHidden = isHidden
    self.isPath = isPath
    self.group = group
    self.key = key
    self.help = help
  }

  /// `CARILLON_KEEP_ALIVE` for `keep-alive` (protocol §8).
  public var variable: String {
    "CARILLON_" + String(name.map { $0 == "-" ? "_" : Character($0.uppercased()) })
  }

  /// `keepAlive` for `keep-alive`, the key in a configuration file, and `tls.ca` for `tls-ca`; nil where no file gives it.
  public var configurationKey: String? {
    switch key {
    case .sameName: Option.key(name[...])
    case .member(let object): "\(object).\(Option.key(name.dropFirst(object.count + 1)))"
    case .environment, .none: nil
    }
  }

  private static func key(_ name: Substring) -> String {
    let words = name.split(separator: "-")
    return words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
  }

  /// As the help shows it.
  public var signature: String {
    "--\(name)" + (argument.map { " \($0)" } ?? "") + (isRepeatable ? " …" : "")
  }
}

/// Options that belong together in the help.
public struct OptionGroup: Sendable {
  public let title: String
  public let options: [Option]

  public init(_ title: String, _ options: [Option]) {
    self.title = title
    self.options = options
  }
}
