import CarillonModel

/// Which links may pass (protocol §7). The relay asks when it accepts a request and when it fills a template; the
/// companion asks again at the point of launch, since anyone may publish straight to a device's topic.
public struct LinkPolicy: Hashable, Sendable {
  /// Schemes that run code, read files or open a shell where a browser or a desktop takes them up; what the relay
  /// denies unless its configuration gives another list.
  public static let deniedByDefault: Set<String> = [
    "javascript", "data", "vbscript", "file", "smb", "ftp", "ssh", "about", "blob", "view-source",
  ]

  /// The relay's rule without configuration: any scheme but those, any host, nothing opaque.
  public static let relayDefault = LinkPolicy(schemes: nil, hosts: nil, deny: deniedByDefault)

  /// The schemes that may pass, in lower case; `nil` for any.
  public let schemes: Set<String>?
  /// The hosts that web links may go to, as `Link.host` writes them; `nil` for any. In other schemes the host is the
  /// application's own word, and no list looks at it.
  public let hosts: Set<String>?
  /// The schemes that may not pass, even where `schemes` names them.
  public let deny: Set<String>
  /// The schemes whose links may be opaque.
  let opaque: Set<String>

  /// A rule of its own; `relay(reading:)` and `Router.policy` make the ones that configuration asks for.
  ///
  /// - Parameters:
  ///   - schemes: an opaque link (`tel:…`) passes only where this names its scheme.
  ///   - hosts: in the form of `Link.host`; the readers of configuration see to that.
  public init(schemes: Set<String>?, hosts: Set<String>?, deny: Set<String>) {
    self.init(schemes: schemes, hosts: hosts, deny: deny, opaque: schemes ?? [])
  }

  init(schemes: Set<String>?, hosts: Set<String>?, deny: Set<String>, opaque: Set<String>) {
    self.schemes = schemes
    self.hosts = hosts
    self.deny = deny
    self.opaque = opaque
  }

  /// Lets the link pass or refuses it.
  ///
  /// - Throws: `forbidden`, naming the scheme or host that is not allowed and the setting that decides.
  public func check(_ link: Link) throws(Refusal) {
    if deny.contains(link.scheme) {
      throw Refusal(.forbidden, "links of the scheme \"\(printable(link.scheme))\" are denied (links.deny)")
    }
    if let schemes, !schemes.contains(link.scheme) {
      throw Refusal(
        .forbidden, "links of the scheme \"\(printable(link.scheme))\" are not allowed here (links.schemes)")
    }
    if link.isOpaque, !opaque.contains(link.scheme) {
      throw Refusal(
        .forbidden,
        "a link without \"//\" passes only where links.schemes names its scheme, \"\(printable(link.scheme))\""
      )
    }
    if let hosts, link.isWeb, let host = link.host, !hosts.contains(host) {
      throw Refusal(.forbidden, "web links to \"\(printable(host))\" are not allowed here (links.hosts)")
    }
  }
}
