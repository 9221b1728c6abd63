import CarillonLoop
import Glibc

/// Two certificate authorities and what they have signed, made with openssl, in a directory of their own.
public final class Certificates {
  public let directory: TemporaryDirectory

  /// - Throws: where openssl or faketime is not installed.
  public init() throws {
    directory = try TemporaryDirectory(inMemory: true)
    for name in ["ca", "stranger"] {
      try openssl(
        ["req", "-x509"] + Certificates.key + [
          "-keyout", file("\(name).key"), "-out", file("\(name).crt"), "-days", "30", "-subj",
          "/CN=Test \(name)",
        ])
    }
  }

  /// The path of `NAME.crt` or `NAME.key`.
  public func file(_ name: String) -> String { directory.file(name) }

  /// The authority that brokers and clients of the tests trust.
  public var ca: String { file("ca.crt") }

  private static let key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]

  /// Makes `NAME.crt` and `NAME.key`.
  ///
  /// - Parameters:
  ///   - alternative: the hosts that it is for.
  ///   - authority: `ca` or `stranger`.
  ///   - seconds: when it begins, from now; it lasts a day.
  public func make(
    _ name: String, for alternative: String = "DNS:localhost,IP:127.0.0.1", by authority: String = "ca",
    from seconds: Int = -60
  ) throws {
    let extensions = try directory.write("\(name).ext", "subjectAltName=\(alternative)\n")
    try openssl(
      ["req", "-new"] + Certificates.key + [
        "-keyout", file("\(name).key"), "-out", file("\(name).csr"), "-subj", "/CN=\(name)",
      ])
    try openssl(
      [
        "x509", "-req", "-in", file("\(name).csr"), "-out", file("\(name).crt"), "-CA",
        file("\(authority).crt"), "-CAkey", file("\(authority).key"), "-CAcreateserial", "-days", "1",
        "-extfile",
        extensions,
      ], shifted: seconds)
  }

  private func openssl(_ arguments: [String], shifted seconds: Int = 0) throws {
    let shift = seconds == 0 ? [] : ["/usr/bin/faketime", "-f", seconds < 0 ? "\(seconds)s" : "+\(seconds)s"]
    let words = shift + ["/usr/bin/openssl"] + arguments
    // faketime names a semaphore by its process number, and one that was killed leaves its own behind: the next has another.
    for attempt in 1...5 {
      let program = try Program(Array(words.dropFirst()), executable: words[0])
      if try program.waitForExit() == .exited(0) { return }
      guard attempt < 5, program.lines(.errors).contains(where: { $0.contains("sem_open: File exists") })
      else {
        throw TestFailure("\(words.joined(separator: " ")): \(program.lines(.errors))")
      }
    }
  }
}

/// A real Mosquitto that speaks TLS, and plainly on another port for what the test itself wants of it.
public final class SecureBroker {
  public let broker: Broker
  public let port: UInt16

  /// - Parameters:
  ///   - name: of its certificate.
  ///   - extra: lines for the listener that speaks TLS, and what follows.
  public init(_ certificates: Certificates, _ name: String, _ extra: String = "") throws {
    port = try Loopback.freePort()
    broker = try Broker(
      configuration: """
        listener \(port) 127.0.0.1
        cafile \(certificates.ca)
        certfile \(certificates.file("\(name).crt"))
        keyfile \(certificates.file("\(name).key"))
        \(extra)
        """)
  }

  /// For `--broker` and the like.
  public var url: String { "mqtts://localhost:\(port)" }
}
