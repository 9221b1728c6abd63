import CarillonCompanion
import CarillonLoop
import CarillonModel
import Glibc

/// One run of `attach`: connected to the companion for as long as there is one, and waiting for it otherwise.
final class AttachClient {
  /// The first wait for a companion, and the longest.
  private static let waits: (first: Duration, longest: Duration) = (.milliseconds(100), .seconds(2))
  /// Bytes of a line of answers, and of what may wait for the companion.
  private static let limit = 256 * 1024

  private let path: String
  private let device: Name
  private let schemes: Set<String>
  private let call: Invocation
  private let asJSON: Bool
  private let loop: EventLoop
  private let output: OutputLines
  private var dialogue = AttachDialogue(answersItself: true)
  private var stream: LineStream?
  private var input: LineStream?
  private var timer: Timer?
  private var wait = waits.first
  private var isAttached = false
  private var hasSaidWaiting = false
  private var failure: Failure?

  init(path: String, device: Name, schemes: Set<String>, _ call: Invocation) throws {
    self.path = path
    self.device = device
    self.schemes = schemes
    self.call = call
    asJSON = call.settings.has("json")
    loop = try EventLoop()
    output = OutputLines(loop: loop)
  }

  /// Until it is told to end (SIGTERM, SIGINT).
  ///
  /// - Throws: `Failure` where the companion does not let it attach, or nobody reads what it prints.
  func run() throws -> ExitStatus {
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
    let signals = try [SIGINT, SIGTERM].map { try loop.signal($0) { [unowned self] in loop.exit() } }
    defer {
      for signal in signals { signal.cancel() }
    }
    timer = try loop.timer(.elapsed) { [unowned self] in connect() }
    openInput()
    loop.afterTurn { [unowned self] in connect() }
    try loop.run()
    stream?.close()
    if let failure { throw failure }
    return .done
  }

  /// Answers are read from what can be waited for: a pipe or a socket. From a terminal they are not, since reading it
  /// would stop a script in the background.
  private func openInput() {
    let copy = isatty(STDIN_FILENO) == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : -1
    guard copy >= 0 else { return }
    input = try? LineStream(copy, loop: loop, lineLimit: AttachClient.limit, outputLimit: 0) {
      [unowned self] event in
      switch event {
      case .line(let line): answer(line)
      case .ended:
        for answer in dialogue.endOfInput() { send(answer) }
      }
    }
    dialogue.answersItself = input == nil
  }

  private func fail(_ failure: Failure) {
    if self.failure == nil { self.failure = failure }
    loop.exit()
  }
}

/// The companion's side.
extension AttachClient {
  private func connect() {
    do throws(LoopError) {
      let descriptor = try UnixSocket.connect(to: path)
      let owner = UnixSocket.peer(of: descriptor)
      guard owner == geteuid() || owner == 0 else {
        close(descriptor)
        return fail(Failure(.failure, "the socket \(path) belongs to another user"))
      }
      stream = try LineStream(
        descriptor, loop: loop, lineLimit: 4 * AttachClient.limit, outputLimit: AttachClient.limit
      ) { [unowned self] event in
        switch event {
        case .line(let line): hear(line)
        case .ended: lose()
        }
      }
    } catch {
      switch error.number {
      case ENOENT, ENOTDIR, ECONNREFUSED, EAGAIN: return waitForCompanion()
      case ENAMETOOLONG:
        return fail(Failure(.configuration, "\(error); a shorter XDG_RUNTIME_DIR helps"))
      default: return fail(Failure(.failure, error.description))
      }
    }
    send([
      "attach": .array(schemes.sorted().map { .string($0) }), "name": .string("carillon attach"),
    ])
  }

  private func waitForCompanion() {
    if !hasSaidWaiting {
      call.console.say("carillon attach: waiting for a companion of the device \(device) at \(path)")
      hasSaidWaiting = true
    }
    timer?.arm(after: wait)
    wait = min(wait * 2, AttachClient.waits.longest)
  }

  /// The companion has gone, or has not let it in yet.
  private func lose() {
    if isAttached { wait = AttachClient.waits.first }
    isAttached = false
    dialogue.forgetAll()
    waitForCompanion()
  }

  private func hear(_ line: [UInt8]) {
    guard let event = try? JSON(parsing: line) else { return }
    switch event["event"]?.text {
    case "attached":
      isAttached = true
      wait = AttachClient.waits.first
      if hasSaidWaiting { call.console.say("carillon attach: attached to the device \(device)") }
      hasSaidWaiting = false
    case "refused":
      let reason = event["reason"]?.text ?? ""
      guard isAttached else {
        return fail(Failure(.failure, "the companion does not let it attach: \(reason)"))
      }
      call.console.say("carillon attach: the companion does not take that: \(visible(reason))")
    default: break
    }
    let answer = dialogue.hear(event, at: SystemClock.elapsedMilliseconds)
    if asJSON {
      output.write(line)
    } else if let text = ShellWords.line(event) {
      output.write(Array(text.utf8))
    }
    if output.isClosed {
      return fail(Failure(.failure, "standard output does not take what is written to it"))
    }
    if let answer { send(answer) }
  }

  private func send(_ answer: JSON) { stream?.send(answer.encoded) }
}

/// The script's side.
extension AttachClient {
  private func answer(_ line: [UInt8]) {
    guard let text = String(validating: line, as: UTF8.self) else {
      return call.console.say("carillon attach: an answer is not UTF-8")
    }
    guard text.contains(where: { !$0.isWhitespace }) else { return }
    do throws(Refusal) {
      if asJSON {
        try pass(line)
      } else {
        send(try ShellWords.answer(text, &dialogue, at: SystemClock.elapsedMilliseconds))
      }
    } catch { call.console.say("carillon attach: \(error.message)") }
  }

  /// Passes an answer on that is an object already.
  private func pass(_ line: [UInt8]) throws(Refusal) {
    let json: JSON
    do throws(MalformedJSON) { json = try JSON(parsing: line) } catch {
      throw Refusal(.malformed, error.message)
    }
    guard json["answer"]?.text != nil else {
      throw Refusal(.invalid, "an answer is an object with the member \"answer\"")
    }
    dialogue.note(json)
    send(json)
  }
}
