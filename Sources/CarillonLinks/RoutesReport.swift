import CarillonModel

/// Something wrong in a routes file: what, where, and what to do.
public struct RouteFault: Hashable, Sendable {
  /// `unknown-field` or `invalid`.
  public let code: RefusalCode
  /// The place, such as `routes[2].navigate[1]`.
  public let path: String
  /// What is wrong.
  public let message: String
  /// What to write instead.
  public let remedy: String
  /// Whether a companion refuses the file for it. The others do no harm, but are hardly what was meant.
  public let isFatal: Bool

  init(_ refusal: Refusal, remedy: String, isFatal: Bool = true) {
    code = refusal.code
    path = refusal.path
    message = refusal.message
    self.remedy = remedy
    self.isFatal = isFatal
  }

  /// The fault as one sentence for those who stop at it.
  public var refusal: Refusal { Refusal(code, at: path, "\(message); \(remedy)") }
}

/// Why a program cannot be run, and what to do about it.
public struct ProgramFault: Hashable, Sendable {
  public let message: String
  public let remedy: String

  public init(_ message: String, remedy: String) {
    self.message = message
    self.remedy = remedy
  }
}

/// What `routes check` has to say: every fault of a file, and for each route a link that it is for.
public struct RoutesReport: Sendable {
  /// A link that a route is for.
  public struct Example: Hashable, Sendable {
    /// The route's place, such as `routes[2]`.
    public let path: String
    /// The route's link as the file has it.
    public let route: String
    /// A link that it matches, with each parameter's name as its value.
    public let link: Link
  }

  /// In the order of the file.
  public internal(set) var faults: [RouteFault] = []
  /// In the order of the file; a route with a fatal fault has none.
  public internal(set) var examples: [Example] = []

  /// Whether there is nothing to say; `routes check` fails otherwise.
  public var isClean: Bool { faults.isEmpty }
}
