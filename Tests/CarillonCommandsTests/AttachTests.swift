import CarillonCompanion
import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCommands

@Suite(.onOwnThread) struct AttachTests {
  private let home: TemporaryDirectory
  private let companion: SocketCompanion

  init() throws {
    home = try TemporaryDirectory(inMemory: true)
    companion = try SocketCompanion(home.file(".xdg_runtime_dir/carillon/desk.sock"))
  }

  private func attach(_ words: String..., takesInput: Bool = false) throws -> Program {
    try Program(["attach", "--device", "desk"] + words, home: home, takesInput: takesInput)
  }

  @Test func itWaitsForACompanionAnswersByItselfAndComesBackAfterARestart() throws {
    let program = try attach("home", "HTTPS")
    try program.wait(on: .errors) { $0.contains("waiting for a companion of the device desk at ") }
    for _ in 1...2 {
      try companion.start()
      let application = try companion.attached()
      #expect(application.schemes == ["home", "https"])
      try companion.ask(application, "d1", title: "Bins out", usual: [.list])
      #expect(try companion.event() == .presentation(application, delivery: "d1", .list))
      for step in 1...2 {
        companion.navigate(application, "d1", step)
        #expect(try companion.event() == .stepDone(application, delivery: "d1", step: step))
      }
      companion.stop()
    }
    #expect(
      program.lines() == [
        "attached desk", "notification d1 Bins out", "navigate d1 1 2 /screen 1", "navigate d1 2 2 /screen 2",
        "attached desk", "notification d1 Bins out", "navigate d1 1 2 /screen 1", "navigate d1 2 2 /screen 2",
      ])
    program.terminate()
    #expect(try program.waitForExit() == .exited(0))
    #expect(program.lines(.errors).filter { $0.contains("waiting") }.count <= 3)
  }

  @Test func aScriptAnswersEachStepAndTheEndOfItsInputAnswersTheRest() throws {
    try companion.start()
    let program = try attach("home", takesInput: true)
    let application = try companion.attached()
    try companion.ask(application, "d1", title: "a\u{1B}[2J\u{202E}b", usual: .whole)
    try companion.wait { program.lines().contains(#"notification d1 a\u{1b}[2J\u{202e}b"#) }
    try program.send("present banner list")
    #expect(try companion.event() == .presentation(application, delivery: "d1", [.banner, .list]))
    companion.navigate(application, "d1", 1)
    try companion.wait { program.lines().contains("navigate d1 1 2 /screen 1") }
    try program.send("nonsense")
    try companion.wait { program.lines(.errors).contains { $0.contains("\"nonsense\" is none of done, ") } }
    #expect(companion.events.isEmpty)
    try program.send("done")
    #expect(try companion.event() == .stepDone(application, delivery: "d1", step: 1))
    companion.navigate(application, "d1", 2)
    try companion.wait { program.lines().contains("navigate d1 2 2 /screen 2") }
    try program.send("failed  no such   screen")
    #expect(
      try companion.event()
        == .stepFailed(application, delivery: "d1", step: 2, reason: "no such   screen"))
    try program.send("act d1 later in an hour")
    #expect(
      try companion.event() == .acted(application, delivery: "d1", action: "later", text: "in an hour"))
    companion.navigate(application, "d1", 1)
    try companion.wait { program.lines().filter { $0 == "navigate d1 1 2 /screen 1" }.count == 2 }
    program.closeInput()
    #expect(try companion.event() == .stepDone(application, delivery: "d1", step: 1))
    program.signal(SIGINT)
    #expect(try program.waitForExit() == .exited(0))
  }

  @Test func aProgramGetsTheObjectsAndAnswersWithObjects() throws {
    try companion.start()
    let program = try attach("--json", "home", takesInput: true)
    let application = try companion.attached()
    companion.navigate(application, "d1", 1)
    try companion.wait { program.lines().count == 2 }
    let event = try JSON(parsing: Array(program.lines()[1].utf8))
    #expect(event["event"] == "navigate")
    #expect(event["url"] == "home://a")
    try program.send("done")
    try companion.wait { !program.lines(.errors).isEmpty }
    try program.send(#"{"answer":"failed","delivery":"d1","step":1,"reason":"busy"}"#)
    #expect(
      try companion.event() == .stepFailed(application, delivery: "d1", step: 1, reason: "busy"))
    program.terminate()
    #expect(try program.waitForExit() == .exited(0))
  }

  @Test func theExampleApplicationShowsScreensAndSurvivesTheCompanion() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let program = try Program(
      ["desk"], environment: ["PYTHONDONTWRITEBYTECODE": "1"],
      executable: "/\(root)/config/examples/application/bins-app.py", home: home)
    mkdir(home.file(".xdg_runtime_dir"), 0o700)
    for _ in 1...2 {
      try companion.start()
      let application = try companion.attached()
      #expect(application.name == "bins-app")
      #expect(application.schemes == ["home"])
      try companion.ask(application, "d1", title: "Bins\u{1B}[2J out", usual: .whole)
      #expect(try companion.event() == .presentation(application, delivery: "d1", .list))
      companion.navigate(application, "d1", 1)
      #expect(try companion.event() == .stepDone(application, delivery: "d1", step: 1))
      companion.stop()
    }
    let once = ["attached desk", "notification Bins\u{FFFD}[2J out", "screen /screen 1"]
    #expect(program.lines() == once + once)
    program.terminate()
    try program.waitForExit()
  }

  @Test func whoMayNotifyIsToldToACompanionThatRuns() throws {
    try companion.start()
    let program = try Program(["device", "deny", "--device", "desk", "--publisher", "ads"], home: home)
    #expect(try companion.event() == .authorizationChanged)
    try companion.wait { program.hasEnded }
    #expect(try program.waitForExit() == .exited(0))
    #expect(program.lines() == [#"desk: denied for the publisher "ads""#])
  }
}

/// A companion's socket without the companion, driven by the test.
final class SocketCompanion {
  private let path: String
  private let loop: EventLoop
  private var hub: ApplicationHub?
  private(set) var events: [ApplicationEvent] = []

  init(_ path: String) throws {
    self.path = path
    loop = try EventLoop()
  }

  func start() throws {
    hub = try ApplicationHub(path: path, device: try Name("desk"), loop: loop, log: Log(level: .error)) {
      [unowned self] in events.append($0)
    }
  }

  func stop() {
    hub?.close()
    hub = nil
  }

  func wait(_ condition: () throws -> Bool) throws {
    let deadline = Deadline(after: .seconds(10))
    while try !condition() {
      guard !deadline.hasPassed else { throw TestFailure("it did not come; events: \(events)") }
      try loop.turn(waiting: .milliseconds(5))
    }
  }

  func event() throws -> ApplicationEvent {
    try wait { !events.isEmpty }
    return events.removeFirst()
  }

  func attached() throws -> Application {
    guard case .attached(let application) = try event() else { throw TestFailure("not attached") }
    return application
  }

  func ask(_ application: Application, _ delivery: String, title: String, usual: Presentation) throws {
    let payload: JSON = ["delivery": .string(delivery), "id": "bins", "title": .string(title)]
    hub?.ask(application, try Notification(reading: Fields(payload)), usual)
  }

  func navigate(_ application: Application, _ delivery: String, _ step: Int) {
    hub?.navigate(
      application,
      NavigateLine(
        delivery: delivery, id: "bins", url: "home://a", route: "home://a", step: step, of: 2,
        to: "/screen \(step)"))
  }
}
