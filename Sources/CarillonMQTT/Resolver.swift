import CPOSIX
import CarillonLoop
import Glibc

/// Looks a host name up without blocking the loop. Letting go of it abandons the look-up.
final class Resolver {
  private let resolution: OpaquePointer
  private var watch: IOWatch?

  /// - Parameter done: called once on the loop, with at least one numeric address, or the reason why there is none.
  init(
    _ host: String, on loop: EventLoop, _ done: @escaping (Result<[String], SessionFailure>) -> Void
  ) throws(LoopError) {
    var wake: Int32 = -1
    guard let resolution = carillon_resolve(host, &wake) else {
      throw LoopError("cannot start a look-up", ENOMEM)
    }
    self.resolution = resolution
    watch = try loop.watch(wake, reading: true, writing: false) { [unowned self] _ in
      watch?.cancel()
      done(result(host))
    }
  }

  deinit {
    watch?.cancel()
    carillon_resolution_release(resolution)
  }

  private func result(_ host: String) -> Result<[String], SessionFailure> {
    let status = carillon_resolution_status(resolution)
    guard status == 0 else {
      let reason = String(cString: carillon_resolution_message(status))
      return .failure(.nameNotResolved(host: host, reason: reason))
    }
    let addresses = (0..<Resolver.addressLimit).compactMap(address)
    guard !addresses.isEmpty else {
      return .failure(.nameNotResolved(host: host, reason: "it has no address"))
    }
    return .success(addresses)
  }

  /// A name with more addresses than that is not tried through within one attempt anyway.
  private static let addressLimit = 16

  private func address(_ position: Int) -> String? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
      guard
        carillon_resolution_address(resolution, Int32(position), text.baseAddress!, Int32(text.count)) != 0
      else { return nil }
      return String(cString: text.baseAddress!)
    }
  }

  /// Whether the host is an address already, so that there is nothing to look up.
  static func isNumeric(_ host: String) -> Bool {
    var address = in6_addr()
    return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
  }
}
