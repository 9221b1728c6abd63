/// How the broker of an `mqtts://` address proves who it is, and how this side does. At least TLS 1.2 is spoken, and the
/// broker's certificate has to be for the host of the address as it is written there.
public struct TLSConfiguration: Hashable, Sendable {
  /// A file or a folder of the authorities (PEM) that may have signed the broker's certificate. nil: the system's.
  public var ca: String?
  /// The file of this side's own certificate, and of those between it and the authority (PEM). nil: none is shown.
  public var cert: String?
  /// The file of its private key (PEM, without a passphrase).
  public var key: String?
  /// True: whoever answers is taken for the broker. Default false.
  public var isInsecure: Bool

  public init(ca: String? = nil, cert: String? = nil, key: String? = nil, isInsecure: Bool = false) {
    self.ca = ca
    self.cert = cert
    self.key = key
    self.isInsecure = isInsecure
  }

  /// What is wrong with the settings themselves; the files are not looked at.
  public func fault(with address: BrokerAddress) -> TLSFault? {
    guard address.isSecure else {
      guard self != TLSConfiguration() else { return nil }
      return TLSFault("", "is for a broker at mqtts://, and \(address) is not encrypted")
    }
    if cert != nil, key == nil { return TLSFault("key", "a client certificate needs its private key") }
    if key != nil, cert == nil { return TLSFault("cert", "a private key needs its client certificate") }
    if cert != nil, ca == nil, !isInsecure {
      return TLSFault(
        "ca", "with a client certificate, name the broker's authority too; the system's are /etc/ssl/certs")
    }
    return nil
  }

  /// Reads the files, as each attempt to connect will do anew: a certificate that is renewed needs no restart.
  ///
  /// - Throws: where one cannot be read, does not hold what it should, or the key is not the certificate's.
  public func check(with address: BrokerAddress) throws(TLSFault) {
    if let fault = fault(with: address) { throw fault }
    if address.isSecure { _ = try TLSContext(self, host: address.host) }
  }

  /// What is to be said loudly at each start; nil where the broker has to prove itself.
  public func warning(for address: BrokerAddress) -> String? {
    guard address.isSecure, isInsecure else { return nil }
    return "tls.insecure is set: whoever answers as \(address) is taken for the broker, gets the login, "
      + "and can read and change everything"
  }
}

/// Why settings for TLS cannot be used, in one sentence for people.
public struct TLSFault: Error, Hashable, Sendable, CustomStringConvertible {
  /// `ca`, `cert`, `key`; empty where it is none of them alone.
  public var key: String
  public var description: String

  init(_ key: String, _ description: String) {
    self.key = key
    self.description = description
  }
}
