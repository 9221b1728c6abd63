import CarillonLoop
import Glibc

/// A network namespace behind a link that delays and loses packets: `Tests/Network/link.py` on a TUN device. Nothing of it
/// is left once this object is gone.
public final class DistantNetwork {
  /// The address of this side, where a broker has to listen.
  public let address: String
  private let link: Program

  /// Why there can be none on this machine; nil where there can.
  public static let obstacle: String? = {
    guard geteuid() == 0 else { return "only root may make network namespaces" }
    for path in ["/dev/net/tun", "/usr/bin/nsenter"] where access(path, F_OK) != 0 {
      return "there is no \(path)"
    }
    do {
      _ = try DistantNetwork()
      return nil
    } catch { return "no network namespace or TUN device can be made here: \(error)" }
  }()

  /// - Parameters:
  ///   - delay: of each packet, in each direction.
  ///   - loss: the part of the packets that is lost, 0 to 1.
  ///   - seed: of the draw which ones are.
  public init(delay: Duration = .zero, loss: Double = 0, seed: Int = 1, file: String = #filePath) throws {
    // The link's addresses are this object's own: several tests run at once.
    let number = Int.random(in: 0..<16_384)
    let network = "10.211.\(number / 64).\(number % 64 * 4)"
    let near = network.dropLastNumber(adding: 1)
    address = near
    let root = file.split(separator: "/").dropLast(3).joined(separator: "/")
    link = try Program(
      [
        "/\(root)/Tests/Network/link.py", "car\(number)", near, network.dropLastNumber(adding: 2),
        "\(delay.wholeMilliseconds)", "\(loss)", "\(seed)",
      ], executable: "/usr/bin/python3")
    try link.wait(for: "the link") { $0 == "ready" }
  }

  deinit { link.kill() }

  /// From now on every packet is lost; no connection is closed.
  public func drop() { link.signal(SIGUSR1) }

  public func pass() { link.signal(SIGUSR2) }

  /// How many packets have passed and been lost so far.
  public var counts: (passed: Int, lost: Int) {
    let words = (link.lines().last ?? "").split(separator: " ")
    guard words.count == 4 else { return (0, 0) }
    return (Int(words[1]) ?? 0, Int(words[3]) ?? 0)
  }

  /// Starts `carillon` behind the link.
  public func program(_ arguments: [String], home: TemporaryDirectory? = nil) throws -> Program {
    try Program(
      ["-t", "\(link.pid)", "-n", try Program.carillon()] + arguments, executable: "/usr/bin/nsenter",
      home: home)
  }
}

extension String {
  /// An IPv4 address whose last number is that much higher.
  fileprivate func dropLastNumber(adding number: Int) -> String {
    var parts = split(separator: ".").map(String.init)
    parts[parts.count - 1] = "\((Int(parts[parts.count - 1]) ?? 0) + number)"
    return parts.joined(separator: ".")
  }
}
