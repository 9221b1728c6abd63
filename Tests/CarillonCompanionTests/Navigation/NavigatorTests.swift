import CarillonLinks
import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCompanion

@Suite("The navigator", .serialized)
struct NavigatorTests {
  private let loop: EventLoop
  private let folder: TemporaryDirectory

  init() throws {
    loop = try EventLoop()
    folder = try TemporaryDirectory()
  }

  private func navigation(
    _ commands: [[String]?], timeout: Duration = .seconds(10), wait: Bool = true
  ) throws -> Navigation {
    Navigation(
      link: try Link(parsing: "x:a"), route: "x:a", parameters: [:],
      steps: commands.enumerated().map { NavigationStep(to: "/\($0.offset + 1)", command: $0.element) },
      timeout: timeout, wait: wait)
  }

  /// Runs it to its end.
  private func run(
    _ navigation: Navigation, execute: Bool = true, variables: [String: String] = [:]
  ) throws -> (outcome: NavigationOutcome, steps: [Int]) {
    let navigator = Navigator(loop: loop, execute: execute)
    var steps: [Int] = []
    var outcome: NavigationOutcome?
    navigator.run(navigation, variables: variables, tell: { steps.append($0) }, then: { outcome = $0 })
    while outcome == nil { try #require(try loop.turn(waiting: .seconds(20))) }
    return (try #require(outcome), steps)
  }

  @Test("Each step's command runs when the one before has ended")
  func order() throws {
    let log = "\(folder.path)/log"
    let slow = try folder.script("slow", "echo begin $1 >>\(log); sleep 0.1; echo end $1 >>\(log)")
    let result = try run(try navigation([[slow, "1"], [slow, "2"], [slow, "3"]]))
    #expect(result.outcome == .opened)
    #expect(result.steps == [0, 1, 2])
    #expect(folder.read("log") == "begin 1\nend 1\nbegin 2\nend 2\nbegin 3\nend 3\n")
  }

  @Test("Without execution steps are told and nothing runs")
  func printed() throws {
    let result = try run(try navigation([["touch", "\(folder.path)/ran"], nil]), execute: false)
    #expect(result.outcome == .opened)
    #expect(result.steps == [0, 1])
    #expect(folder.read("ran") == nil)
  }

  @Test("A command that fails ends the navigation with its program and status")
  func failure() throws {
    let result = try run(
      try navigation([["true"], ["sh", "-c", "exit 3"], ["touch", "\(folder.path)/ran"]]))
    #expect(result.outcome == .failed("step 2 of 3: sh ended with status 3"))
    #expect(result.steps == [0, 1])
    #expect(folder.read("ran") == nil)
  }

  @Test("A command that dies of a signal is told with it")
  func signal() throws {
    let result = try run(try navigation([["sh", "-c", "kill -SEGV $$"]]))
    #expect(result.outcome == .failed("step 1 of 1: sh was ended by signal 11"))
  }

  @Test("A missing program is named", arguments: [true, false])
  func missing(wait: Bool) throws {
    let result = try run(try navigation([["carillon-no-such-program"]], wait: wait))
    #expect(
      result.outcome
        == .failed("step 1 of 1: cannot run carillon-no-such-program: No such file or directory"))
  }

  @Test("A command over its time is ended with its children, at first politely")
  func timeLimit() throws {
    let log = "\(folder.path)/log"
    let script = try folder.script("stays", "trap 'echo asked >>\(log); exit 0' TERM; sleep 60 & wait")
    let begin = SystemClock.elapsedMilliseconds
    let result = try run(try navigation([[script]], timeout: .milliseconds(200)))
    #expect(result.outcome == .failed("step 1 of 1: \(script) did not end within 0.2s"))
    #expect(folder.read("log") == "asked\n")
    #expect(SystemClock.elapsedMilliseconds - begin < 4000)
  }

  @Test("Arguments and variables reach the program byte for byte, through no shell")
  func arguments() throws {
    let texts = ["$(touch pwned)", "`touch pwned`", "\"; touch pwned; \"", "a'b", "a\nb", "*", ""]
    let script = try folder.script("args", "for a; do printf '%s|' \"$a\" >>\(folder.path)/log; done")
    _ = try run(try navigation([[script] + texts]))
    #expect(folder.read("log") == texts.map { $0 + "|" }.joined())
    #expect(folder.read("pwned") == nil)
  }

  @Test("A command finds the notification in its environment")
  func environment() throws {
    let message = try DeviceMessage(
      parsing: Array(
        #"{"kind":"notification","delivery":"d","id":"i","title":"T\u0000t","body":"B","url":"x:a","userInfo":{"a":1}}"#
          .utf8))
    guard case .notification(let notification) = message else { return }
    let script = try folder.script(
      "env",
      """
      printf '%s|' "$CARILLON_OPEN" "$CARILLON_NOTIFICATION_ID" "$CARILLON_NOTIFICATION_DELIVERY" "$CARILLON_NOTIFICATION_TITLE" "$CARILLON_NOTIFICATION_BODY" \
        "$CARILLON_NOTIFICATION_URL" >\(folder.path)/log
      printf '%s' "$CARILLON_NOTIFICATION" >\(folder.path)/json
      """)
    let variables = NavigationVariables.variables(for: notification, url: "x:a")
    _ = try run(try navigation([[script]]), variables: variables)
    #expect(folder.read("log") == "1|i|d|T\u{FFFD}t|B|x:a|")
    #expect(try DeviceMessage(parsing: Array(try #require(folder.read("json")).utf8)) == message)
  }

  @Test("Programs that stay are not waited for, and leave no zombies")
  func staying() throws {
    let navigator = Navigator(loop: loop, execute: true)
    let script = try folder.script("leaves", "echo $$ >>\(folder.path)/log")
    var outcomes: [NavigationOutcome] = []
    for _ in 1...5 {
      navigator.run(try navigation([[script]], wait: false), tell: { _ in }, then: { outcomes.append($0) })
      while navigator.isRunning || outcomes.isEmpty { try #require(try loop.turn(waiting: .seconds(10))) }
    }
    while navigator.stayingCount > 0 { try #require(try loop.turn(waiting: .seconds(10))) }
    while outcomes.count < 5 { try #require(try loop.turn(waiting: .seconds(10))) }
    #expect(outcomes == Array(repeating: .opened, count: 5))
    let processes = (folder.read("log") ?? "").split(separator: "\n").compactMap { pid_t($0) }
    #expect(processes.count == 5)
    // A zombie's number is still taken.
    for process in processes { #expect(kill(process, 0) == -1 && errno == ESRCH) }
  }

  @Test("A stop while a step is told keeps its command from beginning", arguments: [true, false])
  func stopWhileTelling(wait: Bool) throws {
    let navigator = Navigator(loop: loop, execute: true)
    let command = ["touch", "\(folder.path)/ran"]
    var steps: [Int] = []
    var outcome: NavigationOutcome?
    navigator.run(
      try navigation([command, command], wait: wait),
      tell: {
        steps.append($0)
        navigator.stop(patience: .seconds(1))
      }, then: { outcome = $0 })
    #expect(!navigator.isRunning)
    while outcome == nil { try #require(try loop.turn(waiting: .seconds(10))) }
    #expect(outcome == .failed("interrupted"))
    #expect(steps == [0])
    #expect(navigator.stayingCount == 0)
    #expect(folder.read("ran") == nil)
  }

  @Test("A stop ends the command that runs, and takes no further step")
  func stop() throws {
    let navigator = Navigator(loop: loop, execute: true)
    var outcome: NavigationOutcome?
    let endless = try folder.script("endless", "trap '' TERM; while true; do sleep 0.05; done")
    navigator.run(
      try navigation([[endless], ["touch", "\(folder.path)/ran"]]), tell: { _ in }, then: { outcome = $0 })
    navigator.stop(patience: .milliseconds(300))
    while outcome == nil { try #require(try loop.turn(waiting: .seconds(10))) }
    #expect(outcome == .failed("step 1 of 2: \(endless) was interrupted"))
    #expect(folder.read("ran") == nil)
  }
}
