import CarillonModel
import Glibc

/// The command line: finds the verb, reads its options, runs it, and says what went wrong.
public enum Carillon {
  /// The version that `--version` prints.
  public static let version = "0.1.0"

  /// The verbs, in the order of the help.
  static let verbs: [CommandLineVerb] = [
    RelayVerb.verb, CompanionVerb.verb, Schedule.verb, Cancel.verb, Withdraw.verb, Fire.verb, Pause.verb,
    Resume.verb, Focus.verb, Pending.verb, Delivered.verb, Devices.verb, Preview.verb, Open.verb,
    RoutesCheck.verb, RoutesList.verb, RoutesInstall.verb, RoutesUninstall.verb, DeviceVerbs.authorize,
    DeviceVerbs.deny, Attach.verb, Watch.verb, Backup.verb, Restore.verb, Demo.verb, Doctor.verb,
    Completion.verb,
  ]

  /// What programs call and people seldom: no list names it.
  static let unlisted: [CommandLineVerb] = [StoreCheckVerb.verb, ManualVerb.verb]

  /// Runs one command line, without the program's name.
  public static func run(_ arguments: [String], in surroundings: Surroundings) -> Int32 {
    var label = "carillon"
    do {
      let leading = try OptionParser(table: globalOptions, leading: true).parse(arguments)
      if let status = try global(leading, surroundings) { return status.rawValue }
      let (verb, rest) = try find(leading.operands)
      label = "carillon \(verb.name)"
      return finish(try call(verb, rest, after: leading, surroundings), surroundings).rawValue
    } catch let failure as Failure {
      return report(failure, label, surroundings).rawValue
    } catch {
      return report(Failure(.failure, "\(error)"), label, surroundings).rawValue
    }
  }

  /// Options that may stand before the verb.
  private static let globalOptions =
    SharedOptions.broker.options + [SharedOptions.config, SharedOptions.help, SharedOptions.version]

  /// What needs no verb.
  private static func global(_ words: ParsedWords, _ surroundings: Surroundings) throws -> ExitStatus? {
    let console = surroundings.console
    if words.has("version") {
      console.print("carillon \(version)")
      return .done
    }
    guard let first = words.operands.first else {
      if words.has("help") {
        console.print(lines: Help.overview(verbs))
        return .done
      }
      console.say(lines: Help.overview(verbs))
      return .usage
    }
    if first == "help" { return try help(Array(words.operands.dropFirst()), console) }
    // `carillon routes --help`, where a verb is still missing.
    let isNoun = !verbs.contains { $0.name == first } && verbs.contains { $0.name.hasPrefix(first + " ") }
    let asksBehind = isNoun && words.operands.count == 2 && ["--help", "-h"].contains(words.operands[1])
    return words.has("help") || asksBehind ? try help(words.operands, console) : nil
  }

  private static func help(_ words: [String], _ console: Console) throws -> ExitStatus {
    let words = words.filter { !$0.hasPrefix("-") }
    let matching =
      words.isEmpty
      ? [] : (verbs + unlisted).filter { $0.name.split(separator: " ").map(String.init).starts(with: words) }
    guard words.isEmpty || !matching.isEmpty else {
      _ = try find(words)
      return .usage
    }
    let pages = words.isEmpty ? [Help.overview(verbs)] : matching.map(Help.page)
    console.print(lines: Array(pages.joined(separator: [""])))
    return .done
  }

  /// The verb that the words begin with, and the words behind it.
  private static func find(_ words: [String]) throws -> (CommandLineVerb, [String]) {
    for verb in verbs + unlisted {
      let name = verb.name.split(separator: " ").map(String.init)
      if words.starts(with: name) { return (verb, Array(words.dropFirst(name.count))) }
    }
    let first = words[0]
    let below = verbs.filter { $0.name.hasPrefix(first + " ") }.map {
      String($0.name.dropFirst(first.count + 1))
    }
    if !below.isEmpty {
      let known = below.joined(separator: " or ")
      let given = words.dropFirst().first.map { ", not \(printable($0))" } ?? ""
      throw Failure.usage("\(first) is followed by \(known)\(given)")
    }
    let near = nearest(to: first, among: verbs.map(\.name)).map { "; did you mean \($0)?" }
    throw Failure.usage("there is no verb \(printable(first))\(near ?? "; carillon --help lists them")")
  }

  private static func call(
    _ verb: CommandLineVerb, _ rest: [String], after leading: ParsedWords, _ surroundings: Surroundings
  ) throws -> ExitStatus {
    // `carillon routes check --help` asks for help whatever else is wrong with the line.
    let table = verb.options
    if rest.contains("--help") || rest.contains("-h"),
      (try? OptionParser(table: table).parse(rest))?.has("help") ?? true
    {
      surroundings.console.print(lines: Help.page(verb))
      return .done
    }
    var words = try OptionParser(table: table).parse(rest)
    words.options = try adopt(leading.options, by: verb) + words.options
    guard verb.operands.count.contains(words.operands.count) else { throw operandFault(verb, words.operands) }
    let settings = try settings(verb, words, surroundings)
    return try verb.run(
      Invocation(
        verb: verb, settings: settings, operands: words.operands, surroundings: surroundings, words: words))
  }

  /// Options from before the verb count as if they stood behind it.
  private static func adopt(
    _ options: [(option: Option, value: String?)], by verb: CommandLineVerb
  ) throws -> [(option: Option, value: String?)] {
    for (option, _) in options where !verb.options.contains(where: { $0.name == option.name }) {
      throw Failure.usage("\(verb.name) has no option --\(option.name)")
    }
    return options
  }

  static func settings(
    _ verb: CommandLineVerb, _ words: ParsedWords, _ surroundings: Surroundings
  ) throws -> Settings {
    let config = try Settings(
      table: [SharedOptions.config], words: words, environment: surroundings.environment,
      configuration: .empty)
    var configuration = try Configuration.load(verb.configuration, requested: config["config"], surroundings)
    if verb.configuration == .client { configuration = try configuration.forClient(options: clientKeys) }
    return try Settings(
      table: verb.options, words: words, environment: surroundings.environment, configuration: configuration)
  }

  /// The keys that a client's file may hold: those of the options of every verb that reads one.
  static let clientKeys = Set(
    verbs.filter { $0.configuration == .client }.flatMap(\.options).compactMap(\.configurationKey).map {
      String($0.prefix { $0 != "." })
    })

  private static func operandFault(_ verb: CommandLineVerb, _ operands: [String]) -> Failure {
    let count = verb.operands.count
    if operands.count > count.upperBound {
      return .usage(
        "what is \"\(printable(operands[count.upperBound]))\"? carillon help \(verb.name) says what it takes")
    }
    return .usage("\(verb.operands.placeholder) is missing; carillon help \(verb.name) has examples")
  }

  /// A result that nobody could read is none.
  private static func finish(_ status: ExitStatus, _ surroundings: Surroundings) -> ExitStatus {
    guard status == .done, !surroundings.console.isWhole else { return status }
    surroundings.console.say("carillon: standard output does not take what is written to it")
    return .failure
  }

  private static func report(_ failure: Failure, _ label: String, _ surroundings: Surroundings) -> ExitStatus
  {
    surroundings.console.say("\(label): \(failure.message)")
    surroundings.console.say(lines: failure.details)
    return failure.status
  }
}

extension Carillon {
  /// The whole program: the process's own arguments, environment and streams.
  public static func main() -> Int32 {
    let surroundings = Surroundings.process()
    guard let arguments = words() else {
      surroundings.console.say("carillon: an argument is not valid UTF-8")
      return ExitStatus.usage.rawValue
    }
    return run(arguments, in: surroundings)
  }

  /// The arguments behind the program's name; nil where one is not UTF-8. It would be repaired silently
  /// otherwise, and something else sent than was typed.
  private static func words() -> [String]? {
    var words: [String] = []
    for index in 1..<max(1, Int(CommandLine.argc)) {
      guard let argument = CommandLine.unsafeArgv[index], let word = String(validatingCString: argument)
      else {
        return nil
      }
      words.append(word)
    }
    return CommandLine.argc > 0 ? words : wordsOfTheKernel()
  }

  /// The same as the kernel has them. The Swift runtime finds none where a preloaded library has moved the environment
  /// before `main`, as libfaketime does.
  private static func wordsOfTheKernel() -> [String]? {
    guard let bytes = try? ConfigurationFile.bytes(of: "/proc/self/cmdline") else { return [] }
    // Each ends with a zero.
    let arguments = bytes.split(separator: 0, omittingEmptySubsequences: false).dropFirst().dropLast()
    let words = arguments.map { String(validating: $0, as: UTF8.self) }
    return words.contains(nil) ? nil : words.compactMap { $0 }
  }
}
