/// The way from the root screen to a link's target: the steps, and how each is carried out.
///
/// Whatever could be wrong with a step's command has been checked before there is a navigation; none is refused halfway.
public struct Navigation: Hashable, Sendable {
  /// Where it leads.
  public let link: Link
  /// The route's link as its file has it.
  public let route: String
  /// What the route bound.
  public let parameters: [String: String]
  /// From the root to the target, in the order in which they are taken.
  public let steps: [NavigationStep]
  /// How long a step's command may take; then its process group is ended.
  public let timeout: Duration
  /// Whether the next step waits until this one's command has ended well; false for programs that stay.
  public let wait: Bool

  /// A navigation whose steps are known already.
  public init(
    link: Link, route: String, parameters: [String: String], steps: [NavigationStep], timeout: Duration,
    wait: Bool
  ) {
    self.link = link
    self.route = route
    self.parameters = parameters
    self.steps = steps
    self.timeout = timeout
    self.wait = wait
  }
}

/// One screen on the way.
public struct NavigationStep: Hashable, Sendable {
  /// The screen, in the application's own words: `/fruits/apple`, `modal:hogehoge`.
  public let to: String
  /// The program and its arguments; `nil` where the route runs nothing.
  public let command: [String]?

  /// A step; by default one that runs nothing.
  public init(to: String, command: [String]? = nil) {
    self.to = to
    self.command = command
  }
}
