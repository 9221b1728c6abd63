/// What a `when` trigger waits for (protocol §3): a message on a topic that passes a test, or a device that
/// comes or goes, or at which somebody sits down.
public struct Condition: Hashable, Sendable {
  public enum Source: Hashable, Sendable {
    /// Messages on a topic outside the relay's own prefix: a valid topic name, without wildcards.
    case topic(String)
    /// A device that begins to show something.
    case device(Name, DeviceTest)
  }

  /// What a device must show.
  public enum DeviceTest: Hashable, Sendable {
    case status(DeviceStatus)
    /// What its profile says of somebody's presence; never `unknown`.
    case presence(Profile.Presence)
  }

  /// What a message must show.
  public enum Test: Hashable, Sendable {
    /// A scalar: a text, a number, true, false or null.
    case equals(JSON)
    /// A number greater than this one, which is finite.
    case above(Double)
    /// A number smaller than this one, which is finite.
    case below(Double)
    /// The whole value fits a pattern.
    case matches(Pattern)
    /// No message at all for so long.
    case silent(Duration)
  }

  public var source: Source
  /// Where in a payload of JSON the value stands: the reference tokens of RFC 6901, unescaped; empty for the whole
  /// document. Without it the payload itself is the value.
  public var pointer: [String]?
  /// `nil` for a device, which has a test of its own.
  public var test: Test?
  /// How long the match must hold before it counts (`for`): only then is the edge complete.
  public var hold: Duration?
  /// How long after the edge is complete the trigger fires, whether the match still holds or not.
  public var delay: Duration?
  /// How long after a firing no other one begins. Only where the trigger repeats.
  public var holdoff: Duration?

  public init(
    source: Source, pointer: [String]? = nil, test: Test? = nil, hold: Duration? = nil,
    delay: Duration? = nil,
    holdoff: Duration? = nil
  ) {
    self.source = source
    self.pointer = pointer
    self.test = test
    self.hold = hold
    self.delay = delay
    self.holdoff = holdoff
  }
}
