import Glibc

/// A link that can fail: a TCP forwarder on the loopback address, on a thread of its own.
///
/// Each call returns once it has taken effect. The thread and its sockets end with this object.
public final class Forwarder {
  /// Where clients connect to.
  public let port: UInt16
  private let control: Int32

  /// What becomes of connections.
  public enum Mode: UInt8, Sendable {
    /// Bytes go through, both ways.
    case pass
    /// Nothing goes through and nothing is closed, as when packets are dropped. New connections are not taken, but
    /// the kernel still completes their handshake.
    case frozen
    /// New connections are taken and never answered; old ones are frozen.
    case silent
    /// New connections are taken and closed at once; old ones are closed.
    case closing
    /// What the server sends goes through, what clients send does not.
    case deaf
  }

  /// - Parameter target: the port of the real server on 127.0.0.1; 0 for a mode that needs none.
  public init(to target: UInt16, mode: Mode = .pass) throws {
    let (listener, port) = try Loopback.listener(port: 0)
    self.port = port
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else {
      close(listener)
      throw TestFailure("no socket pair: \(errno)")
    }
    control = ends[0]
    let work = ForwarderThread(listener: listener, control: ends[1], target: target, mode: mode)
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { context in
        Unmanaged<ForwarderThread>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    guard result == 0 else { throw TestFailure("no thread: \(result)") }
    pthread_detach(thread)
  }

  deinit { close(control) }

  /// For `--broker` and the like.
  public var url: String { "mqtt://127.0.0.1:\(port)" }

  public func set(_ mode: Mode) { command([0, mode.rawValue]) }

  public func freeze() { set(.frozen) }

  public func pass() { set(.pass) }

  /// Closes all connections; new ones are taken as before.
  public func cut() { command([1, 0]) }

  /// From now on each PUBACK of the server carries that reason instead (MQTT 5, 3.4.2.1); 0: as it comes.
  public func refuse(reason: UInt8) { command([4, reason]) }

  /// How many PUBACKs have been changed so far.
  public var refusalCount: Int { command([5, 0]) }

  /// How many connections have been taken so far.
  public var connectionCount: Int { command([2, 0]) }

  /// How many bytes clients have sent so far, as far as the forwarder has read them.
  public var bytesFromClients: Int { command([3, 0]) }

  @discardableResult
  private func command(_ bytes: [UInt8]) -> Int {
    write(control, bytes, bytes.count)
    var answer = 0
    read(control, &answer, MemoryLayout<Int>.size)
    return answer
  }
}

/// The thread's side. It is made on the caller's thread and from then on used on its own one alone.
private final class ForwarderThread {
  private let listener: Int32
  private let control: Int32
  private let target: UInt16
  private var mode: Forwarder.Mode
  private var links: [Link] = []
  private var taken = 0
  private var received = 0
  private var reason: UInt8 = 0
  private var refused = 0

  private struct Link {
    var client: Int32
    /// -1 for one that is never answered.
    var server: Int32
    var packets = PacketStream()
  }

  init(listener: Int32, control: Int32, target: UInt16, mode: Forwarder.Mode) {
    self.listener = listener
    self.control = control
    self.target = target
    self.mode = mode
  }

  func run() {
    while turn() {}
    closeAll()
    close(listener)
    close(control)
  }

  /// - Returns: false once the owner has gone.
  private func turn() -> Bool {
    var waits = [pollfd(fd: control, events: Int16(POLLIN), revents: 0)]
    waits.append(pollfd(fd: mode == .frozen ? -1 : listener, events: Int16(POLLIN), revents: 0))
    if mode == .pass || mode == .deaf {
      for link in links where link.server >= 0 {
        if mode == .pass { waits.append(pollfd(fd: link.client, events: Int16(POLLIN), revents: 0)) }
        waits.append(pollfd(fd: link.server, events: Int16(POLLIN), revents: 0))
      }
    }
    guard poll(&waits, nfds_t(waits.count), -1) > 0 else { return true }
    let ready = Set(waits.filter { $0.revents != 0 }.map(\.fd))
    if ready.contains(control) { return obey() }
    if ready.contains(listener) { take() }
    for index in links.indices.reversed() where links[index].server >= 0 {
      let link = links[index]
      let lives =
        (!ready.contains(link.client) || copyFromClient(link))
        && (!ready.contains(link.server) || copyFromServer(index))
      if !lives {
        closeBoth(link)
        links.remove(at: index)
      }
    }
    return true
  }

  private func obey() -> Bool {
    var bytes: [UInt8] = [0, 0]
    guard read(control, &bytes, 2) == 2 else { return false }
    var answer = 0
    switch bytes[0] {
    case 0:
      mode = Forwarder.Mode(rawValue: bytes[1]) ?? .pass
      if mode == .closing { closeAll() }
    case 1: closeAll()
    case 2: answer = taken
    case 4: reason = bytes[1]
    case 5: answer = refused
    default: answer = received
    }
    write(control, &answer, MemoryLayout<Int>.size)
    return true
  }

  private func take() {
    let client = accept(listener, nil, nil)
    guard client >= 0 else { return }
    taken += 1
    noDelay(client)
    switch mode {
    case .silent, .frozen: links.append(Link(client: client, server: -1))
    case .closing: close(client)
    case .pass, .deaf:
      guard let server = Loopback.connect(port: target) else {
        close(client)
        return
      }
      noDelay(server)
      links.append(Link(client: client, server: server))
    }
  }

  /// - Returns: false at the end of the connection.
  private func copyFromClient(_ link: Link) -> Bool {
    guard let bytes = take(link.client) else { return false }
    received += bytes.count
    return give(bytes, link.server)
  }

  private func copyFromServer(_ index: Int) -> Bool {
    guard let bytes = take(links[index].server) else { return false }
    let (sent, changed) = links[index].packets.pass(bytes, reason: reason)
    refused += changed
    return give(sent, links[index].client)
  }

  private func take(_ source: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = read(source, &buffer, buffer.count)
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }

  private func give(_ bytes: [UInt8], _ sink: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let part = bytes.withUnsafeBytes {
        send(sink, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
      }
      guard part > 0 else { return false }
      sent += part
    }
    return true
  }

  private func noDelay(_ fd: Int32) {
    var on: Int32 = 1
    setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
  }

  private func closeAll() {
    for link in links { closeBoth(link) }
    links = []
  }

  private func closeBoth(_ link: Link) {
    close(link.client)
    if link.server >= 0 { close(link.server) }
  }
}
