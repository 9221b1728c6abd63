import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonLoop

@Suite struct SignalWatchTests {
  @Test func aSignalIsAnEvent() throws {
    let loop = try EventLoop()
    var count = 0
    let watch = try loop.signal(SIGUSR1) {
      count += 1
      loop.exit()
    }
    // To this thread alone: other tests run on others, where it is not blocked.
    pthread_kill(pthread_self(), SIGUSR1)
    try loop.run()
    #expect(count == 1)
    watch.cancel()
  }
}

@Suite struct ChildWatchTests {
  let loop: EventLoop

  init() throws { loop = try EventLoop() }

  @Test(arguments: [
    (["true"], ChildExit.exited(0)), (["sh", "-c", "exit 7"], .exited(7)),
    (["sh", "-c", "kill -9 $$"], .signaled(9)),
  ])
  func tellsHowItEndedAndLeavesNoZombie(_ command: [String], _ expected: ChildExit) throws {
    let pid = try Spawn(command).start()
    var exit: ChildExit?
    let watch = try loop.child(pid) {
      exit = $0
      loop.exit()
    }
    try loop.run()
    #expect(exit == expected)
    withExtendedLifetime(watch) {
      #expect(waitpid(pid, nil, WNOHANG) == -1)
      #expect(errno == ECHILD)
    }
  }

  @Test func tellsOfAChildThatHasEndedAlready() throws {
    let pid = try Spawn(["true"]).start()
    var information = siginfo_t()
    waitid(P_PID, id_t(pid), &information, WEXITED | WNOWAIT)
    var exit: ChildExit?
    let watch = try loop.child(pid) {
      exit = $0
      loop.exit()
    }
    try loop.run()
    #expect(exit == .exited(0))
    watch.cancel()
  }

  @Test func aStrangersProcessIsRefused() throws {
    #expect(throws: LoopError.self) { _ = try loop.child(1) { _ in } }
  }
}

@Suite struct SpawnTests {
  @Test func everyArgumentArrivesAsItIs() throws {
    let odd = ["$(touch pwned)", "`x`", "\"; x; \"", "a'b", "line\nfeed", "*", "", "-n", "ü"]
    let output = try run(Spawn(["printf", "<%s>"] + odd))
    #expect(output.text == odd.map { "<\($0)>" }.joined())
    #expect(output.exit == .exited(0))
  }

  @Test func aMissingProgramIsAnError() {
    let error = #expect(throws: LoopError.self) { try Spawn(["no-such-program-here"]).start() }
    #expect(error?.number == ENOENT)
    #expect(error?.description == "cannot run no-such-program-here: No such file or directory")
  }

  @Test(arguments: [[], [""], ["true", "a\0b"]])
  func whatCannotBeAnArgumentListIsAnError(_ arguments: [String]) {
    let error = #expect(throws: LoopError.self) { try Spawn(arguments).start() }
    #expect(error?.number == EINVAL)
  }

  @Test func variablesAreAddedAndReplaced() throws {
    let spawn = Spawn(
      ["sh", "-c", "echo $CARILLON_OPEN,$HOME"], environment: ["CARILLON_OPEN": "1", "HOME": "/nowhere"])
    #expect(try run(spawn).text == "1,/nowhere\n")
  }

  @Test func noDescriptorOfOursIsInherited() throws {
    let leak = open("/dev/null", O_RDONLY)
    defer { close(leak) }
    let output = try run(Spawn(["sh", "-c", "ls /proc/$$/fd"]))
    #expect(output.text == "0\n1\n2\n")
  }

  @Test func itStartsWithoutBlockedOrIgnoredSignalsInAGroupOfItsOwn() throws {
    signal(SIGPIPE, SIG_IGN)
    try blockSignal(SIGUSR2)
    // The process looks at itself; fields 1 and 5 of `stat` are its number and its group.
    let output = try run(Spawn(["cat", "/proc/self/status", "/proc/self/stat"]))
    let lines = output.text.split(separator: "\n")
    // Signals 32 and 33 are the C library's own.
    let masks = lines.filter { $0.hasPrefix("SigBlk:") || $0.hasPrefix("SigIgn:") }
      .map { UInt64($0.dropFirst(8), radix: 16).map { $0 & ~0x1_8000_0000 } }
    #expect(masks == [0, 0])
    let stat = try #require(lines.last).split(separator: " ")
    #expect(stat[0] == stat[4])
  }

  @Test func itStartsInTheGivenDirectory() throws {
    let directory = try TemporaryDirectory()
    var spawn = Spawn(["pwd"])
    spawn.workingDirectory = directory.path
    #expect(try run(spawn).text == directory.path + "\n")
  }

  private func run(_ spawn: Spawn) throws -> (text: String, exit: ChildExit) {
    let pipe = try Pipe()
    var spawn = spawn
    spawn.standardOutput = pipe.writingEnd
    let pid = try spawn.start()
    pipe.closeWritingEnd()
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while case let count = read(pipe.readingEnd, &buffer, buffer.count), count > 0 {
      text += buffer.prefix(count)
    }
    let loop = try EventLoop()
    var exit = ChildExit.signaled(0)
    let watch = try loop.child(pid) {
      exit = $0
      loop.exit()
    }
    try loop.run()
    watch.cancel()
    return (String(decoding: text, as: UTF8.self), exit)
  }
}
