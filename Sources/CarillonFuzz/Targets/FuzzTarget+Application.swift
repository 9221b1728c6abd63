import CarillonCompanion
import CarillonLinks
import CarillonModel

extension FuzzTarget {
  static let application = FuzzTarget(
    "application", "what programs say on the companion's socket", form: .json, longest: 8 * 1024,
    seeds: [
      #"{"attach":["home","https"],"name":"bins-app"}"#, #"{"attach":["HOME:"]}"#,
      #"{"answer":"present","delivery":"d-1","presentation":["banner","list","sound","badge"]}"#,
      #"{"answer":"present","delivery":"d-1","presentation":[]}"#,
      #"{"answer":"done","delivery":"d-1","step":1}"#,
      #"{"answer":"failed","delivery":"d-1","step":2,"reason":"no such screen"}"#,
      #"{"answer":"tap","delivery":"d-1"}"#, #"{"answer":"dismiss","delivery":"d-1","more":1}"#,
      #"{"answer":"act","delivery":"d-1","action":"later","text":"in a minute"}"#,
      #"{"reload":"authorization"}"#, #"{"attach":[]}"#, #"{"answer":"done","delivery":"","step":0}"#,
      "hello", "",
    ],
    words: [
      "attach", "name", "answer", "present", "done", "failed", "tap", "act", "dismiss", "delivery",
      "presentation", "banner", "list", "sound", "badge", "step", "reason", "action", "text", "reload",
      "authorization", "a+b-c.d",
    ]
  ) { input throws(Violation) in
    let message: ApplicationMessage
    do throws(Refusal) { message = try ApplicationMessage(parsing: input) } catch {
      try demandSound(error, in: (try? JSON(parsing: input)) ?? .null)
      return .refused
    }
    switch message {
    case .attach(let schemes, let name):
      try demand(!name.isEmpty && isPrintable(name), "a name that is not fit to print")
      try demand((1...ApplicationMessage.schemesLimit).contains(schemes.count), "\(schemes.count) schemes")
      for scheme in schemes {
        try demand((try? Link(parsing: "\(scheme):x"))?.scheme == scheme, "no scheme: \(scheme)")
      }
    case .answer(let answer):
      try demand(!answer.delivery.isEmpty, "an answer to nothing")
      if case .failed(_, _, let reason) = answer {
        try demand(isPrintable(reason), "a reason that is not fit to print")
      }
    case .reloadAuthorization: break
    }
    return .taken
  }

  private static func isPrintable(_ text: String) -> Bool {
    !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}
