import CarillonModel

extension Router {
  /// What a companion with these routes takes unless its configuration says otherwise: the schemes of the routes, the
  /// hosts of their web links, and nothing else. A route for an opaque link (`tel::number`) names its scheme.
  public var policy: LinkPolicy {
    let patterns = routes.map(\.pattern)
    return LinkPolicy(
      schemes: Set(patterns.map(\.scheme)),
      hosts: Set(patterns.filter { Link.isWeb(scheme: $0.scheme) }.compactMap(\.host)), deny: [],
      opaque: Set(patterns.filter(\.isOpaque).map(\.scheme)))
  }

  /// The same, with the companion's `links: { schemes, hosts }` (protocol §9): a list that is given takes the place of
  /// the one that the routes make, be it wider or narrower.
  public func policy(reading links: Fields?) throws(Refusal) -> LinkPolicy {
    guard let links else { return policy }
    try links.allow(only: ["schemes", "hosts"])
    let schemes = try LinkPolicy.schemes(links, "schemes")
    return LinkPolicy(
      schemes: schemes ?? policy.schemes, hosts: try LinkPolicy.hosts(links, "hosts") ?? policy.hosts,
      deny: [],
      opaque: schemes ?? policy.opaque)
  }
}
