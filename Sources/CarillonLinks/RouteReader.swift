import CarillonModel

/// Reads a routes file and gathers everything that is wrong with it, so that loading and `routes check` judge alike.
struct RouteReader {
  struct Entry {
    /// Such as `routes[2]`.
    let path: String
    let route: Route
  }

  private(set) var faults: [RouteFault] = []
  /// The routes without a fatal fault, in the order of the file.
  private(set) var entries: [Entry] = []
  private let inspect: (String) -> ProgramFault?

  /// - Parameter inspect: what is wrong with a program that a route runs; `nil` where it can be run.
  init(_ file: JSON, inspecting inspect: @escaping (String) -> ProgramFault? = { _ in nil }) {
    self.inspect = inspect
    guard let fields = note(RouteForm.file, { () throws(Refusal) in try Fields(file) }) else { return }
    refuseUnknown(fields, known: ["routes"], remedy: RouteForm.file)
    guard let list = note(RouteForm.file, { () throws(Refusal) in try fields.list("routes") }) else { return }
    guard let list else {
      fault(fields.refusal("routes", "no list of routes"), RouteForm.file)
      return
    }
    for (index, value) in list.enumerated() { read(value, at: "routes[\(index)]") }
  }

  private mutating func read(_ value: JSON, at path: String) {
    let before = faults.count
    guard let fields = note(RouteForm.link, { () throws(Refusal) in try Fields(value, at: path) }) else {
      return
    }
    refuseUnknown(fields, known: RouteForm.keys, remedy: RouteForm.all)
    let form = note(RouteForm.flag, { () throws(Refusal) in try fields.bool("form") }) ?? nil
    let wait = note(RouteForm.flag, { () throws(Refusal) in try fields.bool("wait") }) ?? nil
    let timeout = note(RouteForm.timeout, { () throws(Refusal) in try RouteReader.timeout(fields) })
    let pattern = pattern(fields, form: form ?? false)
    let navigate = navigate(fields, pattern)
    let run = run(fields, pattern)
    guard let pattern, let timeout, !faults[before...].contains(where: \.isFatal) else { return }
    adviseIfShadowed(pattern, fields)
    let route = Route(pattern: pattern, timeout: timeout, wait: wait ?? true, navigate: navigate, run: run)
    entries.append(Entry(path: path, route: route))
  }

  private static func timeout(_ fields: Fields) throws(Refusal) -> Duration {
    guard let value = fields["timeout"] else { return Route.defaultTimeout }
    return try Duration.read(value, at: fields.place("timeout"))
  }

  private mutating func pattern(_ fields: Fields, form: Bool) -> RoutePattern? {
    guard let text = note(RouteForm.link, { () throws(Refusal) in try fields.string("link") }) else {
      return nil
    }
    guard let text else {
      fault(fields.refusal("link", "no link"), RouteForm.link)
      return nil
    }
    return note(RouteForm.link) { () throws(Refusal) in
      do throws(Refusal) { return try RoutePattern(parsing: text, form: form) } catch {
        throw error.below(fields.place("link"))
      }
    }
  }

  private mutating func navigate(_ fields: Fields, _ pattern: RoutePattern?) -> [TextTemplate] {
    guard let texts = note(RouteForm.navigate, { () throws(Refusal) in try fields.strings("navigate") })
    else { return [] }
    guard let texts, !texts.isEmpty else {
      fault(fields.refusal("navigate", "no steps to navigate"), RouteForm.navigate)
      return []
    }
    return templates(texts, fields, "navigate", pattern, besides: [])
  }

  private mutating func run(_ fields: Fields, _ pattern: RoutePattern?) -> RunTemplate? {
    guard let texts = note(RouteForm.run, { () throws(Refusal) in try fields.strings("run") }) ?? nil else {
      return nil
    }
    let run = RunTemplate(arguments: templates(texts, fields, "run", pattern, besides: RunTemplate.reserved))
    guard let program = texts.first, !program.isEmpty else {
      fault(fields.refusal("run", "no program to run"), RouteForm.run)
      return nil
    }
    if run.arguments.first?.names.isEmpty == false {
      fault(fields.refusal("run[0]", "the link would choose the program"), RouteForm.program)
    } else if let found = run.program.flatMap(inspect) {
      fault(fields.refusal("run[0]", found.message), found.remedy, isFatal: false)
    }
    if run.putsParametersIntoShellScript {
      let message = "a shell's script with a parameter in it: the shell runs what the link says"
      fault(fields.refusal("run", message), RouteForm.script, isFatal: false)
    }
    return run
  }

  /// The texts of a list, each checked for names that the link does not bind.
  private mutating func templates(
    _ texts: [String], _ fields: Fields, _ key: String, _ pattern: RoutePattern?,
    besides reserved: Set<String>
  ) -> [TextTemplate] {
    var templates: [TextTemplate] = []
    for (index, text) in texts.enumerated() {
      let place = fields.place("\(key)[\(index)]")
      if key == "navigate", text.isEmpty {
        fault(Refusal(.invalid, at: place, "an empty step"), RouteForm.navigate)
      }
      let template = note(RouteForm.braces) { () throws(Refusal) in
        do throws(Refusal) { return try TextTemplate(parsing: text) } catch { throw error.below(place) }
      }
      guard let template else { continue }
      templates.append(template)
      // Without a readable link there is nothing to compare with, and its own fault is told already.
      guard let pattern else { continue }
      let known = pattern.parameters + reserved.sorted()
      for name in template.names where !known.contains(name) {
        fault(
          Refusal(.invalid, at: place, "{\(printable(name))} is not bound by the link"),
          RouteForm.binding(name, known))
      }
    }
    return templates
  }

  private mutating func adviseIfShadowed(_ pattern: RoutePattern, _ fields: Fields) {
    guard let earlier = entries.first(where: { $0.route.pattern.covers(pattern) }) else { return }
    fault(
      fields.refusal("link", "never reached: \(earlier.path) stands before it and takes each of its links"),
      "move this route above \(earlier.path), or leave it out", isFatal: false)
  }

  private mutating func refuseUnknown(_ fields: Fields, known: Set<String>, remedy: String) {
    for member in fields.object.members {
      // One at a time, so that each is told.
      let alone = Fields(JSONObject([member]), at: fields.path)
      _ = note(remedy) { () throws(Refusal) in try alone.allow(only: known) }
    }
  }

  private mutating func fault(_ refusal: Refusal, _ remedy: String, isFatal: Bool = true) {
    faults.append(RouteFault(refusal, remedy: remedy, isFatal: isFatal))
  }

  /// What `read` gives, or `nil` with its refusal noted as a fault.
  private mutating func note<Value>(_ remedy: String, _ read: () throws(Refusal) -> Value) -> Value? {
    do throws(Refusal) { return try read() } catch {
      fault(error, remedy)
      return nil
    }
  }
}

/// How the parts of a routes file are written, as remedies say it.
enum RouteForm {
  static let keys: Set<String> = ["link", "navigate", "run", "timeout", "wait", "form"]
  static let all = "a route takes link, navigate, run, timeout, wait and form"
  static let file = "write the file as { routes: [ { link: …, navigate: [ … ] }, … ] }"
  static let link = "write it like link: \"myapp://offer/:id?colour=:colour\""
  static let navigate =
    "write it like navigate: [\"/\", \"/offers\", \"/offers/{id}\"], from the root to the target"
  static let run = "write it like run: [\"kiosk-show\", \"{step}\"], the program and its arguments"
  static let program = "name the program itself, and give it the parameter as an argument"
  static let script = "hand it over as an argument: [\"sh\", \"-c\", \"… \\\"$1\\\" …\", \"sh\", \"{step}\"]"
  static let timeout = "write it like timeout: \"20s\""
  static let flag = "write true or false"
  static let braces = "write {name} for a parameter, {{ and }} for the braces themselves"

  /// So many parameters are named in a remedy.
  private static let namedParameters = 8

  static func binding(_ name: String, _ known: [String]) -> String {
    if let near = nearest(to: name, among: known) { return "did you mean {\(near)}?" }
    let binding = "bind it in the link as :\(printable(name))"
    if known.isEmpty { return binding }
    let named = known.prefix(namedParameters).map { "{\(printable($0))}" }.joined(separator: ", ")
    return "\(binding), or use \(named)\(known.count > namedParameters ? ", …" : "")"
  }
}
