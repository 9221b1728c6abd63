import CarillonModel
import CarillonTestSupport
import FoundationEssentials
import Testing

/// A relay's store with many requests pending, made through a real relay, to be copied for each use.
struct CrashStore {
  private let directory: TemporaryDirectory

  /// Commands a message: as many as its 64 KiB take.
  private static let commandsInMessage = 500

  /// - Parameter bytes: of each request's text; many of them make a store large in little time.
  init(pending: Int, bytes: Int = 0) throws {
    directory = try TemporaryDirectory()
    let bench = try CrashBench()
    try bench.startRelay()
    let body = bytes == 0 ? "" : #","body":""# + String(repeating: "x", count: bytes) + "\""
    let step = bytes == 0 ? CrashStore.commandsInMessage : 1
    let messages = stride(from: 0, to: pending, by: step).map { start in
      let commands = (start..<min(start + step, pending)).map { number in
        #"{"title":"far","to":"other","trigger":{"at":"2999-01-01T00:00:00Z"},"id":"far-\#(number)"\#(body)}"#
      }
      return Array("[\(commands.joined(separator: ","))]".utf8)
    }
    #expect(bench.publisher.publishBurst("carillon/command/far", messages) == messages.count)
    try bench.wait(for: "\(pending) pending requests", within: .seconds(180)) { message in
      message.topic == "carillon/relay/state" && message.object?["pending"] == .integer(Int64(pending))
    }
    try bench.stopRelay()
    try FileManager.default.copyItem(atPath: bench.store, toPath: directory.file("relay.db"))
  }

  func copy(to path: String) throws {
    try FileManager.default.copyItem(atPath: directory.file("relay.db"), toPath: path)
  }
}
