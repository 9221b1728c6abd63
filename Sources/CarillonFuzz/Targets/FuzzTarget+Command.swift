import CarillonLinks
import CarillonModel
import CarillonSchedule

extension FuzzTarget {
  static let command = FuzzTarget(
    "command", "commands, and the schedules that they ask for", form: .json, longest: Limits.command + 64,
    seeds: [
      #"{"id":"tea","title":"Tea","body":"ready","url":"myapp://tea/{id}?at={due}","trigger":{"after":"3m"}}"#,
      #"{"command":"schedule","key":"k-1","id":"a","to":["kitchen","all"],"trigger":{"cron":"0 9 * * 1-5","count":10,"until":"2027-01-01T00:00"},"timezone":"Europe/Berlin","expires":"1h","catchUp":"all","revision":7,"nag":{"every":"5m","times":3}}"#,
      #"{"id":"b","to":"tv","trigger":{"rrule":"FREQ=MONTHLY;BYDAY=-1FR","start":"2026-01-01T09:00","except":["2026-02-27T09:00","2026-03-27T08:00:00Z"]},"sound":"default","badge":1,"image":"https://example.org/i.png","level":"critical","userInfo":{"a":[1,{"b":null}]}}"#,
      #"{"id":"c","trigger":{"calendar":{"hour":[8,20],"minute":30,"weekday":["mon","fri"]},"repeats":true},"actions":[{"id":"ok","title":"OK"},{"id":"later","title":"Later","snooze":"10m"},{"id":"go","url":"https://example.org/{delivery}"}]}"#,
      #"{"id":"d","trigger":{"sun":"sunset","offset":"-30m","weekday":"sat","repeats":true,"count":3},"title":"Sun"}"#,
      #"{"id":"e","trigger":{"when":{"topic":"zigbee/door","pointer":"/contact","equals":false,"for":"10m","delay":"1s"},"repeats":true,"holdoff":"1h"},"title":"Door"}"#,
      #"{"id":"f","trigger":{"when":{"device":"tv","status":"online"}},"title":"TV"}"#,
      #"{"id":"p","trigger":{"when":{"device":"tv","presence":"active","for":"1m"},"repeats":true},"title":"P"}"#,
      #"{"id":"g","trigger":{"every":"90s","from":"2026-12-01T00:00:00Z","count":1000000},"title":"x"}"#,
      #"{"id":"h","trigger":{"at":"2026-12-24T18:00:00+01:00"},"title":"x"}"#,
      #"{"command":"cancel","ids":["a","b"]}"#,
      #"{"command":"withdraw","thread":"t","replyTo":"carillon/reply/x"}"#,
      #"{"command":"pause","all":true}"#,
      #"{"command":"pending","device":"tv","limit":10,"after":"x"}"#, #"{"command":"fire","id":"a"}"#,
      #"{"command":"focus","devices":["tv","all"],"on":true,"until":"2026-12-24T18:00"}"#,
      #"{"command":"focus","devices":"tv","on":false}"#, #"{"command":"forget","device":"tv"}"#,
      #"[{"id":"a","title":"1"},{"command":"devices"},7]"#,
      "{'id': True}", "[]", "",
      #"{"id":"i","trigger":{"calendar":"2026-*-1 8:0/15:00"},"title":"x"}"#, #"{"message":"hello"}"#,
      #"{"title":"L","message":"done","target":["tv","all"],"data":{"subtitle":"s","image":"/i.png","url":"/lovelace/0","tag":"t","group":"g","ttl":0,"timeout":"90","priority":"high","actions":[{"action":"A","title":"a","uri":"/x","icon":"i"},{"action":"URI","title":"b","uri":"noAction"}],"push":{"badge":"5","sound":{"name":"n","critical":1,"volume":0.5},"interruption-level":"time-sensitive"},"x":[1]},"userInfo":{"y":1},"trigger":{"after":"1m"}}"#,
      #"{"message":"clear_notification","data":{"tag":"t"}}"#, #"{"message":"TTS"}"#, "{{ states('x') }}",
      #"{"command":"fire","next":true}"#,
    ],
    words: [
      "command", "schedule", "cancel", "withdraw", "pending", "delivered", "devices", "fire", "pause",
      "resume", "forget", "focus", "on",
      "key", "replyTo", "ids", "thread", "all", "device", "limit", "after", "id", "to", "trigger", "timezone",
      "expires",
      "catchUp", "latest", "revision", "nag", "every", "times", "at", "calendar", "cron", "rrule", "start",
      "except", "sun",
      "sunrise", "offset", "weekday", "when", "repeats", "count", "until", "from", "holdoff", "year", "month",
      "day", "hour",
      "minute", "second", "week", "title", "subtitle", "body", "url", "actions", "snooze", "sound", "badge",
      "image",
      "category", "level", "userInfo", "topic", "pointer", "equals", "matches", "silent", "for", "delay",
      "status",
      "FREQ=DAILY;COUNT=2", "* * * * *", "2026-12-24T18:00", "P1D", "{id}", "x://{device}/{due}",
      "Europe/Berlin", "message", "target", "data", "tag", "group", "clickAction", "noAction", "ttl",
      "timeout",
      "priority", "high", "push", "interruption-level", "time-sensitive", "critical", "action", "uri", "next",
      "clear_notification", "command_dnd", "None", "{{ x }}",
    ]
  ) { input throws(Violation) in
    switch CommandPayload(reading: input) {
    case .empty: return .refused
    case .refused(let refusal):
      try demandSound(refusal)
      return .refused
    case .single(let received): return try look(at: received, in: try? JSON(parsing: input))
    case .list(let list):
      // The commands of a list are read alike; what a few of them ask for in the long run is enough to look at.
      let json = (try? JSON(parsing: input))?.elements
      for received in list.dropFirst(4).prefix(96) {
        guard case .success(.schedule(let request)) = received.command else { continue }
        _ = try? TriggerSchedule(request.trigger, context).first(
          from: now.on(request.trigger.isElapsed ? .elapsed : .wall))
      }
      return try list.prefix(4).enumerated().map { index, received throws(Violation) in
        try look(at: received, in: json?[index])
      }.contains(.taken) ? .taken : .refused
    }
  }

  private static func look(at received: ReceivedCommand, in json: JSON?) throws(Violation) -> Verdict {
    try demand(
      received.verb?.unicodeScalars.contains { $0.properties.generalCategory == .control } != true,
      "a verb that is not fit to print")
    switch received.command {
    case .failure(let refusal):
      try demandSound(refusal, in: json ?? .null)
      return .refused
    case .success(let command):
      if !received.text.isEmpty {
        guard let again = try? JSON(parsing: received.text) else { throw Violation("its text is not JSON") }
        try demand(again.encoded == received.text, "its text is written otherwise the second time")
      }
      if case .schedule(let request) = command { try look(at: request) }
      return .taken
    }
  }

  private static func look(at request: Request) throws(Violation) {
    if let written = request.triggerText, let json = try? JSON(parsing: written.encoded) {
      try demand(
        (try? Trigger.read(json, at: "trigger")) == request.trigger, "the trigger is stored as another")
    }
    let fields = Fields(request.content.members)
    try demand((try? Content(reading: fields)) == request.content, "the content is stored as another")
    for link in request.content.links {
      do throws(Refusal) {
        let filled = try LinkTemplate(parsing: link.text).sample(id: request.id ?? "id")
        try LinkPolicy.relayDefault.check(filled)
      } catch { try demandSound(error) }
    }
    try look(at: request.trigger)
  }

  private static func look(at trigger: Trigger) throws(Violation) {
    let schedule: TriggerSchedule
    do throws(Refusal) { schedule = try TriggerSchedule(trigger, context) } catch {
      return try demandSound(error)
    }
    _ = (schedule.whyNever, schedule.isOver(by: now.wall))
    guard var due = schedule.first(from: now.on(schedule.axis)) else { return }
    let backlog = schedule.backlog(from: due, at: now.on(schedule.axis) + 60 * 86_400_000, policy: .all)
    try demand(backlog.firings.count <= 100, "\(backlog.firings.count) firings at once")
    for _ in 0..<3 {
      guard let next = schedule.next(after: due) else { return }
      try demand(next.due > due.due && next.number > due.number, "after \(due) comes \(next)")
      due = next
    }
  }

  private static let now = Moment(wall: WallTime(milliseconds: 1_796_144_400_123), elapsed: 86_400_000)

  private static let context = TriggerSchedule.Context(
    zone: zones[zones.count - 1], location: try? SunLocation(latitude: 78.2, longitude: 15.6), moment: now,
    accepted: now.wall)
}
