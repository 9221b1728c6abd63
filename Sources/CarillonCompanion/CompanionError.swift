import CarillonLoop
import CarillonModel
import CarillonStore

/// Why a companion does not start, or cannot go on.
public enum CompanionError: Error, Hashable, Sendable {
  /// Another companion runs on the same state folder.
  case alreadyRunning(StoreError)
  /// The inbox cannot be used: damaged, not writable, of a newer program.
  case inbox(StoreError)
  /// A setting is at fault.
  case configuration(Refusal)
  /// The machine gives no more timers or descriptors.
  case system(LoopError)

  init(_ error: StoreError) {
    if case .alreadyOpen = error { self = .alreadyRunning(error) } else { self = .inbox(error) }
  }
}

extension CompanionError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .alreadyRunning(let error):
      "\(error); stop it, or give this one another folder with --state and another name with --device"
    case .inbox(let error): error.description
    case .configuration(let refusal):
      refusal.path.isEmpty ? refusal.message : "\(refusal.path): \(refusal.message)"
    case .system(let error): error.description
    }
  }
}
