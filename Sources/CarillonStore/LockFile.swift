import Glibc

/// An exclusive `flock` on a file beside the store, not on the store itself, where SQLite has locks of its own. It goes
/// with the process.
final class LockFile {
  private let descriptor: Int32

  init(besides path: String) throws(StoreError) {
    let name = path + ".lock"
    descriptor = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      throw errno == EROFS || errno == EACCES ? .readOnly : .cannotOpen(path: name, reason: systemReason())
    }
    var tries = 0
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      guard isHolderGone, tries < LockFile.tries else { throw .alreadyOpen(path: path, process: holder) }
      tries += 1
      // Before there is a loop to wait in: the store is opened first of all.
      usleep(10_000)
    }
  }

  /// Two seconds, in hundredths: a loaded machine may take its time to let the child go on.
  private static let tries = 200

  /// Whether the process that took the lock has ended, or is this one, which has let go of it. If a command was just being
  /// started then, the child has the lock until it has become that command, an instant later.
  private var isHolderGone: Bool {
    guard let holder, holder > 0 else { return false }
    return holder == getpid() || (kill(holder, 0) != 0 && errno == ESRCH)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  private var holder: Int32? {
    var text = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor, &text, text.count, 0)
    let digits = text.prefix(max(0, count)).prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
    return Int32(String(decoding: digits, as: UTF8.self))
  }

  /// Whether a process has opened the store before: the file is filled once the store is there.
  var isMarked: Bool {
    var status = stat()
    return fstat(descriptor, &status) == 0 && status.st_size > 0
  }

  /// Names this process as the holder.
  func mark() {
    let mine = Array("\(getpid())\n".utf8)
    _ = ftruncate(descriptor, 0)
    _ = pwrite(descriptor, mine, mine.count, 0)
  }
}

func systemReason() -> String { String(cString: strerror(errno)) }
