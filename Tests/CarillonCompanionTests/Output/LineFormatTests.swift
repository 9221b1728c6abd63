import CarillonModel
import Testing

@testable import CarillonCompanion

@Suite("A companion's lines")
struct LineFormatTests {
  private func notification(_ members: String) throws -> Notification {
    let text = #"{"kind":"notification","delivery":"d","id":"i"\#(members)}"#
    guard case .notification(let notification) = try DeviceMessage(parsing: Array(text.utf8)) else {
      throw Refusal(.invalid, "no notification")
    }
    return notification
  }

  private func text(_ line: Line) -> String? {
    LineFormat.text.line(line).map { String(decoding: $0, as: UTF8.self) }
  }

  private func json(_ line: Line) throws -> String {
    String(decoding: try #require(LineFormat.json.line(line)), as: UTF8.self)
  }

  @Test("For people: one line a notification, one a step, and one for what went wrong")
  func people() throws {
    let tea = try notification(#","title":"Tea","body":"Ready","url":"k://tea","late":true,"missed":2"#)
    let step = NavigateLine(
      delivery: "d", id: "i", url: "k://tea", route: "k://tea", step: 1, of: 2, to: "/tea")
    #expect(text(.notification(tea)) == "notification  Tea - Ready  <k://tea>  (late)  (2 missed)")
    #expect(text(.navigate(step)) == "step 1 of 2: /tea")
    #expect(text(.opened(tea, url: tea.url, by: .arrival)) == nil)
    #expect(text(.failed(delivery: "d", id: "i", reason: "no route")) == "failed  i: no route")
    #expect(text(.withdrawn(delivery: "d", id: "i", reason: "opened")) == "withdrawn  i: opened")
    #expect(text(.expired(tea))?.hasPrefix("expired  Tea") == true)
    #expect(text(.notification(try notification(""))) == "notification  i")
  }

  @Test("For programs: one object each, with event, delivery and id")
  func programs() throws {
    let tea = try notification(
      #","title":"Tea","url":"k://tea","event":"mine","expires":"2026-12-01T19:00:00Z""#)
    #expect(
      try json(.notification(tea))
        == #"{"event":"notification","kind":"notification","delivery":"d","id":"i","title":"Tea","url":"k://tea","#
        + #""expires":"2026-12-01T19:00:00Z"}"#)
    let step = NavigateLine(
      delivery: "d", id: "i", url: "k://tea", route: "k://:x", step: 1, of: 2, to: "/tea")
    #expect(
      try json(.navigate(step))
        == #"{"event":"navigate","delivery":"d","id":"i","url":"k://tea","route":"k://:x","step":1,"of":2,"to":"/tea"}"#
    )
    #expect(
      try json(.opened(tea, url: tea.url, by: .arrival))
        == #"{"event":"opened","delivery":"d","id":"i","url":"k://tea","by":"arrival"}"#)
    #expect(
      try json(.failed(delivery: "d", id: "i", reason: "no route"))
        == #"{"event":"failed","delivery":"d","id":"i","reason":"no route"}"#)
    #expect(
      try json(.withdrawn(delivery: "d", id: "i", reason: ""))
        == #"{"event":"withdrawn","delivery":"d","id":"i"}"#)
    #expect(
      try json(.expired(tea))
        == #"{"event":"expired","delivery":"d","id":"i","expires":"2026-12-01T19:00:00Z"}"#)
  }

  @Test(
    "No control character of a payload reaches the terminal",
    arguments: [#"\u001b[2J"#, #"a\u0000b"#, #"a\rb\nc"#, #"\u007f"#, #"\u009b31m"#, #"\u202ea"#, #"\u2028"#])
  func controls(escaped: String) throws {
    let steering = try notification(
      #","title":"\#(escaped)","userInfo":{"\#(escaped == #"a\u0000b"# ? "k" : escaped)":1}"#)
    for format in [LineFormat.text, .json] {
      let bytes = try #require(format.line(.notification(steering)))
      let line = try #require(String(validating: bytes, as: UTF8.self))
      let controls = line.unicodeScalars.filter { $0.properties.generalCategory == .control }
      #expect(controls.isEmpty, "\(format): \(Array(controls).map(\.value))")
    }
    let line = try #require(text(.notification(steering)))
    #expect(!line.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{2028}" })
    #expect(
      try JSON(parsing: try #require(LineFormat.json.line(.notification(steering))))["title"]
        == steering.payload["title"])
  }

  @Test("Emoji and scripts that need joiners come out whole")
  func joiners() throws {
    #expect(text(.notification(try notification(#","title":"👨‍👩‍👧 野菜""#))) == "notification  👨‍👩‍👧 野菜")
  }
}
