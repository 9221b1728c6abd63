import CarillonLinks
import CarillonModel
import Glibc

/// `carillon routes install`: lets a browser's or another program's links go through the routes.
enum RoutesInstall {
  static let verb = CommandLineVerb(
    "routes install", "Let the desktop open a scheme's links through the routes",
    forms: ["SCHEME… [--routes FILE] [--force] [--json]"],
    operands: .init("SCHEME…", 1...Int.max), configuration: .companion,
    groups: [OptionGroup("Options", [RoutesFile.option, force, SharedOptions.json])],
    discussion:
      "Writes a desktop entry that runs carillon open --execute, and names it in mimeapps.list, for this user. A scheme "
      + "that another program opens is refused, unless --force takes it over; uninstall gives it back.",
    examples: [
      .init("Links that begin with home://, from any program:", "carillon routes install home"),
      .init("Although another program opens them:", "carillon routes install mailto --force"),
    ],
    run: run)

  private static let force = Option(
    "force", key: .none, "Take over what another program opens, and http and https.")

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let schemes = try schemes(call)
    let handlers = try SchemeHandlers(call.surroundings.environment)
    let routes = try RoutesFile(call)
    let known = try routes?.router().policy.schemes ?? []
    let owners = try owners(of: schemes, handlers, call)
    try handlers.install(schemes, command: try command(call))
    for scheme in schemes {
      tell(scheme, owners[scheme], call)
      guard !known.contains(scheme) else { continue }
      let reason = routes.map { "no route in \($0.file.path) is for" } ?? "there is no routes file for"
      call.console.say("carillon routes install: \(reason) links of \(scheme), so none will be opened")
    }
    return .done
  }

  /// The schemes that are named, in lower case, each once.
  static func schemes(_ call: Invocation) throws -> [String] {
    var schemes: [String] = []
    for word in call.operands {
      guard let scheme = Link.scheme(named: word) else {
        throw Failure.usage("\"\(printable(word))\" is no scheme; write just its name, such as home")
      }
      if !schemes.contains(scheme) { schemes.append(scheme) }
    }
    return schemes
  }

  /// From whom each scheme is taken.
  ///
  /// - Throws: `Failure`, with a line for each scheme that is not to be had.
  private static func owners(
    of schemes: [String], _ handlers: SchemeHandlers, _ call: Invocation
  ) throws -> [String: SchemeClaim] {
    var owners: [String: SchemeClaim] = [:]
    var refusals: [String] = []
    let isForced = call.settings.has(force.name)
    if try handlers.isEntryForeign(), !isForced {
      refusals.append("\(visible(handlers.entry)) is not of this program's making; --force replaces it")
    }
    for scheme in schemes {
      if let claim = try handlers.claims.precedence(over: handlers.list, on: scheme) {
        refusals.append(
          "\(scheme) is opened by \(claim.described); take it out of \(visible(claim.file)) first")
        continue
      }
      let isOurs = try handlers.isDefault(scheme)
      owners[scheme] = isOurs ? nil : try handlers.claims.claim(on: scheme)
      guard !isForced, !isOurs else { continue }
      if scheme == "http" || scheme == "https" {
        refusals.append(
          "\(scheme) is the browser's: a route that runs the browser would call itself; --force takes it all the same"
        )
      } else if let claim = owners[scheme] {
        refusals.append(
          "\(scheme) is opened by \(claim.described), as \(visible(claim.file)) says; --force takes it over")
      }
    }
    guard let first = refusals.first else { return owners }
    throw Failure(.failure, first, details: Array(refusals.dropFirst()))
  }

  /// What opens a link. The files that this call was told of are named, since nobody will be there to tell.
  private static func command(_ call: Invocation) throws -> [String] {
    guard let program = call.surroundings.program() else {
      throw Failure(.failure, "where this program is cannot be found out")
    }
    // The specification forbids the one, and GLib looks for the program without undoing what escapes the other.
    if let sign = program.first(where: { "=%".contains($0) }) {
      throw Failure(
        .failure,
        "desktops do not find a program with \"\(sign)\" in its path, \(visible(program)); put it elsewhere")
    }
    var command = [program, "open", "--execute"]
    for name in [SharedOptions.config.name, RoutesFile.option.name] {
      guard let setting = call.settings[name], setting.source.isNear else { continue }
      guard let path = absolute(setting.value) else {
        throw Failure(.failure, "the folder at hand cannot be found out; name --\(name) by its whole path")
      }
      command += ["--\(name)", path]
    }
    for word in command where word.holdsControl {
      throw Failure(.failure, "no desktop entry can hold the path \(visible(word))")
    }
    return command
  }

  private static func absolute(_ path: String) -> String? {
    if path.hasPrefix("/") { return path }
    guard let folder = getcwd(nil, 0) else { return nil }
    defer { free(folder) }
    return "\(String(cString: folder))/\(path)"
  }

  private static func tell(_ scheme: String, _ owner: SchemeClaim?, _ call: Invocation) {
    if call.settings.has("json") {
      call.console.print(
        [
          "scheme": .string(scheme), "installed": true,
          "before": owner.map { .string($0.identifier) } ?? .null,
        ])
    } else {
      call.console.print(
        "\(scheme): opened by carillon\(owner.map { ", before that by \($0.described)" } ?? "")")
    }
  }
}
