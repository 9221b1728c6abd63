import CarillonLoop
import CarillonModel
import Glibc

/// The programs that are attached to a companion through its Unix socket: each is asked how its notifications are
/// presented, and takes the steps of its links, one acknowledged before the next.
///
/// A line that cannot be read is answered with `refused`. Before `attach` that ends the connection, after it the
/// application goes on. A line beyond 256 KiB ends it always. Answers that nothing asked for are ignored.
///
/// Events come from the loop, never from within a call of the hub.
public final class ApplicationHub {
  /// Programs that may be connected at a time.
  public static let connectionsLimit = 32
  /// Bytes that may wait for an application that does not read.
  static let outputLimit = 1024 * 1024

  /// How long a program may take, in milliseconds.
  struct Patience {
    /// From its connection to its `attach`.
    var attaching: Int64 = 5000
    /// For saying how a notification is presented.
    var answering: Int64 = 2000
    /// Until accepting is tried again where there was no descriptor left.
    var accepting: Int64 = 1000
  }

  struct Question {
    let application: Application
    let delivery: String
    /// Milliseconds of the elapsed clock.
    let deadline: Int64
  }

  let device: Name
  let loop: EventLoop
  let log: Log
  let handler: (ApplicationEvent) -> Void
  let socket: ListeningSocket
  var patience = Patience()
  /// Whether a user's programs may connect: those of the companion's own user, and the machine's administrator's.
  var admits: (uid_t) -> Bool = { $0 == geteuid() || $0 == 0 }
  var connections: [ApplicationConnection] = []
  /// Unanswered, in the order of their deadlines.
  var questions: [Question] = []
  var lastNumber = 0
  var isClosed = false
  private var watch: IOWatch?
  private var timer: Timer?
  /// When accepting is tried again.
  private var resumption: Int64?

  /// Listens at a path. The folder is made for this user alone where it is missing; a socket that nobody listens at any
  /// more is replaced.
  ///
  /// - Throws: `SocketFault` where the folder or the path cannot be used, or another companion listens there.
  public init(
    path: String, device: Name, loop: EventLoop, log: Log, handler: @escaping (ApplicationEvent) -> Void
  ) throws(SocketFault) {
    self.device = device
    self.loop = loop
    self.log = log
    self.handler = handler
    socket = try ListeningSocket(path)
    do throws(LoopError) {
      watch = try loop.watch(socket.descriptor, reading: true, writing: false) { [weak self] _ in
        self?.accept()
      }
      timer = try loop.timer(.elapsed) { [weak self] in self?.meetDeadlines() }
    } catch { throw SocketFault(error.description) }
  }

  deinit { close() }

  /// Those that are attached, the newest last.
  public var applications: [Application] {
    connections.compactMap(\.application).sorted { $0.number < $1.number }
  }

  /// The one that takes a scheme's links: of several the newest. When it leaves, it is the one before.
  public func application(for scheme: String) -> Application? {
    let scheme = scheme.lowercased()
    return applications.last { $0.schemes.contains(scheme) }
  }

  /// Ends all connections and removes the socket. No event follows.
  public func close() {
    guard !isClosed else { return }
    isClosed = true
    watch?.cancel()
    timer?.cancel()
    for connection in connections { connection.stream?.close() }
    connections = []
    questions = []
    socket.close()
  }

  private func accept() {
    // A few at a time: others have their turn.
    for _ in 0..<8 {
      do throws(LoopError) {
        guard !isClosed, let descriptor = try UnixSocket.accept(socket.descriptor) else { return }
        take(descriptor)
      } catch {
        log.limited("applications", "\(error); trying again in a moment")
        watch?.isEnabled = false
        resumption = SystemClock.elapsedMilliseconds + patience.accepting
        return setTimer()
      }
    }
  }

  /// Sets the timer to the earliest of all that has a deadline.
  func setTimer() {
    var deadlines = connections.filter { $0.application == nil }.map(\.deadline)
    if let first = questions.first { deadlines.append(first.deadline) }
    if let resumption { deadlines.append(resumption) }
    if let next = deadlines.min() { timer?.arm(atMilliseconds: next) } else { timer?.disarm() }
  }

  private func meetDeadlines() {
    let now = SystemClock.elapsedMilliseconds
    for connection in connections where connection.application == nil && connection.deadline <= now {
      refuse(connection, "no attach within \(patience.attaching / 1000) s")
      drop(connection)
    }
    while let question = questions.first, question.deadline <= now {
      questions.removeFirst()
      handler(.presentation(question.application, delivery: question.delivery, nil))
    }
    if let time = resumption, time <= now {
      resumption = nil
      watch?.isEnabled = true
    }
    if !isClosed { setTimer() }
  }
}
