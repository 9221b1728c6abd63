#if COVERAGE
  import CarillonFuzz
  import CarillonTestSupport
  import Glibc

  /// The same targets driven by libFuzzer, which keeps what reaches code that nothing has reached before. `deploy/fuzz`
  /// builds for it.
  enum Coverage {
    /// The target that the command line names; it is there, or the program has ended.
    fileprivate static let target =
      CommandLine.arguments.dropFirst().first.flatMap(FuzzProgram.target) ?? .all[0]
    fileprivate static let maker = InputMaker(target)

    /// Hands libFuzzer its options: those behind the target's name.
    static func run() -> Int32 {
      var arguments = CommandLine.unsafeArgv + 1
      var count = CommandLine.argc - 1
      return runDriver(&count, &arguments) { start, count in
        Coverage.read(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
      }
    }

    /// Ends the process where something is found, and libFuzzer writes the input.
    private static func read(_ input: [UInt8]) {
      for attempt in 1...2 {
        let start = Coverage.processorTime()
        do throws(Violation) { _ = try target.verdict(on: input) } catch {
          FuzzProgram.say("found: \(error)")
          abort()
        }
        let time = Coverage.processorTime() - start
        // What is counted at each branch takes time too.
        if time < .milliseconds(100) { return }
        if attempt == 2 {
          FuzzProgram.say("found: it takes \(time)")
          abort()
        }
      }
    }

    private static func processorTime() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
  }

  @_silgen_name("LLVMFuzzerRunDriver")
  private func runDriver(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ read: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt

  @_silgen_name("LLVMFuzzerMutate")
  private func mutate(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ room: Int) -> Int

  /// Half of the new inputs are made as libFuzzer does, the other half by what knows their form.
  @_cdecl("LLVMFuzzerCustomMutator")
  func change(_ bytes: UnsafeMutablePointer<UInt8>?, _ count: Int, _ room: Int, _ seed: CUnsignedInt) -> Int {
    var random = SplitMix(seed: UInt64(seed))
    guard let bytes, Bool.random(using: &random) else { return mutate(bytes, count, room) }
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    let changed = Coverage.maker.changed(input, using: &random).prefix(room)
    for (index, byte) in changed.enumerated() { bytes[index] = byte }
    return changed.count
  }
#endif
