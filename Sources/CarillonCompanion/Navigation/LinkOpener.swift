import CarillonLinks
import CarillonModel

/// What a device's routes and allow-lists say to a link. Asked at the point of launch, since anyone may publish
/// straight to a device's topic.
public struct LinkOpener: Sendable {
  /// Why a link is not opened.
  public enum Fault: Error, Hashable, Sendable {
    /// It is no link, or one that the allow-lists or the route refuse.
    case refused(Refusal)
    case noRoute
  }

  public let router: Router
  public let policy: LinkPolicy

  /// - Parameter policy: what may be opened; by default what the routes name, and nothing else.
  public init(router: Router, policy: LinkPolicy? = nil) {
    self.router = router
    self.policy = policy ?? router.policy
  }

  /// What a device's settings allow.
  ///
  /// - Parameter links: the allow-lists `{ schemes, hosts }`; `nil` for what the routes name.
  /// - Throws: `unknown-field` or `invalid`, with the place in `links`.
  public init(router: Router, links: JSONObject?) throws(Refusal) {
    self.router = router
    policy = try router.policy(reading: links.map { Fields($0, at: "links") })
  }

  /// The steps to a link.
  ///
  /// - Throws: why it is not opened.
  public func navigation(to url: String) throws(Fault) -> Navigation {
    let found: Navigation?
    do {
      let link = try Link(parsing: url)
      try policy.check(link)
      found = try router.resolve(link)
    } catch { throw .refused(error) }
    guard let found else { throw .noRoute }
    return found
  }
}

extension LinkOpener.Fault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .noRoute: "no route"
    }
  }
}
