import CarillonModel

extension Refusal {
  /// The failure that it is to the person who typed the options, the value at fault marked.
  ///
  /// - Parameter status: 65 for a request judged bad, whoever judged it.
  func failure(_ settings: Settings, _ verb: CommandLineVerb, _ status: ExitStatus = .data) -> Failure {
    let place = path.isEmpty ? "" : " at \(path)"
    let setting = option(in: verb.options).flatMap { settings[$0] }
    let details = setting.map { Caret.option($0.option.name, Refusal.value($0, path)) } ?? []
    return Failure(status, "\(code.rawValue)\(place): \(message)", details: details, refusal: self)
  }

  /// The option that a place of a command came from: `trigger.count` from `--count-limit`.
  private func option(in table: [Option]) -> String? {
    let names = path.split(separator: ".").map { String($0.prefix { $0 != "[" }) }
    if names.first == "actions" { return "action" }
    if names.first == "trigger", names.last == "count" { return "count-limit" }
    // What is inside of an option's JSON has no option of its own.
    let name = names.first == "trigger" ? names.last : names.first
    return
      (table.first { $0.configurationKey == name } ?? table.first { $0.configurationKey == names.first })?
      .name
  }

  /// Of a repeatable option the value that the place means: `actions[1].url` is the second.
  private static func value(_ setting: Setting, _ path: String) -> String {
    let digits = path.drop { $0 != "[" }.dropFirst().prefix { $0.isNumber }
    if let index = Int(digits), setting.values.indices.contains(index) { return setting.values[index] }
    return setting.value
  }
}
