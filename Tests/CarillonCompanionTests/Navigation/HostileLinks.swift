import CarillonModel
import CarillonTestSupport

/// A route as a judge knows it who has read none of the code that he judges: what a link of it has to make of values.
struct JudgedRoute: Sendable {
  enum Part: Sendable {
    case text(String)
    case value(Int)
    case step
    case url
  }

  let scheme: String
  let host: String
  /// The path's literal beginning, with a slash in front, or nothing.
  let beginning: String
  /// How many values stand in the path, and how many in the query behind them.
  let path: Int
  let query: Int
  let steps: [[Part]]
  let run: [[Part]]

  private static let names = ["a", "b", "c"]

  /// As a routes file has it.
  var link: String {
    let path = JudgedRoute.names.prefix(path).map { "/:\($0)" }.joined()
    let query = JudgedRoute.names.dropFirst(self.path).prefix(query).map { "\($0)=:\($0)" }.joined(
      separator: "&")
    return "\(scheme)://\(host)\(beginning)\(path)\(query.isEmpty ? "" : "?\(query)")"
  }

  var json: JSON {
    [
      "link": .string(link), "navigate": .array(steps.map { .string(JudgedRoute.written($0)) }),
      "run": .array(run.map { .string(JudgedRoute.written($0)) }),
    ]
  }

  private static func written(_ parts: [Part]) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text.replacing("{", with: "{{").replacing("}", with: "}}")
      case .value(let index): "{\(names[index])}"
      case .step: "{step}"
      case .url: "{url}"
      }
    }.joined()
  }

  /// What follows scheme and host in a link of this route.
  func tail(_ values: [[UInt8]], _ random: inout SplitMix) -> String {
    var text = beginning
    for value in values.prefix(path) { text += "/" + JudgedRoute.encoded(value, &random) }
    for (index, value) in values.dropFirst(path).enumerated() {
      text +=
        "\(index == 0 ? "?" : "&")\(JudgedRoute.names[path + index])=" + JudgedRoute.encoded(value, &random)
    }
    return text
  }

  /// Percent-encoded; what need not be is or is not.
  private static func encoded(_ bytes: [UInt8], _ random: inout SplitMix) -> String {
    var result: [UInt8] = []
    var chance = random.next()
    for byte in bytes {
      chance = chance &* 0x9E37_79B9_7F4A_7C15 &+ 1
      if plain[Int(byte)], chance >> 62 != 0 {
        result.append(byte)
      } else {
        let digits = chance >> 61 & 1 == 0 ? capitals : smalls
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static let capitals = Array("0123456789ABCDEF".utf8)
  private static let smalls = Array("0123456789abcdef".utf8)

  /// By byte, whether it may stand for itself in a path and in a query's value.
  private static let plain: [Bool] = {
    let plain = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$'()*,;:@".utf8)
    return (0..<256).map { plain.contains(UInt8($0)) }
  }()

  // MARK: The judgement

  /// The argument lists that a link has to lead to, one a step; `nil` where it has to be refused.
  func commands(_ values: [[UInt8]], url: String) -> [[String]]? {
    var texts: [String] = []
    for (index, value) in values.enumerated() {
      guard let text = String(validating: value, as: UTF8.self), !value.contains(0) else { return nil }
      if index < path, value == [0x2E] || value == [0x2E, 0x2E] { return nil }
      texts.append(text)
    }
    var commands: [[String]] = []
    for step in steps {
      let screen = filled(step, texts, step: ("", false), url)
      var command: [String] = []
      var optionsMayStand = true
      for template in run {
        let argument = filled(template, texts, step: screen, url)
        if argument.isForeign, argument.text.utf8.first == UInt8(ascii: "-"), optionsMayStand { return nil }
        if case .text("--")? = template.first, template.count == 1 { optionsMayStand = false }
        command.append(argument.text)
      }
      commands.append(command)
    }
    return commands
  }

  /// A template with its values, and whether the link has its first place, be it with nothing.
  private func filled(
    _ parts: [Part], _ values: [String], step: (text: String, isForeign: Bool), _ url: String
  ) -> (text: String, isForeign: Bool) {
    var (text, isForeign) = ("", false)
    for (index, part) in parts.enumerated() {
      let next: (text: String, isForeign: Bool) =
        switch part {
        case .text(let text): (text, false)
        case .value(let index): (values[index], true)
        case .step: step
        case .url: (url, true)
        }
      if index == 0 { isForeign = next.isForeign }
      text += next.text
    }
    return (text, isForeign)
  }

  /// What holds for a command of this route, whatever the link was. What is wrong, or `nil`.
  func fault(in command: [String]) -> String? {
    guard command.count == run.count else { return "\(command.count) arguments instead of \(run.count)" }
    var optionsMayStand = true
    for (argument, template) in zip(command, run) {
      if argument.utf8.contains(0) { return "a NUL in an argument" }
      if case .text(let text)? = template.first {
        if template.count == 1, !argument.utf8.elementsEqual(text.utf8) {
          return "\(argument) instead of \(text)"
        }
        if !argument.utf8.starts(with: text.utf8) { return "\(argument) does not begin with \(text)" }
        if template.count == 1, text == "--" { optionsMayStand = false }
      } else if optionsMayStand, argument.utf8.first == UInt8(ascii: "-"), !template.isEmpty {
        return "the option \(argument)"
      }
    }
    return nil
  }
}

extension JudgedRoute {
  static let all = [
    JudgedRoute(
      scheme: "x", host: "h", beginning: "/show", path: 2, query: 0,
      steps: [[.text("/")], [.text("/"), .value(0)]],
      run: [
        [.text("show")], [.value(0)], [.text("-x")], [.value(1), .value(0)], [.text("q="), .value(1)],
        [.step],
        [.text("--")], [.value(1)], [.url], [.text("{x}")],
      ]),
    JudgedRoute(
      scheme: "x", host: "h", beginning: "", path: 0, query: 2,
      steps: [[.value(0)], [.text("s"), .value(1)]],
      run: [[.text("/opt/find it")], [.text("--title="), .value(0)], [.step], [.value(0), .text("-")], []]),
    JudgedRoute(
      scheme: "https", host: "ok.example", beginning: "/p", path: 1, query: 1,
      steps: [[.text("/"), .value(0)]],
      run: [
        [.text("sh")], [.text("-c")], [.text("echo \"$1\"")], [.text("sh")], [.value(0)], [.value(1), .url],
      ]),
    JudgedRoute(
      scheme: "y", host: "other", beginning: "/open", path: 1, query: 2, steps: [[.value(2), .value(1)]],
      run: [[.text("env")], [.text("--")], [.step], [.value(0)], [.value(1)], [.value(2)]]),
  ]
}

/// Links that are meant to do harm, each with what it has to lead to.
struct HostileLinks {
  struct Sample {
    let link: String
    /// The route that it is of; `nil` where the link has been spoilt, and only what always holds is known.
    let route: JudgedRoute?
    /// What it has to lead to; `nil` where nothing may run.
    let commands: [[String]]?
  }

  private var random: SplitMix

  init(seed: UInt64) { random = SplitMix(seed: seed) }

  private static let pieces: [[UInt8]] =
    [
      "-", "--", "-e", "--help", "--=", "a", "B7", ".", "..", "/", "//", "../..", "\\", " ", "\t", "\n",
      "\r\n", "\"", "'",
      "''", "`id`", "$(id)", "${HOME}", "$HOME", ";", "|", "||", "&", "&&", ">", "<", "*", "?", "[a-z]", "~",
      "!", "#", "%",
      "%2D", "%2F", "%00", "{a}", "{step}", "{url}", "{{", "}", "=", "+", ",", ":", "@", "ü", "東", "e\u{301}",
      "\u{2028}",
      "\u{202E}", "\u{FEFF}", "\u{2010}", "\u{FF0D}", "\u{7F}", "\u{1B}[2J", "🎉", "-\u{301}", "a b",
    ].map { Array($0.utf8) } + [[0], [0xFF], [0xC3], [0xED, 0xA0, 0x80], [0x80]]

  /// Others than the routes' origins: nothing may ever come of them.
  private static let strangers = [
    "javascript://h", "file://h", "xx://h", "http://ok.example", "https://evil.example",
    "https://ok.example.evil.example",
    "https://ok.example@evil.example", "https://ok.example:8443", "https://ok-example", "x://h:1", "x://hh",
    "x://", "x:/h",
    "y://h", "https://ok.example%2Eevil", "-x://h", "x//h", "https://xn--ok", "https:\\\\ok.example",
  ]

  private static let syntax = Array("%/?&=#:@-+.{}[]\\ \"'`$*~aF0".utf8) + [0x0A, 0x00, 0x7F]

  private mutating func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  /// A text made of what does harm somewhere.
  mutating func value() -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<number(4) { bytes += HostileLinks.pieces[number(HostileLinks.pieces.count)] }
    return bytes
  }

  mutating func next() -> Sample {
    let route = JudgedRoute.all[number(JudgedRoute.all.count)]
    var values: [[UInt8]] = []
    for _ in 0..<(route.path + route.query) { values.append(value()) }
    let tail = route.tail(values, &random)
    let origin =
      number(8) == 0
      ? "\(route.scheme.uppercased())://\(route.host.uppercased())" : "\(route.scheme)://\(route.host)"
    switch number(8) {
    case 0:
      let stranger = HostileLinks.strangers[number(HostileLinks.strangers.count)]
      return Sample(link: stranger + tail, route: route, commands: nil)
    case 1: return Sample(link: spoilt(origin + tail), route: nil, commands: nil)
    default:
      return Sample(link: origin + tail, route: route, commands: route.commands(values, url: origin + tail))
    }
  }

  private mutating func spoilt(_ link: String) -> String {
    var bytes = Array(link.utf8)
    for _ in 0...number(3) {
      let place = number(bytes.count)
      let byte = HostileLinks.syntax[number(HostileLinks.syntax.count)]
      switch number(3) {
      case 0: bytes.insert(byte, at: place)
      case 1: bytes[place] = byte
      default: if bytes.count > 1 { bytes.remove(at: place) }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
