import CarillonModel
import Testing

@testable import CarillonRelay
@testable import CarillonStore

/// What the configuration allows publishers.
@Suite struct PermissionTests {
  private func bench(_ publishers: String, devices: [String]? = nil) throws -> RelayBench {
    let bench = try RelayBench()
    var configuration = bench.relay.configuration
    configuration.groups = [try Name("upstairs"): [try Name("bed"), try Name("bath")]]
    configuration.devices = try devices?.map { try Name($0) }
    configuration.permissions = try permissions(publishers)
    try bench.begin(configuration) {}
    try bench.reconnect()
    bench.mayFire = true
    return bench
  }

  private func permissions(_ text: String) throws -> Permissions {
    try Permissions(reading: try Fields(try JSON(parsing: Array(text.utf8)), at: "publishers"))
  }

  private func error(_ reply: JSONObject?) -> (code: String?, path: String?) {
    (reply?["error"]?["code"]?.text, reply?["error"]?["path"]?.text)
  }

  private func isForbidden(_ reply: JSONObject?, at path: String) -> Bool {
    let error = error(reply)
    return error.code == "forbidden" && error.path == path
  }

  private let later = #""title":"t","trigger":{"after":3600}"#

  @Test func `Without publishers everybody may do everything`() throws {
    let bench = try RelayBench()
    #expect(try bench.send("{\(later)}", from: "anybody")?["ok"] == true)
  }

  @Test func `Who is not named may do nothing, unless there is a rule for everybody else`() throws {
    let closed = try bench(#"{"p":{}}"#)
    #expect(try closed.send("{\(later)}", from: "p")?["ok"] == true)
    #expect(isForbidden(try closed.send("{\(later)}", from: "q"), at: ""))
    let open = try bench(#"{"p":{"verbs":["cancel"]},"*":{"verbs":["schedule"]}}"#)
    #expect(isForbidden(try open.send("{\(later)}", from: "p"), at: "command"))
    #expect(try open.send("{\(later)}", from: "q")?["ok"] == true)
    #expect(isForbidden(try open.send(#"{"command":"cancel","all":true}"#, from: "q"), at: "command"))
  }

  @Test func `The bare topic is the publisher without a name`() throws {
    let permissions = try permissions(#"{"":{"verbs":["schedule"]},"p":{}}"#)
    #expect(permissions.of(nil)?.verbs == [.schedule])
    #expect(permissions.of(try Name("p"))?.verbs == nil)
    #expect(permissions.of(try Name("q")) == nil)
  }

  static let verbs = [
    "schedule": #""title":"t""#, "cancel": #""all":true"#, "withdraw": #""all":true"#, "pending": "",
    "delivered": "", "devices": "", "fire": #""id":"a""#, "focus": #""devices":"desk","on":true"#,
    "pause": #""all":true"#, "resume": #""all":true"#, "forget": #""device":"desk""#,
  ]

  @Test(arguments: Verb.allCases) func `Each command needs its word`(_ verb: Verb) throws {
    let fields = try #require(Self.verbs[verb.rawValue])
    let command = #"{"command":"\#(verb.rawValue)"\#(fields.isEmpty ? "" : ",")\#(fields)}"#
    let others = Verb.allCases.filter { $0 != verb }.map { "\"\($0.rawValue)\"" }.joined(separator: ",")
    #expect(try bench(#"{"p":{"verbs":["\#(verb.rawValue)"]}}"#).send(command)?["ok"] == true)
    #expect(isForbidden(try bench(#"{"p":{"verbs":[\#(others)]}}"#).send(command), at: "command"))
  }

  @Test func `In a list each command is judged by itself, and each refusal is told`() throws {
    let bench = try bench(#"{"p":{"verbs":["schedule"]}}"#)
    let list = #"[{"id":"a",\#(later)},{"command":"cancel","ids":["a"]},{"id":"b",\#(later)}]"#
    let moment = bench.now()
    let arrival = bench.arrival("carillon/command/p", list, 9)
    let actions = try bench.queue.transaction { () throws(StoreError) in
      try bench.relay.handle([arrival], at: moment)
    }
    var replies: [JSON] = []
    var rejected: [String] = []
    for action in actions {
      if case .reply(_, _, let payload) = action { replies = try JSON(parsing: payload).elements ?? [] }
      if case .reject(let refusal, _, _) = action { rejected.append(refusal.code.rawValue) }
    }
    #expect(replies.map { $0["ok"] } == [true, false, true])
    #expect(rejected == ["forbidden"])
    #expect(try bench.queue.current("a")?.state == .pending)
  }

  // MARK: Devices

  @Test(
    arguments: [
      (#""to":"desk""#, nil), (#""to":["desk","bed"]"#, nil), (#""to":"upstairs""#, nil),
      (#""to":"kitchen""#, "to"), (#""to":["desk","kitchen"]"#, "to"), (#""to":"all""#, "to"), (nil, "to"),
      (#""to":"desk","nag":{"every":60,"times":1,"then":["kitchen"]}"#, "nag.then"),
      (#""to":"desk","nag":{"every":60,"times":1,"then":["bath"]}"#, nil),
    ] as [(String?, String?)])
  func `A request reaches only permitted devices`(to: String?, path: String?) throws {
    let bench = try bench(#"{"p":{"devices":["desk","upstairs"]}}"#)
    let reply = try bench.send("{\(later)\(to.map { ",\($0)" } ?? "")}")
    if let path {
      #expect(isForbidden(reply, at: path))
    } else {
      #expect(reply?["ok"] == true)
    }
  }

  @Test func `Every device is permitted where the configuration says who that is`() throws {
    let bench = try bench(#"{"p":{"devices":["upstairs"]}}"#, devices: ["bed"])
    #expect(try bench.send("{\(later)}")?["ok"] == true)
  }

  @Test func `Focus, forget and fire stay within the permitted devices too`() throws {
    let bench = try bench(#"{"p":{"devices":["desk"]},"*":{}}"#)
    #expect(isForbidden(try bench.send(#"{"command":"focus","devices":"all","on":true}"#), at: "devices"))
    #expect(isForbidden(try bench.send(#"{"command":"focus","devices":"bed","on":true}"#), at: "devices"))
    #expect(try bench.send(#"{"command":"focus","devices":"desk","on":true}"#)?["ok"] == true)
    #expect(isForbidden(try bench.send(#"{"command":"forget","device":"bed"}"#), at: "device"))
    #expect(try bench.send(#"{"id":"x","to":"bed",\#(later)}"#, from: "q")?["ok"] == true)
    #expect(isForbidden(try bench.send(#"{"command":"fire","id":"x"}"#), at: "id"))
    #expect(bench.sent.isEmpty)
  }

  // MARK: Links

  @Test func `Links have only permitted schemes, whatever part of the request holds them`() throws {
    let bench = try bench(#"{"p":{"schemes":["https"]}}"#)
    #expect(try bench.send(#"{"url":"https://example.org/{id}",\#(later)}"#)?["ok"] == true)
    #expect(isForbidden(try bench.send(#"{"url":"home://x",\#(later)}"#), at: "url"))
    let action = #"{"actions":[{"id":"a","title":"A","url":"home://x"}],\#(later)}"#
    #expect(isForbidden(try bench.send(action), at: "actions[0].url"))
    #expect(error(try bench.send(#"{"url":"no link",\#(later)}"#)).code == "invalid")
  }

  // MARK: Its own

  @Test func `A publisher that may touch only its own leaves the others' alone`() throws {
    let bench = try bench(#"{"p":{"own":true},"*":{}}"#)
    for (publisher, id) in [("p", "mine"), ("q", "theirs")] {
      #expect(try bench.send(#"{"id":"\#(id)","thread":"t",\#(later)}"#, from: publisher)?["ok"] == true)
    }
    #expect(isForbidden(try bench.send(#"{"id":"theirs",\#(later)}"#), at: "id"))
    #expect(isForbidden(try bench.send(#"{"command":"fire","id":"theirs"}"#), at: "id"))
    try bench.send(#"{"id":"sooner","title":"t","trigger":{"after":60}}"#, from: "q")
    #expect(isForbidden(try bench.send(#"{"command":"fire","next":true}"#), at: "id"), "the next is theirs")
    try bench.send(#"{"command":"cancel","ids":["sooner"]}"#, from: "q")
    for verb in ["cancel", "withdraw", "pause", "resume"] {
      let reply = try bench.send(#"{"command":"\#(verb)","ids":["mine","theirs"]}"#)
      #expect(isForbidden(reply, at: "ids[1]"), "\(verb)")
    }
    #expect(try bench.queue.current("mine")?.state == .pending, "a refused command changes nothing")
    #expect(try bench.send(#"{"command":"pause","all":true}"#)?.outcome("theirs") == nil)
    #expect(try bench.queue.current("mine")?.state == .paused)
    #expect(try bench.send(#"{"command":"resume","all":true}"#)?.outcome("mine") == "pending")
    #expect(try bench.send(#"{"command":"cancel","all":true}"#)?.outcome("mine") == "cancelled")
    #expect(try bench.queue.current("theirs")?.state == .pending)
    #expect(try bench.send(#"{"id":"mine",\#(later)}"#, from: "q")?["ok"] == true, "others may")
  }

  @Test func `All and threads mean its own notifications, nags and snoozes alone`() throws {
    let bench = try bench(#"{"p":{"own":true},"*":{}}"#)
    try bench.status("desk", "online")
    for (publisher, id) in [("p", "mine"), ("q", "theirs")] {
      let nag = #"{"id":"\#(id)","thread":"t","title":"t","to":"desk","nag":{"every":60,"times":5}}"#
      #expect(try bench.send(nag, from: publisher)?["ok"] == true)
    }
    #expect(bench.sent.map(\.id) == ["mine", "theirs"])
    let first = bench.sent.last?.delivery
    bench.forgetSent()
    let reply = try bench.send(#"{"command":"withdraw","thread":"t"}"#)
    #expect(reply?.outcome("mine") == "withdrawn")
    #expect(reply?.outcome("theirs") == nil)
    #expect(bench.withdrawals(to: "desk").map(\.id) == ["mine"])
    #expect(try bench.send(#"{"command":"pause","all":true}"#)?.outcome("theirs") == nil)
    bench.advance(61_000)
    #expect(bench.notifications("theirs").contains { $0.delivery != first }, "its nag goes on")
    #expect(bench.notifications("mine").isEmpty)
    #expect(try bench.send(#"{"command":"cancel","thread":"t"}"#)?.outcome("theirs") == nil)
    #expect(
      try bench.send(#"{"command":"cancel","thread":"t"}"#, from: "q")?.outcome("theirs") == "cancelled")
  }

  @Test func `Cancelling all its own ends its watches and what is prepared, and no others`() throws {
    let bench = try bench(#"{"p":{"own":true},"*":{}}"#)
    for (publisher, id) in [("p", "mine"), ("q", "theirs")] {
      let when = #"{"id":"\#(id)-w","title":"t","trigger":{"when":{"device":"desk","status":"online"}}}"#
      #expect(try bench.send(when, from: publisher)?["ok"] == true)
      let soon = #"{"id":"\#(id)-s","title":"t","to":"desk","trigger":{"after":1}}"#
      #expect(try bench.send(soon, from: publisher)?["ok"] == true)
    }
    bench.advance(500)
    let reply = try bench.send(#"{"command":"cancel","all":true}"#)
    #expect(reply?.outcome("mine-w") == "cancelled" && reply?.outcome("mine-s") == "cancelled")
    #expect(reply?.outcome("theirs-w") == nil && reply?.outcome("theirs-s") == nil)
    bench.advance(1000)
    try bench.status("desk", "online")
    #expect(Set(bench.sent.map(\.id)) == ["theirs-s", "theirs-w"])
  }

  // MARK: The configuration

  @Test(
    arguments: [
      (#"{"p":{"verb":["schedule"]}}"#, "publishers.p.verb"),
      (#"{"p":{"verbs":["shedule"]}}"#, "publishers.p.verbs[0]"),
      (#"{"p":{"devices":[]}}"#, "publishers.p.devices"),
      (#"{"p":{"devices":["a b"]}}"#, "publishers.p.devices[0]"),
      (#"{"p":{"schemes":["://"]}}"#, "publishers.p.schemes[0]"), (#"{"p":{"own":1}}"#, "publishers.p.own"),
      (#"{"a/b":{}}"#, "publishers.a/b"), (#"{"all":{}}"#, "publishers.all"),
      (#"{"p":null}"#, "publishers.p"),
    ])
  func `What is no permission is refused with its place`(text: String, path: String) throws {
    let refusal = #expect(throws: Refusal.self) { try permissions(text) }
    #expect(refusal?.path == path)
  }
}
