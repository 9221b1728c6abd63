import CarillonModel

/// The values of a verb's options: a flag beats the environment, which beats the file (protocol §8).
struct Settings {
  private var settings: [String: Setting] = [:]
  /// The configuration files as they were read, merged.
  let configuration: Configuration

  init(
    table: [Option], words: ParsedWords, environment: [String: String], configuration: Configuration
  ) throws {
    self.configuration = configuration
    for option in table {
      if let setting = Settings.given(option, words) {
        settings[option.name] = setting
      } else if let setting = try Settings.exported(option, environment) {
        settings[option.name] = setting
      } else if let setting = try Settings.written(option, configuration) {
        settings[option.name] = setting
      }
    }
    for option in table { try settleGroup(of: option) }
  }

  subscript(name: String) -> Setting? {
    settings[name].flatMap { $0.values == [Settings.off] ? nil : $0 }
  }

  func has(_ name: String) -> Bool { self[name] != nil }

  /// The last value of an option.
  func text(_ name: String) -> String? { self[name]?.value }

  func list(_ name: String) -> [String] { self[name]?.values ?? [] }

  /// The configuration with the options in it, each under its key.
  func document(_ table: [Option]) -> JSONObject {
    var object = configuration.object
    for option in table {
      guard let key = option.configurationKey, let setting = settings[option.name],
        setting.source.isNear || option.isPath
      else { continue }
      Settings.set(
        key, option.argument == nil ? .bool(setting.values != [Settings.off]) : .string(setting.value),
        in: &object)
    }
    return object
  }

  /// - Parameter key: of the object, or `tls.ca` of an object in it.
  private static func set(_ key: String, _ value: JSON, in object: inout JSONObject) {
    let names = key.split(separator: ".", maxSplits: 1).map(String.init)
    guard names.count == 2 else {
      object[key] = value
      return
    }
    var inner = JSONObject()
    if case .object(let there)? = object[names[0]] { inner = there }
    inner[names[1]] = value
    object[names[0]] = .object(inner)
  }

  /// The value of a switch that a nearer place has turned off again.
  private static let off = "\u{0}off"

  private static func given(_ option: Option, _ words: ParsedWords) -> Setting? {
    let found = words.options.filter { $0.option.name == option.name }
    guard let last = found.last else { return nil }
    let values = option.isRepeatable ? found.compactMap(\.value) : [last.value].compactMap { $0 }
    return Setting(option: option, values: values, source: .commandLine)
  }

  private static func exported(_ option: Option, _ environment: [String: String]) throws -> Setting? {
    guard option.key != .none, let text = environment[option.variable], !text.isEmpty else { return nil }
    // Programs that a route has started carry CARILLON_OPEN=1 against loops of links; it is no way of
    // opening.
    if option.variable == Open.guardVariable && text == "1" { return nil }
    guard option.argument != nil else {
      guard let isOn = truth(text) else {
        throw Failure(.configuration, "\(option.variable): \"\(printable(text))\" is neither true nor false")
      }
      return Setting(option: option, values: isOn ? [] : [off], source: .environment)
    }
    let values = option.isRepeatable ? text.split(separator: option.separator).map(String.init) : [text]
    return Setting(option: option, values: values, source: .environment)
  }

  private static func written(_ option: Option, _ configuration: Configuration) throws -> Setting? {
    guard let key = option.configurationKey, let value = configuration.value(of: key), value != .null else {
      return nil
    }
    let source = Source.file(configuration.file(of: key) ?? "")
    if option.argument == nil {
      guard case .bool(let isOn) = value else {
        throw configuration.failure(
          Refusal(.invalid, at: key, "expected true or false, got \(value.kind)"))
      }
      return Setting(option: option, values: isOn ? [] : [off], source: source)
    }
    if option.isRepeatable, let elements = value.elements {
      return Setting(option: option, values: elements.map(plain), source: source)
    }
    let text = plain(value)
    let isRelative = option.isPath && !text.hasPrefix("/")
    let folder = isRelative ? source.folder : ""
    return Setting(option: option, values: [folder + text], source: source)
  }

  /// A value of a file as it would be typed.
  private static func plain(_ value: JSON) -> String { value.text ?? value.encodedText }

  private static func truth(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "1", "true", "yes", "on": true
    case "0", "false", "no", "off": false
    default: nil
    }
  }

  /// Of options that exclude each other, those from the nearest place count, and there must be one of them.
  private mutating func settleGroup(of option: Option) throws {
    guard let group = option.group else { return }
    let members = settings.values.filter { $0.option.group == group && $0.values != [Settings.off] }
    guard let nearest = members.map(\.source).min() else { return }
    let rivals = members.filter { $0.source == nearest }.map(\.option.name).sorted()
    guard rivals.count == 1 else {
      throw Failure(
        nearest.fault, "give one of " + rivals.map { "--\($0)" }.joined(separator: " and ") + ", not both")
    }
    for member in members where member.source != nearest { settings[member.option.name] = nil }
  }
}
