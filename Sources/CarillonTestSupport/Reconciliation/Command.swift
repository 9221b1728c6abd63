import CarillonModel

extension Household {
  /// A message on the command topic: one command, or several as an array.
  public struct Command: Sendable {
    /// What an element of it asks for.
    enum Element: Sendable {
      case schedule(Request)
      /// Cancels the request of that name.
      case cancel(name: String, id: String)
      /// Holds requests, or lets them go on.
      case hold(id: String)
    }

    var elements: [Element]
    var payload: [UInt8]
    var number: Int
    /// Whether it has an idempotency key, and so may be sent again. A reply is lost with a relay that dies; who has to
    /// know it sends the command once more.
    var hasKey: Bool

    static let replies = "carillon/reply/walk/"
    var replyTopic: String { "\(Command.replies)\(number)" }
  }

  /// A request as it was asked for, and what it is to do.
  struct Request: Sendable {
    /// Of the table's rows.
    enum Kind: String, CaseIterable, Sendable {
      case immediate, after, at, every, calendar, nag, expiring, far
    }

    /// Its own, in its link.
    var name: String
    /// Shared with the request that it replaces.
    var id: String
    /// Whether it is asked for without its id, so that the relay makes one: asked for twice, it is two requests.
    var isAnonymous = false
    var kind: Kind
    var devices: [String]
    /// How often it fires if nothing ends it.
    var occurrences: Int
    /// The wall clock's milliseconds by which it has fired for the last time, where everything runs.
    var end: Int64

    /// How often it fires at least: of a nag's repetitions that were missed only the newest comes, and what has expired
    /// does not come.
    var leastOccurrences: Int {
      switch kind {
      case .nag: 1
      case .expiring: 0
      default: occurrences
      }
    }

    /// Whether a device that was away may find that a firing has made place for a later one.
    var isSuperseded: Bool { kind == .nag }
  }
}
