import CarillonLinks
import CarillonLoop
import CarillonModel
import Glibc

/// Takes a navigation's steps one after another: tells each, and runs its command where commands are to be run.
/// Nothing blocks the loop meanwhile. One navigation at a time.
public final class Navigator {
  private let loop: EventLoop
  /// Whether commands are run, from the next navigation's step on.
  var execute: Bool
  private let output: Int32?
  private var running: Run?
  /// The programs of `wait: false`, watched only so that they leave no zombies.
  private var staying: [pid_t: ChildWatch] = [:]
  private var isStopping = false
  /// Called once when the navigation that goes on has ended.
  var whenIdle: (() -> Void)?

  /// - Parameters:
  ///   - execute: whether commands are run; without it steps are only told.
  ///   - output: where the commands' standard output goes; nil for this process's own.
  public init(loop: EventLoop, execute: Bool, output: Int32? = nil) {
    self.loop = loop
    self.execute = execute
    self.output = output
  }

  private final class Run {
    let navigation: Navigation
    let variables: [String: String]
    let tell: (Int) -> Void
    let then: (NavigationOutcome) -> Void
    var step = 0
    var process: StepProcess?

    init(
      _ navigation: Navigation, _ variables: [String: String], _ tell: @escaping (Int) -> Void,
      _ then: @escaping (NavigationOutcome) -> Void
    ) {
      self.navigation = navigation
      self.variables = variables
      self.tell = tell
      self.then = then
    }
  }

  /// Begins a navigation.
  ///
  /// - Parameters:
  ///   - variables: what commands find in their environment besides this process's own.
  ///   - tell: called with each step, counted from 0, before it is taken.
  ///   - then: called once, after this call has returned.
  public func run(
    _ navigation: Navigation, variables: [String: String] = NavigationVariables.opening,
    tell: @escaping (Int) -> Void, then: @escaping (NavigationOutcome) -> Void
  ) {
    precondition(running == nil, "one navigation at a time")
    let run = Run(navigation, variables, tell, then)
    running = run
    advance(run)
  }

  private func advance(_ run: Run) {
    while run.step < run.navigation.steps.count {
      run.tell(run.step)
      // Telling may have found nobody there to be told, and have stopped everything.
      guard !isStopping else {
        finish(run, .failed(Inbox.interrupted))
        return
      }
      let step = run.navigation.steps[run.step]
      guard execute, let command = step.command else {
        run.step += 1
        continue
      }
      do {
        if try begin(command, run) { return }
      } catch {
        finish(run, .failed("\(place(run)): \(error)"))
        return
      }
      run.step += 1
    }
    finish(run, .opened)
  }

  /// - Returns: whether the navigation waits for the command.
  private func begin(_ command: [String], _ run: Run) throws(LoopError) -> Bool {
    var spawn = Spawn(command, environment: run.variables)
    spawn.standardOutput = output
    guard run.navigation.wait else {
      let process = try spawn.start()
      staying[process] = try loop.child(process) { [unowned self] _ in
        loop.afterTurn { [unowned self] in staying[process] = nil }
      }
      return false
    }
    run.process = try StepProcess(spawn, loop: loop, limit: run.navigation.timeout) { [unowned self] in
      stepEnded(run, $0)
    }
    return true
  }

  private func stepEnded(_ run: Run, _ outcome: NavigationOutcome) {
    run.process = nil
    switch outcome {
    case .failed(let reason): finish(run, .failed("\(place(run)): \(reason)"))
    case .opened where isStopping: finish(run, .failed(Inbox.interrupted))
    case .opened:
      run.step += 1
      advance(run)
    }
  }

  private func place(_ run: Run) -> String { "step \(run.step + 1) of \(run.navigation.steps.count)" }

  private func finish(_ run: Run, _ outcome: NavigationOutcome) {
    running = nil
    loop.afterTurn { [self] in
      run.then(outcome)
      if running == nil, let call = whenIdle {
        whenIdle = nil
        call()
      }
    }
  }

  /// Ends the command that runs, with its process group, and takes no further step; `tell` may call it. Programs that
  /// stay go on.
  ///
  /// - Parameter patience: how long it has between TERM and KILL.
  public func stop(patience: Duration) {
    isStopping = true
    running?.process?.interrupt(patience: patience)
  }

  /// How many programs of `wait: false` have not ended.
  var stayingCount: Int { staying.count }

  /// Whether a navigation goes on.
  public var isRunning: Bool { running != nil }
}
