import Glibc

/// SIGINT and SIGTERM, which would leave programs and folders behind if they ended this process where it is.
enum Interruption: Error, CustomStringConvertible {
  case requested

  var description: String { "interrupted" }

  private static var signals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in [SIGINT, SIGTERM] { sigaddset(&signals, number) }
    return signals
  }

  /// From now on they wait until `check` looks.
  static func hold() {
    var signals = signals
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  /// - Throws: where one of them has come.
  static func check() throws {
    var waiting = sigset_t()
    sigpending(&waiting)
    for number in [SIGINT, SIGTERM] where sigismember(&waiting, number) == 1 { throw Interruption.requested }
  }
}
