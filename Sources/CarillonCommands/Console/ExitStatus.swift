/// How a verb ended (protocol §8; the numbers are those of `sysexits.h`).
public enum ExitStatus: Int32, Sendable, CaseIterable {
  /// Done, ids that nobody knew included.
  case done = 0
  /// Anything without a number of its own; a link without a route.
  case failure = 1
  /// A wrong option, operand or verb.
  case usage = 64
  /// A request judged bad, here or by the relay; a link that is denied.
  case data = 65
  /// The broker or the relay gave no answer in time.
  case unavailable = 69
  /// It may work later: the relay cannot store, a quota is used up, the store belongs to another relay.
  case temporary = 75
  /// A bad configuration.
  case configuration = 78
}
