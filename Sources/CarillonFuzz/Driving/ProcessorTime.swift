import Glibc

/// For how long this thread has been worked for, however busy the machine is otherwise.
func processorTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

/// The memory that this process has at present, in bytes.
func residentMemory() -> Int {
  let descriptor = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return 0 }
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 128)
  let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
  let words = bytes.prefix(max(count, 0)).split(separator: UInt8(ascii: " "))
  guard words.count > 1, let pages = Int(String(decoding: words[1], as: UTF8.self)) else { return 0 }
  return pages * 4096
}
