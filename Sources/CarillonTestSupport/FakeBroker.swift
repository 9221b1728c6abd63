import Glibc

/// A broker of the past that knows MQTT 3.1.1 alone, or pretends to, or one that wants nobody. One connection after another,
/// on a thread of its own; it acknowledges what it is asked and delivers nothing.
public final class FakeBroker {
  /// What it does at the sight of version 5.
  public enum Manner: Sendable {
    /// A CONNACK of MQTT 5 with 0x84.
    case refusesPolitely
    /// A CONNACK of MQTT 3.1.1 with code 1.
    case refuses
    case closes
    /// Closes the first connections, and knows version 5 after that.
    case closesAtFirst(Int)
    /// A CONNACK of MQTT 5 with that reason.
    case answers(UInt8)
    /// Takes the connection, and ends it at once with a DISCONNECT of that reason.
    case dismisses(UInt8)
  }

  public let port: UInt16
  private let versionsEnd: Int32
  private let stopEnd: Int32

  public init(_ manner: Manner) throws {
    let (listener, port) = try Loopback.listener(port: 0)
    self.port = port
    var versions: [Int32] = [-1, -1]
    var stop: [Int32] = [-1, -1]
    guard pipe(&versions) == 0, pipe(&stop) == 0 else { throw TestFailure("no pipe") }
    versionsEnd = versions[0]
    stopEnd = stop[1]
    _ = fcntl(versionsEnd, F_SETFL, O_NONBLOCK)
    let work = FakeBrokerThread(listener, manner, versions: versions[1], stop: stop[0])
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        Unmanaged<FakeBrokerThread>.fromOpaque(context!).takeRetainedValue().run()
        return nil
      }, Unmanaged.passRetained(work).toOpaque())
    pthread_detach(thread)
  }

  deinit {
    close(stopEnd)
    close(versionsEnd)
  }

  /// For `--broker` and the like.
  public var url: String { "mqtt://127.0.0.1:\(port)" }

  /// The versions in the CONNECT packets that it has seen since the last look.
  public var versions: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = read(versionsEnd, &bytes, bytes.count)
    return Array(bytes.prefix(max(count, 0)))
  }
}

/// The thread's side, used on that thread alone once it is made.
private final class FakeBrokerThread {
  private let listener: Int32
  private let manner: FakeBroker.Manner
  private let versions: Int32
  private let stop: Int32
  private var seen = 0

  init(_ listener: Int32, _ manner: FakeBroker.Manner, versions: Int32, stop: Int32) {
    self.listener = listener
    self.manner = manner
    self.versions = versions
    self.stop = stop
  }

  func run() {
    while wait(for: listener) {
      let client = accept(listener, nil, nil)
      if client < 0 { continue }
      while wait(for: client), answer(client) {}
      close(client)
    }
    for fd in [listener, versions, stop] { close(fd) }
  }

  /// - Returns: false once the owner has gone.
  private func wait(for fd: Int32) -> Bool {
    var waits = [
      pollfd(fd: fd, events: Int16(POLLIN), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
    ]
    poll(&waits, 2, -1)
    return waits[1].revents == 0
  }

  /// - Returns: false at the end of the connection.
  private func answer(_ client: Int32) -> Bool {
    guard let (kind, body) = packet(client) else { return false }
    switch kind >> 4 {
    case 1: return greet(client, version: body[6])
    case 3: return kind & 0x06 == 0 || send(client, [0x40, 2] + identifier(body))
    case 8: return send(client, [0x90, 3, body[0], body[1], 1])
    case 12: return send(client, [0xD0, 0])
    case 14: return false
    default: return true
    }
  }

  private func greet(_ client: Int32, version: UInt8) -> Bool {
    seen += 1
    var byte = version
    write(versions, &byte, 1)
    guard version == 5 else { return send(client, [0x20, 2, 0, 0]) }
    switch manner {
    case .refusesPolitely: return send(client, [0x20, 3, 0, 0x84, 0]) && false
    case .refuses: return send(client, [0x20, 2, 0, 1]) && false
    case .answers(let reason): return send(client, [0x20, 3, 0, reason, 0]) && false
    case .dismisses(let reason): return send(client, [0x20, 3, 0, 0, 0, 0xE0, 1, reason]) && false
    case .closesAtFirst(let count) where seen > count: return send(client, [0x20, 3, 0, 0, 0])
    case .closes, .closesAtFirst: return false
    }
  }

  /// In a PUBLISH the identifier follows the topic.
  private func identifier(_ body: [UInt8]) -> [UInt8] {
    let start = 2 + Int(body[0]) << 8 + Int(body[1])
    return Array(body[start..<start + 2])
  }

  private func packet(_ client: Int32) -> (UInt8, [UInt8])? {
    guard let kind = take(client, 1)?.first else { return nil }
    var length = 0
    var shift = 0
    while true {
      guard let byte = take(client, 1)?.first else { return nil }
      length |= Int(byte & 0x7F) << shift
      if byte & 0x80 == 0 { break }
      shift += 7
    }
    return take(client, length).map { (kind, $0) }
  }

  private func take(_ client: Int32, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var length = 0
    while length < count {
      let part = bytes.withUnsafeMutableBytes { read(client, $0.baseAddress! + length, count - length) }
      guard part > 0 else { return nil }
      length += part
    }
    return bytes
  }

  private func send(_ client: Int32, _ bytes: [UInt8]) -> Bool {
    Glibc.send(client, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }
}
