/// What relay and companion have in common on the command line.
enum Service {
  static let keepAlive = Option(
    "keep-alive", "D", "How long the broker may be silent before the connection counts as lost. Default 60s.")
  static let log = Option("log", "LEVEL", "error, warning, info or debug. Default info.")
}
