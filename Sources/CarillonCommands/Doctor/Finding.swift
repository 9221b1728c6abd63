import CarillonModel

/// What one check of `carillon doctor` has found.
struct Finding {
  enum Status: String {
    case ok, warning, wrong
    /// What it is about is not here, or cannot be seen from here.
    case skipped
  }

  /// A word for what was looked at; the same in every release.
  let check: String
  let status: Status
  let message: String
  /// What to do about it, a line each.
  let remedies: [String]

  init(_ check: String, _ status: Status, _ message: String, _ remedies: [String] = []) {
    self.check = check
    self.status = status
    self.message = message
    self.remedies = remedies
  }

  /// What a verb would have ended with.
  init(_ check: String, _ failure: Failure, _ remedies: [String] = []) {
    self.init(check, .wrong, failure.message, failure.details.map { "  \($0)" } + remedies)
  }

  var json: JSON {
    [
      "check": .string(check), "status": .string(status.rawValue), "message": .string(message),
      "remedies": .array(remedies.map { .string($0) }),
    ]
  }
}
