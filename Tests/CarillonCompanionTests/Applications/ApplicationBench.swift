import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCompanion

/// A hub on a socket of its own, and the loop that drives it.
final class ApplicationBench {
  let folder: TemporaryDirectory
  let loop: EventLoop
  private(set) var hub: ApplicationHub
  var events: [ApplicationEvent] { record.events }
  private let record = Record()

  private final class Record { var events: [ApplicationEvent] = [] }

  init() throws {
    folder = try TemporaryDirectory(inMemory: true)
    loop = try EventLoop()
    let record = record
    hub = try ApplicationHub(
      path: folder.file("carillon/desk.sock"), device: try Name("desk"), loop: loop,
      log: Log(output: { _ in })
    ) { record.events.append($0) }
  }

  var path: String { folder.file("carillon/desk.sock") }

  /// Turns the loop until the condition holds.
  func turn(_ what: String, until condition: () throws -> Bool) throws {
    let deadline = Deadline(after: .seconds(10))
    while try !condition() {
      guard !deadline.hasPassed else { throw TestFailure("\(what) did not come") }
      try loop.turn(waiting: .milliseconds(20))
    }
  }

  /// The next event, taken away.
  func event() throws -> ApplicationEvent {
    try turn("an event") { !record.events.isEmpty }
    return record.events.removeFirst()
  }

  func connect() throws -> SocketClient { try SocketClient(path, self) }

  /// A program that has attached itself.
  func attached(_ schemes: String...) throws -> (SocketClient, Application) {
    let client = try connect()
    let list = schemes.map { "\"\($0)\"" }.joined(separator: ",")
    client.send(#"{"attach":[\#(list)],"name":"test"}"#)
    #expect(try client.object() == ["event": "attached", "device": "desk"])
    guard case .attached(let application) = try event() else { throw TestFailure("not attached") }
    return (client, application)
  }

  /// Nothing comes of what a client has sent: a later question is answered, and there was no event before it.
  func expectNothing(after client: SocketClient) throws {
    client.send(#"{"reload":"authorization"}"#)
    while try client.object()["event"] != "reloaded" {}
    #expect(events == [.authorizationChanged])
    record.events = []
  }

  func notification(_ delivery: String, title: String = "Bins") throws -> Notification {
    let payload: JSON = [
      "kind": "notification", "delivery": .string(delivery), "id": "bins", "title": .string(title),
      "userInfo": ["a": 1],
    ]
    return try Notification(reading: Fields(payload))
  }

  func step(_ delivery: String, _ step: Int) -> NavigateLine {
    NavigateLine(
      delivery: delivery, id: "bins", url: "home://a", route: "home://a", step: step, of: 3, to: "/\(step)")
  }
}

/// A program at the other end of the socket, which turns the loop while it waits.
final class SocketClient {
  let descriptor: Int32
  private unowned let bench: ApplicationBench
  private var bytes: [UInt8] = []
  private(set) var hasEnded = false
  private var isClosed = false

  init(_ path: String, _ bench: ApplicationBench) throws {
    self.bench = bench
    descriptor = try UnixSocket.connect(to: path)
  }

  deinit { close() }

  func close() {
    if !isClosed { Glibc.close(descriptor) }
    isClosed = true
  }

  func send(_ line: String) { send(Array((line + "\n").utf8)) }

  /// As much as the other side takes while it lives.
  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno != EAGAIN { return }
      rest = rest.dropFirst(max(count, 0))
      if !rest.isEmpty { _ = try? bench.loop.turn(waiting: .milliseconds(1)) }
    }
  }

  /// The next line.
  func line() throws -> [UInt8] {
    try bench.turn("a line") {
      receive()
      return bytes.contains(UInt8(ascii: "\n")) || hasEnded
    }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else {
      throw TestFailure("the socket has ended")
    }
    let line = Array(bytes[..<end])
    bytes.removeFirst(end + 1)
    return line
  }

  /// The next line as an object.
  func object() throws -> JSON { try JSON(parsing: try line()) }

  /// Waits until the other side has closed.
  func waitForEnd() throws {
    try bench.turn("the end") {
      receive()
      return hasEnded
    }
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count > 0 { bytes += buffer.prefix(count) }
    if count == 0 || (count < 0 && errno != EAGAIN) { hasEnded = true }
  }
}
