import CarillonModel

extension Refusal {
  /// The failure that it is to the person who typed the options, the part at fault marked.
  ///
  /// - Parameter status: 65 for a request judged bad, whoever judged it.
  func failure(_ settings: Settings, _ verb: CommandLineVerb, _ status: ExitStatus = .data) -> Failure {
    let place = path.isEmpty ? "" : " at \(path)"
    // What a file of commands holds came from no option.
    let details = settings.has("request") ? [] : marked(settings, verb)
    return Failure(status, "\(code.rawValue)\(place): \(message)", details: details, refusal: self)
  }

  /// The option that the place came from, as it was given, with marks under the part at fault.
  private func marked(_ settings: Settings, _ verb: CommandLineVerb) -> [String] {
    let names = path.split(separator: ".").map { String($0.prefix { $0 != "[" }) }
    guard let setting = names.first == "trigger" ? trigger(names, settings) : option(names, settings, verb)
    else { return [] }
    guard setting.option.argument != nil else { return Caret.option(setting.option.name) }
    // The part is one of the field's own text, which is not that of an option with JSON around it.
    let isField = setting.option.configurationKey == names.last
    return Caret.option(setting.option.name, Refusal.value(setting, path), span: isField ? span : nil)
  }

  /// `trigger.count` came from `--count-limit`, or like everything that has no option from `--trigger`.
  private func trigger(_ names: [String], _ settings: Settings) -> Setting? {
    let field = names.count > 1 ? names[1] : "trigger"
    let name = field == "count" ? "count-limit" : field
    // Another verb's option of that name may mean something else, such as the start of a preview.
    let isMember = settings[name].map { SharedOptions.trigger.options.contains($0.option) } ?? false
    return settings[isMember ? name : "trigger"]
  }

  private func option(_ names: [String], _ settings: Settings, _ verb: CommandLineVerb) -> Setting? {
    let name = names.first == "actions" ? "action" : names.first
    return verb.options.first { $0.configurationKey == name }.flatMap { settings[$0.name] }
  }

  /// Of a repeatable option the value that the place means: `actions[1].url` is the second.
  private static func value(_ setting: Setting, _ path: String) -> String {
    let digits = path.drop { $0 != "[" }.dropFirst().prefix { $0.isNumber }
    if let index = Int(digits), setting.values.indices.contains(index) { return setting.values[index] }
    return setting.value
  }
}
