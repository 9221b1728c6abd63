import CarillonModel

/// What a companion knows of one delivery: one row of its inbox.
public struct InboxEntry: Hashable, Sendable {
  /// How far a delivery is. It only moves forward, and each step is on disk before what follows it is done: that is
  /// how a delivery is acted on at most once, whenever the companion is killed.
  public enum State: Int64, Hashable, Sendable, CaseIterable {
    /// It is here and nothing has been done about it: after a crash it is acted on.
    case received = 1
    /// Acting on it has begun: after a crash nobody knows how far it came, so it is not begun again.
    case started = 2
    /// It is over: a repeat is answered, not acted on.
    case done = 3
  }

  public var delivery: String
  public var id: String
  public var state: State
  /// Whether its line has been printed, or was about to be.
  public var isPresented: Bool
  /// Whether it was taken back while it was being acted on.
  public var isWithdrawn: Bool
  /// The notification as it came; dropped once it is over and off the screen.
  public var payload: [UInt8]?
  /// The newest response to it, with which a repeat is answered.
  public var answer: Response?

  public init(
    delivery: String, id: String, state: State = .received, isPresented: Bool = false,
    isWithdrawn: Bool = false, payload: [UInt8]? = nil, answer: Response? = nil
  ) {
    self.delivery = delivery
    self.id = id
    self.state = state
    self.isPresented = isPresented
    self.isWithdrawn = isWithdrawn
    self.payload = payload
    self.answer = answer
  }
}
