import CarillonLinks
import CarillonModel

/// Messages to devices and from them.
extension FuzzTarget {
  static let notification = FuzzTarget(
    "notification", "what a companion is sent", form: .json, longest: 64 * 1024,
    seeds: [
      #"{"kind":"notification","delivery":"d-1","id":"tea","from":"kitchen","due":"2026-12-01T19:00:00.000+01:00","fired":"2026-12-01T19:00:00.004+01:00","late":false,"missed":0,"expires":null,"title":"Tea","body":"ready"}"#,
      #"{"kind":"notification","delivery":"d","id":"i","url":"myapp://offer/1?a=%20","actions":[{"id":"a","title":"Later","snooze":"10m"},{"id":"b","url":"x://h/{device}","snooze":90}],"badge":3,"level":"timeSensitive","userInfo":{"a":[1,2.5,null,true,{"b":""}]}}"#,
      #"{"kind":"withdrawal","delivery":"d-1","id":"tea","reason":"opened","by":"phone"}"#,
      #"{"kind":"notification","delivery":"d","id":"i","expires":"2026-12-01T19:00:00Z","nag":{"n":3,"of":10},"missed":9223372036854775807,"late":true}"#,
      #"{"kind":"notification","delivery":"","id":"\u0000","expires":"soon"}"#, "{'kind': 'notification'}",
      "[]", "null",
    ],
    words: [
      "kind", "notification", "withdrawal", "delivery", "id", "from", "due", "fired", "late", "missed",
      "expires",
      "title", "subtitle", "body", "url", "actions", "snooze", "sound", "badge", "image", "thread",
      "category", "level",
      "critical", "userInfo", "nag", "n", "of", "reason", "by", "2026-12-01T19:00:00Z", "x://h/%2e",
    ]
  ) { input throws(Violation) in
    let message: DeviceMessage
    do throws(Refusal) { message = try DeviceMessage(parsing: input) } catch {
      guard let json = try? JSON(parsing: input) else {
        try demandSound(error)
        return .refused
      }
      try demandSound(error, in: json)
      if let identity = DeviceMessage.identity(in: json) {
        try demand(!identity.delivery.isEmpty && !identity.id.isEmpty, "an identity without a name")
      }
      return .refused
    }
    let encoded = message.encoded
    try demand(
      (try? DeviceMessage(parsing: encoded)) == message, "\(text(encoded)) is read as something else")
    if case .notification(let notification) = message {
      try demand(
        notification.firing.expires == nil || notification.firing.expiry != nil, "an end that is no instant")
      for link in [notification.url] + notification.actions.map(\.url) {
        if let read = link.flatMap({ try? Link(parsing: $0) }),
          let problem = problem(of: read, given: link ?? "")
        {
          throw Violation(problem)
        }
      }
    }
    return .taken
  }

  static let response = FuzzTarget(
    "response", "what devices answer", form: .json, longest: 16 * 1024,
    seeds: [
      #"{"delivery":"d-1","id":"tea","event":"acted","action":"later","text":"in a minute","at":"2026-12-01T19:00:00Z"}"#,
      #"{"delivery":"d-1","event":"opened","by":"tap"}"#,
      #"{"delivery":"d-1","event":"opened","by":"arrival"}"#,
      #"{"delivery":"d-1","event":"failed","detail":"no such program"}"#,
      #"{"delivery":"d","event":"received"}"#,
      #"{"delivery":"d","event":"dismissed","at":"now","extra":[1]}"#, #"{"event":"acted"}"#,
      #"{"delivery":7,"event":"x"}"#,
    ],
    words: [
      "delivery", "id", "event", "by", "action", "text", "at", "detail", "received", "presented",
      "suppressed", "opened",
      "acted", "dismissed", "failed", "withdrawn", "expired", "tap", "arrival", "\u{1F3F4}\u{E0067}",
      "e\u{301}",
    ]
  ) { input throws(Violation) in
    let response: Response
    do throws(Refusal) { response = try Response(parsing: input) } catch {
      try demandSound(error, in: (try? JSON(parsing: input)) ?? .null)
      return .refused
    }
    try demand((response.detail?.utf8.count ?? 0) <= Response.detailLimit, "a detail that is too long")
    try demand(
      (1...5).contains(response.rank) && response.isFinal == (response.rank >= 4), "rank \(response.rank)")
    let encoded = response.encoded
    try demand((try? Response(parsing: encoded)) == response, "\(text(encoded)) is read as something else")
    return .taken
  }

  static let profile = FuzzTarget(
    "profile", "what devices tell about themselves", form: .json, longest: 2 * Limits.profile,
    seeds: [
      #"{"name":"kitchen","authorization":"authorized","focus":false,"presentation":["banner","list"],"presence":"active","schemes":["https","myapp"],"version":"1.0","instance":"0123456789abcdef"}"#,
      #"{"name":"k"}"#, #"{"name":"k","presence":"asleep","schemes":[],"focus":true}"#, #"{"name":null}"#,
      "{}", "",
    ],
    words: [
      "name", "authorization", "denied", "focus", "presentation", "presence", "idle", "locked", "unknown",
      "schemes",
      "version", "instance", "https",
    ]
  ) { input throws(Violation) in
    let profile: Profile
    do throws(Refusal) { profile = try Profile(parsing: input) } catch {
      try demandSound(error, in: (try? JSON(parsing: input)) ?? .null)
      return .refused
    }
    var bare = profile
    bare.schemes = []
    let encoded = profile.encoded
    // Texts of control characters grow as they are written; no companion of ours has any.
    guard bare.encoded.count <= Profile.limit else { return .taken }
    try demand(encoded.count <= Profile.limit, "\(encoded.count) bytes are written")
    let again = try? Profile(parsing: encoded)
    try demand(
      again.map { profile.schemes.starts(with: $0.schemes) } ?? false,
      "\(text(encoded)) is read as something else")
    bare.schemes = again?.schemes ?? []
    try demand(again == bare, "\(text(encoded)) is read as something else")
    return .taken
  }
}

extension DeviceMessage {
  fileprivate var encoded: [UInt8] {
    switch self {
    case .notification(let notification): notification.encoded
    case .withdrawal(let withdrawal): withdrawal.encoded
    }
  }
}
