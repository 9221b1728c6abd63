import CarillonLoop
import CarillonStore
import Glibc

/// A check of the whole store in a process of its own, so that nothing waits for it: this program again, as
/// `carillon store check`. It ends with this object, and with this process.
///
/// A check reads all of the store as it stood at one moment. As long as it lasts, the write-ahead log is kept from that
/// moment on and cannot begin anew; so whoever writes much meanwhile ends it, and has it done later.
final class StoreCheck {
  enum Outcome: Hashable {
    case sound
    /// Damaged, with the first finding.
    case damaged(String)
    /// It came to no result.
    case failed(String)
  }

  private let pid: pid_t
  private let output: Int32
  private var child: ChildWatch?

  /// This program as a check of a store, which ends with this process.
  static func command(_ path: String) -> [String] {
    ["/proc/self/exe", "store", "check", "--", path, "\(getpid())"]
  }

  /// - Parameters:
  ///   - command: what is run.
  ///   - then: called once, when the process has ended by itself.
  init(_ command: [String], loop: EventLoop, then: @escaping (Outcome) -> Void) throws(LoopError) {
    var ends: [Int32] = [-1, -1]
    // Children inherit neither end: a spawned program gets its three standard descriptors only.
    guard pipe(&ends) == 0 else { throw LoopError("cannot make a pipe", errno) }
    defer { close(ends[1]) }
    output = ends[0]
    _ = fcntl(output, F_SETFL, O_NONBLOCK)
    var spawn = Spawn(command)
    spawn.standardOutput = ends[1]
    do {
      pid = try spawn.start()
    } catch {
      close(output)
      throw error
    }
    child = try loop.child(pid) { [unowned self] exit in
      child?.cancel()
      child = nil
      then(outcome(exit))
    }
  }

  deinit {
    end()
    close(output)
  }

  /// Ends the process at once, if it still runs; the outcome is not told then.
  func end() {
    guard let child else { return }
    child.cancel()
    self.child = nil
    kill(pid, SIGKILL)
    var status: Int32 = 0
    // After SIGKILL the end is certain; the zombie has to be taken away.
    waitpid(pid, &status, 0)
  }

  /// What it prints where the store is damaged, before the finding.
  static let damage = "damaged: "

  private func outcome(_ exit: ChildExit) -> Outcome {
    let text = said
    if exit == .exited(0) { return .sound }
    if text.hasPrefix(StoreCheck.damage) { return .damaged(String(text.dropFirst(StoreCheck.damage.count))) }
    return .failed("\(exit)")
  }

  /// Its first line; a finding is short, so the pipe holds it.
  private var said: String {
    var bytes = [UInt8](repeating: 0, count: 1000)
    let count = read(output, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
  }
}

extension RelayService {
  /// Checks the store in a file, whoever uses it, and changes nothing: what the second process does.
  ///
  /// - Returns: the first finding; `nil` where the store is sound.
  /// - Throws: `StoreError` where it cannot be read.
  public static func finding(inStore path: String) throws(StoreError) -> String? {
    do throws(StoreError) {
      try Maintenance.check(path: path)
      return nil
    } catch .corrupt(let finding) {
      return StoreCheck.damage + finding
    }
  }
}
