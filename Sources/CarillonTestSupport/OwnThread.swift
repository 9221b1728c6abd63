import Glibc
import Testing

/// Runs a test on a thread of its own: `@Test(.onOwnThread)`.
///
/// Tests share as many threads as there are processors, and one that mostly waits keeps a thread from the others.
public struct OwnThread: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }
  /// Whether it waits until few others run.
  var isOneOfFew = false

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withTaskExecutorPreference(ThreadExecutor()) {
      if isOneOfFew { Turnstile.few.enter() }
      defer { if isOneOfFew { Turnstile.few.leave() } }
      try await function()
    }
  }
}

extension Trait where Self == OwnThread {
  /// For a test that waits for seconds, and for suites of such tests.
  public static var onOwnThread: OwnThread { OwnThread() }

  /// For tests that start several programs each: a few of them run at a time, so that none is starved.
  public static var onOwnThreadWithFewOthers: OwnThread { OwnThread(isOneOfFew: true) }
}

/// Lets so many in at a time. It blocks the thread, which is the test's own.
private struct Turnstile: Sendable {
  static let few = Turnstile(6)
  private let seats: Int32
  private let returns: Int32

  /// A pipe with a byte for each free seat: taking one waits without a lock.
  init(_ count: Int) {
    var ends: [Int32] = [-1, -1]
    pipe(&ends)
    self.seats = ends[0]
    returns = ends[1]
    for _ in 0..<count { leave() }
  }

  func enter() {
    var seat: UInt8 = 0
    while read(seats, &seat, 1) != 1, errno == EINTR {}
  }

  func leave() {
    var seat: UInt8 = 0
    write(returns, &seat, 1)
  }
}

/// Gives each piece of work a new thread.
private final class ThreadExecutor: TaskExecutor {
  private final class Work {
    let job: UnownedJob
    let executor: ThreadExecutor

    init(_ job: UnownedJob, _ executor: ThreadExecutor) {
      self.job = job
      self.executor = executor
    }

    func run() { job.runSynchronously(on: executor.asUnownedTaskExecutor()) }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let work = Unmanaged.passRetained(Work(UnownedJob(job), self))
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<Work>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, work.toOpaque())
    // A job that is not run would leave its test waiting for ever.
    if result == 0 { pthread_detach(thread) } else { work.takeRetainedValue().run() }
  }
}
