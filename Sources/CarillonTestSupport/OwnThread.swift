import Glibc
import Testing

/// Runs a test on a thread of its own: `@Test(.onOwnThread)`.
///
/// Tests share as many threads as there are processors, and one that mostly waits keeps a thread from the others.
public struct OwnThread: TestTrait, SuiteTrait, TestScoping {
  public var isRecursive: Bool { true }

  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil else { return try await function() }
    try await withTaskExecutorPreference(ThreadExecutor()) { try await function() }
  }
}

extension Trait where Self == OwnThread {
  /// For a test that waits for seconds, and for suites of such tests.
  public static var onOwnThread: OwnThread { OwnThread() }
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
