import CarillonModel
import Testing

@Suite("What a device is sent")
struct DeviceMessageTests {
  private func read(_ text: String) throws -> DeviceMessage { try DeviceMessage(parsing: Array(text.utf8)) }

  private func mistake(in text: String) -> Refusal? {
    do {
      _ = try DeviceMessage(parsing: Array(text.utf8))
      return nil
    } catch { return error }
  }

  @Test("A whole notification is read field by field")
  func whole() throws {
    let message = try read(
      """
      {"kind":"notification","delivery":"s.7.1","id":"bins","from":"ha","due":"2026-12-01T19:00:00.000+01:00",
       "fired":"2026-12-01T19:00:00.002+01:00","late":true,"missed":3,"expires":"2026-12-01T21:00:00.000+01:00",
       "nag":{"n":2,"of":6},"title":"Bins","subtitle":"Green","body":"Street","url":"home://chores/bins",
       "actions":[{"id":"done","title":"Done"},{"id":"later","snooze":"10m"},{"id":"map","url":"https://example.jp/"}],
       "sound":"default","badge":1,"image":"https://example.jp/a.png","thread":"chores","category":"chore",
       "level":"active","userInfo":{"any":[1]},"unheardOf":{"x":1}}
      """)
    guard case .notification(let notification) = message else {
      Issue.record("not a notification")
      return
    }
    #expect(
      notification.firing
        == Firing(
          delivery: "s.7.1", id: "bins", from: "ha", due: "2026-12-01T19:00:00.000+01:00",
          fired: "2026-12-01T19:00:00.002+01:00", late: true, missed: 3,
          expires: "2026-12-01T21:00:00.000+01:00", nag: Firing.Nag(n: 2, of: 6)))
    #expect(notification.title == "Bins")
    #expect(notification.subtitle == "Green")
    #expect(notification.body == "Street")
    #expect(notification.url == "home://chores/bins")
    #expect(notification.actions.map(\.id) == ["done", "later", "map"])
    #expect(notification.actions[1].snooze == "10m")
    #expect(notification.actions[2].url == "https://example.jp/")
    #expect(notification.badge == 1)
    #expect(notification.userInfo == ["any": [1]])
    #expect(notification.payload["unheardOf"] == ["x": 1])
    #expect(try DeviceMessage(parsing: notification.encoded) == message)
  }

  @Test("A notification published by hand needs no more than its two names")
  func least() throws {
    let message = try read(#"{"kind":"notification","delivery":"d","id":"i","from":null,"expires":null}"#)
    guard case .notification(let notification) = message else {
      Issue.record("not a notification")
      return
    }
    #expect(notification.firing == Firing(delivery: "d", id: "i"))
    #expect(notification.actions.isEmpty)
  }

  @Test("A withdrawal comes back as it was written")
  func withdrawal() throws {
    let withdrawal = Withdrawal(delivery: "d", id: "i", reason: "opened", by: "desk")
    #expect(try DeviceMessage(parsing: withdrawal.encoded) == .withdrawal(withdrawal))
    #expect(
      String(decoding: withdrawal.encoded, as: UTF8.self)
        == #"{"kind":"withdrawal","delivery":"d","id":"i","reason":"opened","by":"desk"}"#)
  }

  @Test(
    "A message of the wrong kind is refused at its place",
    arguments: [
      (#"{"delivery":"d","id":"i"}"#, "kind"),
      (#"{"kind":"alarm","delivery":"d","id":"i"}"#, "kind"),
      (#"{"kind":"notification","id":"i"}"#, "delivery"),
      (#"{"kind":"notification","delivery":7,"id":"i"}"#, "delivery"),
      (#"{"kind":"notification","delivery":"","id":"i"}"#, "delivery"),
      (#"{"kind":"notification","delivery":"d\n","id":"i"}"#, "delivery"),
      (#"{"kind":"notification","delivery":"d","id":["i"]}"#, "id"),
      (#"{"kind":"notification","delivery":"d","id":"i","title":3}"#, "title"),
      (#"{"kind":"notification","delivery":"d","id":"i","late":"yes"}"#, "late"),
      (#"{"kind":"notification","delivery":"d","id":"i","missed":-1}"#, "missed"),
      (#"{"kind":"notification","delivery":"d","id":"i","expires":"soon"}"#, "expires"),
      (#"{"kind":"notification","delivery":"d","id":"i","expires":"2026-12-01T19:00:00"}"#, "expires"),
      (#"{"kind":"notification","delivery":"d","id":"i","nag":{"n":"a"}}"#, "nag.n"),
      (#"{"kind":"notification","delivery":"d","id":"i","actions":{}}"#, "actions"),
      (#"{"kind":"notification","delivery":"d","id":"i","actions":[{"title":"x"}]}"#, "actions[0].id"),
      (#"{"kind":"notification","delivery":"d","id":"i","badge":1.5}"#, "badge"),
      (#"{"kind":"withdrawal","delivery":"d","id":"i","by":{}}"#, "by"),
      (#"[]"#, ""),
    ])
  func mistakes(text: String, place: String) throws {
    let refusal = try #require(mistake(in: text))
    #expect(refusal.code == .invalid)
    #expect(refusal.path == place)
  }

  @Test("What is not JSON is malformed", arguments: ["", "{", "null x", "{\"a\":1,\"a\":2}"])
  func malformed(text: String) {
    #expect(mistake(in: text)?.code == .malformed)
  }

  @Test("A message that cannot be read still tells which delivery it is, where it can")
  func identity() throws {
    let readable = DeviceMessage.identity(in: ["delivery": "d", "id": "i", "title": 3])
    #expect(readable?.delivery == "d")
    #expect(readable?.id == "i")
    #expect(DeviceMessage.identity(in: ["delivery": "d"]) == nil)
    #expect(DeviceMessage.identity(in: []) == nil)
  }

  @Test("At the very instant of its expiry a firing is over, a millisecond earlier it is not")
  func expiry() {
    let firing = Firing(delivery: "d", id: "i", expires: "1970-01-01T01:00:01.000+01:00")
    #expect(firing.expiry == WallTime(milliseconds: 1000))
    #expect(!firing.isExpired(at: WallTime(milliseconds: 999)))
    #expect(firing.isExpired(at: WallTime(milliseconds: 1000)))
    #expect(!Firing(delivery: "d", id: "i").isExpired(at: WallTime(milliseconds: .max)))
  }

  @Test("The envelope is written in the protocol's order")
  func envelope() {
    var writer = JSONWriter()
    writer.beginObject()
    Firing(delivery: "d", id: "i", due: "a", fired: "b", nag: Firing.Nag(n: 1, of: 2))
      .writeMembers(into: &writer)
    writer.rawMembers(Array(#""title":"t""#.utf8))
    writer.endObject()
    #expect(
      String(decoding: writer.bytes, as: UTF8.self)
        == #"{"kind":"notification","delivery":"d","id":"i","from":null,"due":"a","fired":"b","late":false,"#
        + #""missed":0,"expires":null,"nag":{"n":1,"of":2},"title":"t"}"#)
  }
}
