import CarillonModel
import Testing

@testable import CarillonCommands

@Suite struct AttachDialogueTests {
  private func asked(_ delivery: String) -> JSON {
    ["event": "notification", "delivery": .string(delivery), "presentation": ["banner"]]
  }

  private func step(_ delivery: String, _ number: Int64) -> JSON {
    ["event": "navigate", "delivery": .string(delivery), "step": .integer(number), "of": 3, "to": "/x"]
  }

  @Test func whereNobodyAnswersEachIsAnsweredAtOnce() {
    var dialogue = AttachDialogue(answersItself: true)
    #expect(
      dialogue.hear(asked("a"), at: 0)
        == ["answer": "present", "delivery": "a", "presentation": ["banner"]])
    #expect(dialogue.hear(step("a", 1), at: 0) == ["answer": "done", "delivery": "a", "step": 1])
    #expect(dialogue.hear(["event": "notification", "delivery": "a", "held": true], at: 0) == nil)
    #expect(dialogue.hear(["event": "withdrawn", "delivery": "a"], at: 0) == nil)
    #expect(dialogue.endOfInput().isEmpty)
  }

  @Test func theFirstQuestionAndTheLastStepAreAnswered() throws {
    var dialogue = AttachDialogue(answersItself: false)
    for delivery in ["a", "b"] { #expect(dialogue.hear(asked(delivery), at: 0) == nil) }
    #expect(try ShellWords.answer("present", &dialogue, at: 1)["delivery"] == "a")
    #expect(throws: Refusal.self) { try ShellWords.answer("present bannre", &dialogue, at: 1) }
    #expect(
      try ShellWords.answer("present list sound", &dialogue, at: 1)
        == ["answer": "present", "delivery": "b", "presentation": ["list", "sound"]])
    #expect(throws: Refusal.self) { try ShellWords.answer("present", &dialogue, at: 1) }
    for number in [1, 2] as [Int64] { #expect(dialogue.hear(step("a", number), at: 0) == nil) }
    #expect(try ShellWords.answer("done", &dialogue, at: 1)["step"] == 2)
    #expect(dialogue.endOfInput() == [["answer": "done", "delivery": "a", "step": 1]])
    #expect(throws: Refusal.self) { try ShellWords.answer("done", &dialogue, at: 1) }
  }

  @Test func aQuestionThatTheCompanionHasGivenUpIsAnsweredNoMore() throws {
    var dialogue = AttachDialogue(answersItself: false)
    _ = dialogue.hear(asked("a"), at: 0)
    _ = dialogue.hear(asked("b"), at: 1500)
    #expect(try dialogue.present([], at: 2500)["delivery"] == "b")
    _ = dialogue.hear(asked("c"), at: 0)
    dialogue.forgetAll()
    #expect(throws: Refusal.self) { try dialogue.present([], at: 1) }
  }

  @Test func whatWasAnsweredAsAnObjectIsNotAnsweredAgainAtTheEnd() {
    var dialogue = AttachDialogue(answersItself: false)
    _ = dialogue.hear(asked("a"), at: 0)
    _ = dialogue.hear(step("a", 1), at: 0)
    dialogue.note(["answer": "done", "delivery": "a", "step": 1])
    dialogue.note(["answer": "present", "delivery": "a", "presentation": []])
    #expect(dialogue.endOfInput().isEmpty)
  }

  @Test(
    arguments: [
      (#"{"event":"attached","device":"desk"}"#, "attached desk"),
      (
        #"{"event":"notification","delivery":"d 1%","id":"i","title":"A  b","presentation":[]}"#,
        "notification d%201%25 A  b"
      ),
      (#"{"event":"notification","delivery":"d","id":"i","title":"","body":"B","held":true}"#, "held d B"),
      (
        #"{"event":"notification","delivery":"d","id":"i","url":"home://x","presentation":[]}"#,
        "notification d i"
      ),
      (
        #"{"event":"navigate","delivery":"d","step":1,"of":2,"to":"/a b\n\u001b"}"#,
        #"navigate d 1 2 /a b\u{a}\u{1b}"#
      ),
      (#"{"event":"withdrawn","delivery":"d","id":"i","reason":"opened"}"#, "withdrawn d opened"),
      (#"{"event":"expired","delivery":"d","id":"i"}"#, "expired d"),
      (#"{"event":"news"}"#, nil), (#"{"event":"navigate","delivery":"","to":"/"}"#, "navigate - - - /"),
    ] as [(String, String?)]) func anEventIsOneLineOfWords(_ event: String, _ line: String?) throws
  {
    #expect(ShellWords.line(try JSON(parsing: Array(event.utf8))) == line)
  }

  @Test(arguments: [
    ("tap d%201%25", #"{"answer":"tap","delivery":"d 1%"}"#),
    ("dismiss  d", #"{"answer":"dismiss","delivery":"d"}"#),
    ("act d a", #"{"answer":"act","delivery":"d","action":"a"}"#),
    ("  act d\ta  say  so ", #"{"answer":"act","delivery":"d","action":"a","text":"say  so "}"#),
  ]) func aPersonsAnswerNamesItsDelivery(_ line: String, _ answer: String) throws {
    var dialogue = AttachDialogue(answersItself: false)
    #expect(try ShellWords.answer(line, &dialogue, at: 0).encodedText == answer)
  }

  @Test(arguments: ["tap", "tap a b", "act d", "dismiss", "done 1", "Done", "present list", "failed x", "x"])
  func whatIsNoAnswerIsRefused(_ line: String) {
    var dialogue = AttachDialogue(answersItself: false)
    #expect(throws: Refusal.self) { try ShellWords.answer(line, &dialogue, at: 0) }
  }

  @Test func whatIsNoSchemeIsAWrongOperand() {
    let run = Run("attach", "--device", "desk", "home", "ho me")
    #expect(run.status == 64)
    #expect(run.errors.first?.hasPrefix("carillon attach: SCHEME[1]: no scheme") == true)
    #expect(Run("attach").status == 64)
    #expect(Run("attach", "--device", "a b", "home").status == 64)
  }

  @Test func withoutAPlaceForTheSocketTheEnvironmentIsAtFault() {
    var place = Run.Place()
    place.environment = ["XDG_RUNTIME_DIR": "/" + String(repeating: "x", count: 120)]
    let run = Run("attach", "--device", "desk", "home", at: place)
    #expect(run.status == 78)
    #expect(run.errors.first?.contains("a shorter XDG_RUNTIME_DIR helps") == true)
  }
}
