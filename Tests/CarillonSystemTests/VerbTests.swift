import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

@Suite("Verbs", .onOwnThreadWithFewOthers)
struct VerbTests {
  // MARK: The reply, key, revision

  @Test("The reply to a schedule has every key that the protocol names")
  func scheduleReply() throws {
    let house = try House()
    let device = try house.device("desk")
    let later = try house.command(
      #"{"id":"bins","title":"x","to":["desk","loft"],"trigger":{"every":"6h"},"timezone":"Asia/Tokyo"}"#)
    #expect(
      later.names == [
        "ok", "command", "id", "next", "upcoming", "timezone", "replaced", "was", "devices", "unknown",
      ])
    #expect(later["devices"] == ["desk"])
    #expect(later["unknown"] == ["loft"])
    #expect(later["timezone"] == "Asia/Tokyo")
    #expect(later["next"]?.text?.hasSuffix("+09:00") == true)
    #expect(later["upcoming"]?.elements?.count == 3)
    #expect(later["upcoming"]?.elements?.first == later["next"])

    let now = try house.command(#"{"title":"x","to":"desk"}"#)
    #expect(now["next"] == .null)
    #expect(now["upcoming"] == [])
    let id = try #require(now["id"]?.text)
    #expect(id.utf8.count == 36)
    let message = try device.waitForMessage().json
    #expect(message["delivery"] == now["delivery"])
    #expect(message["id"] == now["id"])
    #expect(message["kind"] == "notification")
    #expect(message["from"] == .null)
    #expect(message["late"] == false && message["missed"] == 0 && message["expires"] == .null)
  }

  @Test("The publisher's name comes from the topic, and is told everywhere")
  func publisher() throws {
    let house = try House()
    let device = try house.device("desk")
    try house.command(#"{"id":"a","title":"x","to":"desk"}"#, as: "homeassistant")
    #expect(try device.waitForMessage().json["from"] == "homeassistant")
    try house.command(#"{"id":"b","title":"x","to":"desk","trigger":{"after":"1h"}}"#, as: "homeassistant")
    let item = try house.command(#"{"command":"pending"}"#)["items"]?.elements?.first
    #expect(item?["from"] == "homeassistant")
    #expect(item?["state"] == "pending")
  }

  @Test(
    "A command with a key runs once, gets the first reply again, and another one under that key is refused")
  func key() throws {
    let house = try House()
    let device = try house.device("desk")
    let command = #"{"title":"x","to":"desk","key":"k1"}"#
    let first = try house.command(command)
    #expect(try house.command(command) == first)
    let other = try house.ask(#"{"title":"y","to":"desk","key":"k1"}"#)
    #expect(other.code == "invalid" && other.path == "key")
    // Another publisher's keys are its own.
    #expect(try house.command(command, as: "me")["id"] != first["id"])
    // A refused command uses up no key.
    #expect(try house.ask(#"{"titel":"x","key":"k2"}"#).code == "unknown-field")
    try house.command(#"{"id":"last","title":"x","to":"desk","key":"k2"}"#)
    // Kept over a restart.
    try house.stopRelay()
    try house.startRelay()
    #expect(try house.command(command) == first)
    try device.waitForMessage { (try? $0.json["id"]) == "last" }
    #expect(device.messages.count == 2)
  }

  @Test("Of revisions the highest stands; a cancelled one is remembered")
  func revisions() throws {
    let house = try House()
    func schedule(_ revision: Int, _ title: String) throws -> JSON {
      try house.ask(
        #"{"id":"r","title":"\#(title)","revision":\#(revision),"to":"desk","trigger":{"after":"1h"}}"#)
    }
    #expect(try schedule(5, "five")["ok"] == true)
    #expect(try schedule(4, "four").code == "stale")
    #expect(try schedule(4, "four").path == "revision")
    #expect(try schedule(5, "other").code == "stale")
    let same = try schedule(5, "five")
    #expect(same["ok"] == true && same["replaced"] == false)
    #expect(try schedule(6, "six")["replaced"] == true)
    let items = try house.command(#"{"command":"pending"}"#)["items"]?.elements ?? []
    #expect(items.map { $0["title"] } == ["six"])
    #expect(items.first?["revision"] == 6)

    #expect(try house.command(#"{"command":"cancel","ids":["r"]}"#)["ids"] == ["r": "cancelled"])
    #expect(try schedule(6, "six").code == "stale")
    #expect(try schedule(5, "five").code == "stale")
    try house.stopRelay()
    try house.startRelay()
    #expect(try schedule(6, "again").code == "stale")
    let back = try schedule(7, "seven")
    #expect(back["ok"] == true && back["replaced"] == false)
    #expect(try house.pending() == ["r"])
  }

  // MARK: Replace in every state

  @Test("A finished request is brought back by the same words, and fires again")
  func finished() throws {
    let house = try House()
    let device = try house.device("desk")
    let command = #"{"id":"r1","title":"x","to":"desk","trigger":{"after":1}}"#
    #expect(try house.command(command)["was"] == .null)
    let first = try device.waitForMessage().json
    let again = try house.command(command)
    #expect(again["was"] == "finished")
    #expect(again["replaced"] == true)
    let second = try device.waitForMessage().json
    #expect(second["id"] == "r1")
    #expect(second["delivery"] != first["delivery"])
  }

  @Test("A request is replaced whole while it is pending, paused, about to fire, or shown")
  func replaceInEveryState() throws {
    let house = try House()
    let device = try house.device("desk")
    func schedule(_ body: String, _ trigger: String) throws -> JSON {
      try house.command(#"{"id":"r","title":"x","body":"\#(body)","to":"desk"\#(trigger)}"#)
    }
    _ = try schedule(
      "pending", #","trigger":{"after":"1h"},"thread":"t","url":"a:b""#.replacing("a:b", with: "a://b"))
    // Replaced whole: what the new one does not say is gone.
    #expect(try schedule("second", #","trigger":{"after":"2h"}"#)["replaced"] == true)
    let item = try house.command(#"{"command":"pending"}"#)["items"]?.elements?.first
    #expect(item?["body"] == "second" && item?["url"] == nil && item?["thread"] == nil)

    #expect(try house.command(#"{"command":"pause","ids":["r"]}"#)["ids"] == ["r": "paused"])
    let resumed = try schedule("third", #","trigger":{"after":"1h"}"#)
    #expect(resumed["replaced"] == true && resumed["next"] != .null)
    #expect(try house.command(#"{"command":"pending"}"#)["items"]?.elements?.first?["state"] == "pending")

    // Within the last second before it is due.
    _ = try schedule("about to fire", #","trigger":{"after":0.9}"#)
    let replaced = try schedule("instead", "")
    #expect(replaced["replaced"] == true && replaced["was"] == .null)
    #expect(try device.waitForMessage().json["body"] == "instead")
    let shown = try schedule("after it was shown", "")
    #expect(shown["replaced"] == true && shown["was"] == "finished")
    #expect(
      try device.waitForMessage { (try? $0.json["kind"]) == "notification" }.json["body"]
        == "after it was shown")
    try device.listen(for: .seconds(1))
    #expect(!device.messages.contains { $0.text.contains("about to fire") })
    #expect(try house.pending() == [])
  }

  @Test("Editing a repeating request counts from the change, and fires nothing at once")
  func edit() throws {
    let house = try House()
    let device = try house.device("desk")
    try house.command(
      #"{"id":"r","title":"x","to":"desk","trigger":{"every":"1h","from":"2026-01-01T00:00Z"}}"#)
    try house.command(
      #"{"id":"r","title":"y","to":"desk","trigger":{"every":"2h","from":"2026-01-01T00:00Z"}}"#)
    let replaced = try house.command(#"{"id":"r","title":"z","to":"desk","trigger":{"every":"3h"}}"#)
    #expect(replaced["upcoming"]?.elements?.count == 3)
    try device.listen(for: .milliseconds(500))
    #expect(device.messages.isEmpty)
  }

  @Test("Long delays do not wrap: 30 days, 2^31 ms, 2^31 s")
  func longDelays() throws {
    let house = try House()
    let device = try house.device("desk")
    for seconds: Int64 in [2_592_000, 2_147_484, 2_147_483_648] {
      let before = SystemClock.wallMilliseconds
      let reply = try house.command(#"{"title":"x","to":"desk","trigger":{"after":\#(seconds)}}"#)
      let next = try #require(reply["next"]?.text)
      guard case .instant(let due) = try WrittenTime(parsing: next) else { throw TestFailure(next) }
      // Clocks are cut to milliseconds.
      #expect((-2...5000).contains(due.milliseconds - before - seconds * 1000), "\(next)")
    }
    try device.listen(for: .milliseconds(300))
    #expect(device.messages.isEmpty)
    #expect(try house.pending().count == 3)
  }

  @Test("A time without offset is wall time in the request's zone, else in the relay's; both are told")
  func zones() throws {
    let house = try House()
    func next(_ more: String) throws -> JSON {
      try house.command(#"{"title":"x","to":"desk","trigger":{"at":\#(more)}"#)
    }
    let bare = try next(#""2037-06-10T09:00:00"}"#)
    #expect(bare["timezone"] == "Europe/Berlin" && bare["next"] == "2037-06-10T09:00:00.000+02:00")
    let tokyo = try next(#""2037-06-10T09:00:00"},"timezone":"Asia/Tokyo""#)
    #expect(tokyo["next"] == "2037-06-10T09:00:00.000+09:00")
    let offset = try next(#""2037-06-10 09:00+05:45"}"#)
    #expect(offset["next"] == "2037-06-10T05:15:00.000+02:00")
    for name in ["Europe/Kiev", "Europe/Kyiv"] {
      #expect(
        try next(#""2037-07-01T08:00"},"timezone":"\#(name)""#)["next"] == "2037-07-01T08:00:00.000+03:00")
    }
    let epoch = try next("2123456789}")
    #expect(epoch["next"] == "2037-04-16T03:06:29.000+02:00", "\(epoch.written)")
    // A replacement with a zone that there is not leaves the request as it was.
    try house.command(
      #"{"id":"r4","title":"x","to":"desk","trigger":{"at":"2037-07-01T08:00"},"timezone":"Europe/Kyiv"}"#)
    let bad = try house.ask(
      #"{"id":"r4","title":"x","to":"desk","trigger":{"at":"2037-07-01T08:00"},"timezone":"Not/AZone"}"#)
    #expect(bad.code == "invalid" && bad["error"]?["message"]?.text?.contains("Not/AZone") == true)
    let kept = try house.command(#"{"command":"pending","ids":["r4"]}"#)["items"]?.elements?.first
    #expect(kept?["timezone"] == "Europe/Kyiv")
  }

  @Test("A time a moment ago fires at once, one long ago does not, unless it has life left")
  func justPast() throws {
    let house = try House()
    let device = try house.device("desk")
    func at(_ seconds: Int64) -> String {
      timestamp(utc: WallTime(milliseconds: SystemClock.wallMilliseconds - seconds * 1000))
    }
    try house.command(#"{"id":"just","title":"x","to":"desk","trigger":{"at":"\#(at(1))"}}"#)
    #expect(try device.waitForMessage().json["id"] == "just")
    #expect(
      try house.ask(#"{"id":"long","title":"x","to":"desk","trigger":{"at":"\#(at(3600))"}}"#).code == "past")
    try house.command(
      #"{"id":"late","title":"x","to":"desk","expires":"2h","trigger":{"at":"\#(at(3600))"}}"#)
    let late = try device.waitForMessage().json
    #expect(late["id"] == "late" && late["late"] == true)
    #expect(late["expires"] != .null)
  }

  // MARK: Cancel and withdraw

  @Test("Cancel tells cancelled, fired and unknown, by id, by thread, and for all")
  func cancel() throws {
    let house = try House()
    let device = try house.device("desk")
    for id in ["a", "b", "c", "d"] {
      let thread = id == "c" || id == "d" ? "t" : "u"
      try house.command(
        #"{"id":"\#(id)","title":"x","to":"desk","thread":"\#(thread)","trigger":{"after":"1h"}}"#)
    }
    try house.command(#"{"id":"now","title":"x","to":"desk"}"#)
    try device.waitForMessage()
    let reply = try house.command(#"{"command":"cancel","ids":["a","now","nope"]}"#)
    #expect(reply["ids"] == ["a": "cancelled", "now": "fired", "nope": "unknown"])
    // What has fired still travels; cancel does not take it back.
    #expect(device.messages.isEmpty)
    #expect(
      try house.command(#"{"command":"cancel","thread":"t"}"#)["ids"] == ["c": "cancelled", "d": "cancelled"])
    #expect(try house.pending() == ["b"])
    #expect(try house.command(#"{"command":"cancel","all":true}"#)["ids"] == ["b": "cancelled"])
    #expect(try house.pending() == [])
    #expect(try house.command(#"{"command":"cancel","all":true}"#)["ids"] == [:])
  }

  @Test("Beyond a hundred ids the reply tells their number")
  func manyIDs() throws {
    let house = try House()
    let list = (0..<150).map { #"{"id":"m\#($0)","title":"x","to":"desk","trigger":{"after":"1h"}}"# }
    try house.ask("[\(list.joined(separator: ","))]")
    #expect(try house.command(#"{"command":"cancel","all":true}"#)["count"] == 150)
  }

  @Test("After the answer to a cancel nothing fires, however close to the due time it came")
  func decisive() throws {
    let house = try House()
    let device = try house.device("desk")
    var outcomes: [String: String] = [:]
    for round in 0..<40 {
      let id = "c\(round)"
      try house.command(#"{"id":"\#(id)","title":"x","to":"desk","trigger":{"after":0.02}}"#)
      try house.client.listen(for: .milliseconds(Int64(10 + round % 10)))
      let reply = try house.command(#"{"command":"cancel","ids":["\#(id)"]}"#)
      outcomes[id] = reply["ids"]?[id]?.text
    }
    try house.command(#"{"id":"end","title":"x","to":"desk"}"#)
    try device.waitForMessage { (try? $0.json["id"]) == "end" }
    let fired = Set(try device.messages.compactMap { try $0.json["id"]?.text })
    for (id, outcome) in outcomes {
      #expect(outcome == (fired.contains(id) ? "fired" : "cancelled"), "\(id)")
    }
    #expect(device.messages.count == fired.count)
  }

  @Test("Cancel followed at once by a new schedule leaves nothing of the old repetition")
  func cancelThenSchedule() throws {
    let house = try House()
    let device = try house.device("desk")
    for round in 0..<20 {
      try house.command(#"{"id":"r","title":"old \#(round)","to":"desk","trigger":{"every":1}}"#)
      try house.ask(
        #"[{"command":"cancel","ids":["r"]},{"id":"r","title":"new","to":"desk","trigger":{"every":3600}}]"#)
      // On a busy machine one may have fired before the cancel; after its answer none may.
      try house.client.publish("carillon/device/desk/notification", "mark \(round)")
      while try device.waitForMessage().text != "mark \(round)" {}
    }
    try device.listen(for: .milliseconds(1300))
    #expect(device.messages.isEmpty)
    #expect(try house.pending() == ["r"])
  }

  @Test("Withdraw takes back from the screens; the devices hear why and from whom")
  func withdraw() throws {
    let house = try House()
    let companion = try house.companion()
    let plain = try TestClient(port: house.broker.port)
    try plain.subscribe("carillon/device/wall/notification")
    try house.command(#"{"id":"w","title":"x","to":["desk","wall"],"thread":"t"}"#)
    try companion.event("notification", "w")
    let first = try plain.waitForMessage().json
    let reply = try house.command(#"{"command":"withdraw","ids":["w","nope"]}"#, as: "me")
    #expect(reply["ids"] == ["w": "withdrawn", "nope": "unknown"])
    let told = try companion.event("withdrawn", "w")
    #expect(told["delivery"] == first["delivery"])
    let withdrawal = try plain.waitForMessage().json
    #expect(withdrawal.names == ["kind", "delivery", "id", "reason", "by"])
    #expect(
      withdrawal["kind"] == "withdrawal" && withdrawal["reason"] == "withdrawn" && withdrawal["by"] == "me")
    try house.waitForState("w", "withdrawn")
    try eventually("the latest to be empty") { try house.retained("carillon/device/desk/latest") == nil }
    #expect(try house.command(#"{"command":"withdraw","ids":["w"]}"#)["ids"] == ["w": "unknown"])

    try house.command(#"{"id":"v","title":"x","to":"desk","thread":"t"}"#)
    #expect(try house.command(#"{"command":"withdraw","thread":"t"}"#)["ids"] == ["v": "withdrawn"])
    try companion.event("withdrawn", "v")
    try house.command(#"{"id":"u","title":"x","to":"desk"}"#)
    #expect(try house.command(#"{"command":"withdraw","all":true}"#)["ids"] == ["u": "withdrawn"])
    // A pending request is no notification yet.
    try house.command(#"{"id":"p","title":"x","to":"desk","trigger":{"after":"1h"}}"#)
    #expect(try house.command(#"{"command":"withdraw","ids":["p"]}"#)["ids"] == ["p": "unknown"])
    #expect(try house.pending() == ["p"])
  }

  // MARK: Fire, pause, resume

  @Test("Fire is besides the schedule, which stays as it is")
  func fire() throws {
    let house = try House()
    let device = try house.device("desk")
    let reply = try house.command(#"{"id":"f","title":"x","to":"desk","trigger":{"after":"1h"}}"#)
    let fired = try house.command(#"{"command":"fire","id":"f"}"#)
    #expect(fired["ids"] == ["f": "fired"])
    let first = try device.waitForMessage().json
    #expect(try house.command(#"{"command":"fire","id":"f"}"#)["ids"] == ["f": "fired"])
    #expect(try device.waitForMessage().json["delivery"] != first["delivery"])
    let item = try house.command(#"{"command":"pending"}"#)["items"]?.elements?.first
    #expect(item?["next"] == reply["next"])
    #expect(try house.command(#"{"command":"fire","id":"nope"}"#)["ids"] == ["nope": "unknown"])
  }

  @Test("A paused request does not fire; resumed, what fell due meanwhile fires")
  func pause() throws {
    let house = try House()
    let device = try house.device("desk")
    try house.command(#"{"id":"p","title":"x","to":"desk","trigger":{"after":1}}"#)
    #expect(
      try house.command(#"{"command":"pause","ids":["p","nope"]}"#)["ids"] == [
        "p": "paused", "nope": "unknown",
      ])
    let item = try house.command(#"{"command":"pending"}"#)["items"]?.elements?.first
    #expect(item?["state"] == "paused")
    try device.listen(for: .milliseconds(1500))
    #expect(device.messages.isEmpty)
    // It stays paused over a restart.
    try house.stopRelay()
    try house.startRelay()
    #expect(
      try house.command(#"{"command":"resume","ids":["p","nope"]}"#)["ids"] == [
        "p": "pending", "nope": "unknown",
      ])
    #expect(try device.waitForMessage().json["id"] == "p")
    try house.command(#"{"id":"q","title":"x","to":"desk","trigger":{"after":"1h"}}"#)
    #expect(try house.command(#"{"command":"pause","all":true}"#)["ids"] == ["q": "paused"])
    #expect(try house.command(#"{"command":"resume","all":true}"#)["ids"] == ["q": "pending"])
  }

  @Test("A repetition ends with its count, and keeps its distance")
  func repetition() throws {
    let house = try House()
    let device = try house.device("desk")
    let reply = try house.command(#"{"id":"e","title":"x","to":"desk","trigger":{"every":1,"count":3}}"#)
    #expect(reply["upcoming"]?.elements?.count == 3)
    let dues = try (0..<3).map { _ in try device.waitForMessage().json["due"] }
    #expect(dues == reply["upcoming"]?.elements)
    #expect(try house.pending() == [])
    try device.listen(for: .milliseconds(1200))
    #expect(device.messages.isEmpty)
    #expect(try house.delivered("e").count == 3)
  }

}

extension JSON {
  /// The names of an object's members, in order.
  var names: [String] { if case .object(let object) = self { object.members.map(\.name) } else { [] } }
}
