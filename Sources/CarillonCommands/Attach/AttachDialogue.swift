import CarillonModel

/// What an attached script was asked and has not answered.
struct AttachDialogue {
  /// Whether nobody answers, so that this does.
  var answersItself: Bool

  private struct Question {
    let delivery: JSON
    /// How the notification is usually presented.
    let usual: JSON
    /// Milliseconds.
    let told: Int64
  }

  private struct Step {
    let delivery: JSON
    let step: JSON
  }

  /// Milliseconds for which a companion waits to hear how a notification is presented.
  private static let patience: Int64 = 2000

  private var questions: [Question] = []
  private var steps: [Step] = []

  init(answersItself: Bool) { self.answersItself = answersItself }

  /// Takes an event of the companion's.
  ///
  /// - Parameter now: milliseconds of the elapsed clock.
  /// - Returns: the answer, where it is given at once.
  mutating func hear(_ event: JSON, at now: Int64) -> JSON? {
    guard let delivery = event["delivery"] else { return nil }
    switch event["event"]?.text {
    case "notification":
      guard let usual = event["presentation"] else { return nil }
      questions.removeAll { now - $0.told > AttachDialogue.patience }
      questions.append(Question(delivery: delivery, usual: usual, told: now))
    case "navigate": steps.append(Step(delivery: delivery, step: event["step"] ?? .null))
    default: return nil
    }
    return answersItself ? answerAll().first : nil
  }

  /// Nobody answers any more.
  ///
  /// - Returns: the answers to all that is open.
  mutating func endOfInput() -> [JSON] {
    answersItself = true
    return answerAll()
  }

  /// The connection has ended, and with it all that was asked on it.
  mutating func forgetAll() {
    questions = []
    steps = []
  }

  private mutating func answerAll() -> [JSON] {
    let answers =
      questions.map { AttachDialogue.presentation($0.delivery, $0.usual) }
      + steps.map { AttachDialogue.step("done", $0.delivery, $0.step) }
    forgetAll()
    return answers
  }

  /// The answer to the question told first, of those that still count.
  mutating func present(_ ways: [String], at now: Int64) throws(Refusal) -> JSON {
    _ = try Presentation(reading: ways, at: "present")
    questions.removeAll { now - $0.told > AttachDialogue.patience }
    guard !questions.isEmpty else { throw Refusal(.invalid, "no notification waits to be presented") }
    return AttachDialogue.presentation(
      questions.removeFirst().delivery, .array(ways.map { .string($0) }))
  }

  /// The answer to the step told last.
  mutating func settle(failure reason: String?) throws(Refusal) -> JSON {
    guard let step = steps.popLast() else { throw Refusal(.invalid, "no step waits for an answer") }
    guard let reason else { return AttachDialogue.step("done", step.delivery, step.step) }
    guard case .object(var answer) = AttachDialogue.step("failed", step.delivery, step.step) else {
      return .null
    }
    answer.append("reason", .string(reason))
    return .object(answer)
  }

  /// Takes note of an answer that was given as an object.
  mutating func note(_ answer: JSON) {
    switch answer["answer"]?.text {
    case "present": questions.removeAll { $0.delivery == answer["delivery"] }
    case "done", "failed":
      steps.removeAll { $0.delivery == answer["delivery"] && $0.step == answer["step"] }
    default: break
    }
  }

  private static func presentation(_ delivery: JSON, _ ways: JSON) -> JSON {
    ["answer": "present", "delivery": delivery, "presentation": ways]
  }

  private static func step(_ answer: String, _ delivery: JSON, _ step: JSON) -> JSON {
    ["answer": .string(answer), "delivery": delivery, "step": step]
  }
}
