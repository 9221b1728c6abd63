import CarillonLoop
import CarillonMQTT
import CarillonModel
import Glibc

/// `carillon watch`: prints everything that happens under the prefix, live.
enum Watch {
  static let verb = CommandLineVerb(
    "watch", "Print everything that happens, live", forms: ["[--json]"],
    configuration: .client,
    groups: [OptionGroup("Output", [SharedOptions.json]), SharedOptions.broker],
    discussion: "Commands, replies, notifications, answers and states, until it is interrupted. "
      + "What the broker keeps comes first, marked as kept.",
    examples: [
      .init("For a person:", "carillon watch"),
      .init("For a program, only what devices answer:", "carillon watch --json | grep /response"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let watcher = try Watcher(try BrokerTarget(call), call)
    return try watcher.run()
  }
}

/// One run of `watch`. The first connection must come about; a lost one is renewed for as long as it takes.
private final class Watcher {
  private let target: BrokerTarget
  private let call: Invocation
  private let loop: EventLoop
  private var session: MQTTSession?
  private var failure: Failure?
  private var hasConnected = false

  init(_ target: BrokerTarget, _ call: Invocation) throws {
    self.target = target
    self.call = call
    loop = try EventLoop()
  }

  func run() throws -> ExitStatus {
    let signals = try [SIGINT, SIGTERM].map { try loop.signal($0) { [unowned self] in end() } }
    defer {
      for signal in signals { signal.cancel() }
    }
    let configuration = SessionConfiguration(
      address: target.address, clientID: "\(target.topics.prefix)-watch-\(randomHexadecimal(bytes: 6))",
      username: target.username, passwordFile: target.passwordFile, tls: target.tls, autoFlush: true)
    let session = try MQTTSession(loop: loop, configuration: configuration) { [unowned self] events in
      for event in events { handle(event) }
    }
    self.session = session
    session.start()
    try loop.run()
    if let failure { throw failure }
    return .done
  }

  private func end() {
    guard let session, session.isConnected else { return loop.exit() }
    session.stop(grace: .seconds(1)) { [unowned self] in loop.exit() }
  }

  private func handle(_ event: SessionEvent) {
    switch event {
    case .connected:
      if hasConnected { call.console.say("carillon watch: connected again") }
      hasConnected = true
      session?.subscribe([Subscription(target.topics.everything)])
    case .subscribed(_, let reasons) where reasons.contains { $0 >= 0x80 }:
      fail(Failure(.unavailable, "\(target) does not let this user read \(target.topics.everything)"))
    case .message(let message): show(message)
    case .failed(let failure, _) where !hasConnected: fail(target.failure(failure))
    case .disconnected(let failure): call.console.say("carillon watch: \(failure); connecting again")
    default: break
    }
  }

  private func fail(_ failure: Failure) {
    if self.failure == nil { self.failure = failure }
    loop.exit()
  }

  private func show(_ message: IncomingMessage) {
    let event = WatchedMessage(message, prefix: target.topics.prefix)
    if call.settings.has("json") {
      call.console.print(event.json(at: call.surroundings.now()))
    } else {
      call.console.print(event.line(at: call.surroundings.now()))
    }
    if !call.console.isWhole { end() }
  }
}
