import Glibc

/// Keeps the input that is being read where a signal handler finds it: a trap ends the process before anything can be said
/// of it in Swift.
public struct BlackBox: Sendable {
  private static let capacity = 1 << 20
  /// A length and as many bytes. Mapped once, for as long as the process lives.
  private static let address: UInt = {
    let memory = mmap(nil, capacity + 8, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return memory == MAP_FAILED ? 0 : UInt(bitPattern: memory)
  }()

  /// From now on a process that is ended by a trap, or by 10 seconds of work on one input, writes that input to a file
  /// `crash` in the working directory. `nil` where there is no memory for it.
  public init?() {
    guard BlackBox.address != 0 else { return nil }
    for number in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGPROF] {
      signal(number) { number in
        BlackBox.write()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  func note(_ input: [UInt8]) {
    guard let memory = UnsafeMutableRawPointer(bitPattern: BlackBox.address) else { return }
    let count = min(input.count, BlackBox.capacity)
    memory.storeBytes(of: count, as: Int.self)
    input.withUnsafeBytes {
      (memory + 8).copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(memory), byteCount: count)
    }
    var limit = itimerval(it_interval: timeval(), it_value: timeval(tv_sec: 10, tv_usec: 0))
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &limit, nil)
  }

  func clear() {
    var never = itimerval()
    setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &never, nil)
  }

  private static func write() {
    guard let memory = UnsafeRawPointer(bitPattern: address) else { return }
    let descriptor = open("crash", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    _ = Glibc.write(descriptor, memory + 8, memory.load(as: Int.self))
  }
}
