import CarillonModel
import Testing

@Suite("What a device answers")
struct ResponseTests {
  private func mistake(in text: String) -> Refusal? {
    do {
      _ = try Response(parsing: Array(text.utf8))
      return nil
    } catch { return error }
  }

  @Test("A response comes back as it was written")
  func roundTrip() throws {
    let response = Response(
      delivery: "d", id: "i", event: .acted, by: .tap, action: "done", text: "yes",
      at: "2026-12-01T19:00:00.000+01:00", detail: "x")
    #expect(try Response(parsing: response.encoded) == response)
  }

  @Test("Fields that say nothing are left out")
  func short() {
    let text = String(decoding: Response(delivery: "d", id: "i", event: .received).encoded, as: UTF8.self)
    #expect(text == #"{"delivery":"d","id":"i","event":"received"}"#)
  }

  @Test("A client may leave out everything but the delivery and the event, and send what nobody knows")
  func least() throws {
    let response = try Response(parsing: Array(#"{"delivery":"d","event":"dismissed","mood":1}"#.utf8))
    #expect(response == Response(delivery: "d", event: .dismissed))
  }

  @Test(
    "A response of the wrong kind is refused at its place",
    arguments: [
      (#"{"event":"received"}"#, "delivery"),
      (#"{"delivery":"d"}"#, "event"),
      (#"{"delivery":"d","event":"eaten"}"#, "event"),
      (#"{"delivery":"d","event":"opened","by":"magic"}"#, "by"),
      (#"{"delivery":"d","event":"acted","action":3}"#, "action"),
      (#"{"delivery":"d","id":"","event":"acted"}"#, "id"),
      (#"{"delivery":"d","event":"failed","detail":[]}"#, "detail"),
    ])
  func mistakes(text: String, place: String) throws {
    let refusal = try #require(mistake(in: text))
    #expect(refusal.code == .invalid)
    #expect(refusal.path == place)
  }

  @Test("A person's long text is refused, a long reason is cut at a whole character")
  func long() throws {
    let text = String(repeating: "a", count: Response.textLimit + 1)
    #expect(mistake(in: #"{"delivery":"d","event":"acted","text":"\#(text)"}"#)?.path == "text")
    let detail = String(repeating: "ü", count: 1000)
    let cut = try #require(Response(delivery: "d", event: .failed, detail: "a" + detail).detail)
    #expect(cut.utf8.count == Response.detailLimit - 1)
    #expect(cut.hasSuffix("ü"))
  }

  @Test(
    "Only a person's doing is an answer",
    arguments: ResponseEvent.allCases, [nil, OpenedBy.tap, OpenedBy.arrival])
  func answers(event: ResponseEvent, by: OpenedBy?) {
    let response = Response(delivery: "d", event: event, by: by)
    let expected = event == .acted || event == .dismissed || (event == .opened && by == .tap)
    #expect(response.isAnswer == expected)
  }

  @Test("States only move forward: received, shown, opened by arrival, failed, then what is final")
  func ranks() {
    let order: [[Response]] = [
      [Response(delivery: "d", event: .received)],
      [Response(delivery: "d", event: .presented), Response(delivery: "d", event: .suppressed)],
      [Response(delivery: "d", event: .opened, by: .arrival), Response(delivery: "d", event: .opened)],
      [Response(delivery: "d", event: .failed)],
      [
        Response(delivery: "d", event: .opened, by: .tap), Response(delivery: "d", event: .acted),
        Response(delivery: "d", event: .dismissed), Response(delivery: "d", event: .withdrawn),
        Response(delivery: "d", event: .expired),
      ],
    ]
    for (step, responses) in order.enumerated() {
      for response in responses {
        #expect(response.rank == step + 1)
        #expect(response.isFinal == (step >= 3))
      }
    }
  }
}
