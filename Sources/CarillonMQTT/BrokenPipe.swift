import Glibc

/// Calls the library so that a broker which has closed the connection is an error like others, and no signal that ends the
/// process. Where the process ignores that signal itself, as the services do, it costs nothing.
func withoutBrokenPipe<Result>(_ body: () -> Result) -> Result {
  guard !isBrokenPipeIgnored() else { return body() }
  var signals = sigset_t()
  sigemptyset(&signals)
  sigaddset(&signals, SIGPIPE)
  var before = sigset_t()
  pthread_sigmask(SIG_BLOCK, &signals, &before)
  let result = body()
  let number = errno
  var now = timespec()
  sigtimedwait(&signals, nil, &now)
  pthread_sigmask(SIG_SETMASK, &before, nil)
  errno = number
  return result
}

/// Services say so before they connect; the command line, which is to end when nobody reads on, does not.
private func isBrokenPipeIgnored() -> Bool {
  var action = sigaction()
  sigaction(SIGPIPE, nil, &action)
  return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
}
