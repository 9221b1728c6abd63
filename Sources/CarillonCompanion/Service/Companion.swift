import CarillonDesktop
import CarillonLinks
import CarillonLoop
import CarillonMQTT
import CarillonModel
import CarillonStore
import Glibc

/// One device's companion: receives its notifications, shows them, opens their links, and says what became of them.
///
/// Everything runs on one loop, and nothing holds it up: while a command runs, messages are received and answered.
public final class Companion {
  /// Where and how it is seen.
  public struct Appearance: Sendable {
    /// How lines are written. Default: for people.
    public var format = LineFormat.text
    /// Where lines go. Default: standard output.
    public var output: Int32 = STDOUT_FILENO
    /// Whether there may be a desktop: a session bus has an address. Default false.
    public var hasDesktop = false
    /// Whether to watch whether somebody is there and the screen is locked. Default false.
    public var hasSeat = false
    /// The path of the socket to which applications attach; `nil` for none.
    public var socket: String?
    /// The program's version, told in the profile.
    public var version = ""

    public init() {}
  }

  let loop: EventLoop
  let log: Log
  let device: Name
  let appearance: Appearance
  let store: InboxStore
  let keeper: InboxKeeper
  let navigator: Navigator
  let output: OutputLines
  let state: DeviceState
  let permissions: AuthorizationFile
  var desktop: Desktop?
  var seat: SeatWatch?
  var hub: ApplicationHub?
  /// The navigation whose steps an application takes.
  var handOver: HandOver?
  /// The applications that know of a delivery that is not answered.
  var consulted: [String: Application] = [:]
  /// The applications that were started and have not ended.
  var launched: [ApplicationSetting: ChildWatch] = [:]
  /// What is on the desktop: the delivery of each request.
  var bubbles: [String: String] = [:]
  /// The desktop's tokens of taps whose programs have not been started yet.
  var tokens: [String: String] = [:]
  /// The publishers that the person was asked about.
  var prompts: Set<String?> = []
  /// Random, a new one a run.
  let instance: String

  var session: MQTTSession?
  /// The SUBSCRIBE that is on its way.
  var subscription: UInt16?
  var window = ResponseWindow()
  var takeover: TakeoverWatch
  var lastFailure = ""

  /// What happened and is not on disk yet, in order.
  var incoming: [InboxKeeper.Incoming] = []
  /// Responses that the broker has, which the disk does not know yet.
  var marks: [InboxKeeper.Incoming] = []
  var isProcessing = false
  var isStopping = false
  /// What is wrong with the inbox for good.
  var damage: StoreError?

  var storeTimer: Timer?
  var markTimer: Timer?
  var pruneTimer: Timer?
  var resendTimer: Timer?
  var settledTimer: Timer?
  var expiryTimer: Timer?
  var statusTimer: Timer?

  /// Opens the inbox and takes up what the last run left; connects only in `start`.
  ///
  /// - Parameters:
  ///   - state: the folder of the inbox, made where it is missing.
  ///   - router: the routes, already loaded.
  /// - Throws: `alreadyRunning`, `inbox`, `configuration`, `system`.
  public init(
    _ configuration: CompanionConfiguration, device: Name, state folder: String, router: Router,
    loop: EventLoop, log: Log, appearance: Appearance = Appearance()
  ) throws(CompanionError) {
    self.loop = loop
    self.log = log
    self.device = device
    self.appearance = appearance
    let opener: LinkOpener
    do { opener = try LinkOpener(router: router, links: configuration.links) } catch {
      throw .configuration(error)
    }
    do { store = try InboxStore(path: "\(folder)/inbox.db") } catch { throw CompanionError(error) }
    state = DeviceState(
      configuration, device: device, opener: opener,
      hasDesktop: configuration.desktop && appearance.hasDesktop)
    permissions = AuthorizationFile(in: folder)
    keeper = InboxKeeper(store: store, manners: state.manners)
    // The commands' own output must not come between lines that a program reads.
    let commandOutput = appearance.format == .json ? STDERR_FILENO : nil
    navigator = Navigator(loop: loop, execute: configuration.execute, output: commandOutput)
    output = OutputLines(loop: loop, descriptor: appearance.output)
    instance = String(UInt64.random(in: .min ... .max), radix: 16)
    takeover = TakeoverWatch(instance: instance)
    do {
      try makeTimers()
      try makeDesktop()
      session = try makeSession()
    } catch { throw .system(error) }
    makeHub()
  }

  private func makeTimers() throws(LoopError) {
    storeTimer = try loop.timer(.elapsed) { [unowned self] in process() }
    markTimer = try loop.timer(.elapsed) { [unowned self] in storeMarks() }
    pruneTimer = try loop.timer(.elapsed) { [unowned self] in prune() }
    resendTimer = try loop.timer(.elapsed) { [unowned self] in resend() }
    settledTimer = try loop.timer(.elapsed) { [unowned self] in connectionLasted() }
    expiryTimer = try loop.timer(.wall) { [unowned self] in expire() }
    statusTimer = try loop.timer(.elapsed) { [unowned self] in tellStatus() }
  }

  /// Takes up what the last run left, then connects and stays connected.
  ///
  /// - Throws: `inbox` where what is stored cannot be read.
  public func start() throws(CompanionError) {
    if let warning = configuration.tls.warning(for: configuration.broker) { log.error(warning) }
    loadAuthorization()
    do {
      state.focus = try store.remembered(Companion.focusName) == DeviceFocus.on.rawValue
      perform(try keeper.begin(at: now))
    } catch { throw CompanionError(error) }
    process()
    prune()
    expire()
    introduce()
    loop.notifyReady(status: "waiting for the broker")
    desktop?.start()
    seat?.start()
    session?.start()
  }

  func introduce() {
    let count = opener.router.routes.count
    guard count > 0 else {
      log.warning("device \(device): there are no routes, so links are reported and none is opened")
      return
    }
    let commands = configuration.execute ? "their commands are run" : "their steps are told, nothing is run"
    log.info("device \(device): \(count) route\(count == 1 ? "" : "s"); \(commands)")
  }

  var configuration: CompanionConfiguration { state.configuration }

  var opener: LinkOpener { state.opener }

  var now: WallTime { WallTime(milliseconds: SystemClock.wallMilliseconds) }

  func topic(_ leaf: Topics.Device) -> String { configuration.topics.device(device, leaf) }
}

extension Companion {
  /// Runs a companion until SIGTERM or SIGINT.
  ///
  /// - Parameter reread: reads configuration and routes anew, at each SIGHUP.
  /// - Returns: the exit status.
  /// - Throws: as `init` and `start` do; `inbox` also where that is found to be damaged later.
  public static func run(
    _ configuration: CompanionConfiguration, device: Name, state: String, router: Router,
    log: Log, appearance: Appearance = Appearance(),
    reread: @escaping () throws -> (CompanionConfiguration, Router)
  ) throws(CompanionError) -> Int32 {
    // A reader of the output that has gone is noticed by the write itself.
    _ = Glibc.signal(SIGPIPE, SIG_IGN)
    do {
      let loop = try EventLoop()
      var running: Companion?
      let signals = try [SIGTERM, SIGINT, SIGHUP].map { number throws(LoopError) in
        try loop.signal(number) { if number == SIGHUP { running?.reload(reread) } else { running?.stop() } }
      }
      let companion = try Companion(
        configuration, device: device, state: state, router: router, loop: loop, log: log,
        appearance: appearance)
      running = companion
      _ = try loop.enableWatchdog()
      try companion.start()
      let status = try loop.run()
      log.settle(all: true)
      if let damage = companion.damage { throw CompanionError(damage) }
      withExtendedLifetime((companion, signals)) {}
      return status
    } catch let error as CompanionError {
      throw error
    } catch let error as LoopError {
      throw .system(error)
    } catch {
      throw .system(LoopError("\(error)", EINVAL))
    }
  }
}
