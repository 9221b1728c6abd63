import CarillonLoop
import Glibc

extension Household {
  /// Starts a program, and returns once it is online, or has died of the fault.
  public func start(_ member: Member, fault: Fault? = nil) throws {
    try eventually("\(member) to be gone") { isOnline[member.statusTopic] != true }
    let program = try launch(member, fault: fault)
    try eventually("\(member)") {
      guard program.hasEnded else { return isOnline[member.statusTopic] == true }
      guard fault == nil else { return true }
      throw TestFailure("\(member) has ended: \(program.lines(.errors).suffix(10).joined(separator: "\n"))")
    }
  }

  /// Starts a program, and returns at once.
  @discardableResult
  func launch(_ member: Member, fault: Fault? = nil) throws -> Program {
    let program = try Program(
      arguments(member), environment: fault.map { ["CARILLON_FAULT": "\($0)"] } ?? [:])
    programs[member] = program
    return program
  }

  private func arguments(_ member: Member) -> [String] {
    switch member {
    case .relay:
      [
        "relay", "--broker", broker.url, "--store", "sqlite:\(directory.file("relay.db"))", "--timezone",
        "UTC",
      ]
    case .companion(let device):
      [
        "companion", "--broker", broker.url, "--device", device, "--state", directory.file(device),
        "--routes",
        directory.file("routes-\(device).json5"), "--execute", "--json",
      ]
    }
  }

  /// Whether it has been started, and not been ended or died since.
  public func isRunning(_ member: Member) -> Bool { programs[member]?.hasEnded == false }

  /// Whether it has been started and has ended by itself.
  func hasDied(_ member: Member) -> Bool { programs[member]?.hasEnded == true }

  /// Takes note of a program that has ended by itself.
  ///
  /// - Returns: how, in words.
  func takeEnd(_ member: Member) throws -> String? {
    guard hasDied(member), let program = programs.removeValue(forKey: member) else { return nil }
    ended(member)
    return "\(member) ended with \(try program.waitForExit()): \(program.lines(.errors).suffix(10))"
  }

  /// Takes note of a program that has died of a fault.
  ///
  /// - Throws: where something else ended it.
  func takeDeath(_ member: Member, of fault: Fault) throws {
    guard let program = programs.removeValue(forKey: member) else { return }
    let exit = try program.waitForExit()
    let said = program.lines(.errors)
    guard exit == .signaled(SIGKILL), said.contains("fault point \(fault.place.rawValue)") else {
      throw TestFailure("\(member) ended with \(exit), not of \(fault): \(said.suffix(10))")
    }
    ended(member)
    if member == .relay { ledger.relayKilled() }
  }

  /// Ends it with SIGKILL.
  public func kill(_ member: Member) throws {
    guard let program = programs.removeValue(forKey: member) else { return }
    program.kill()
    try program.waitForExit()
    ended(member)
    if member == .relay { ledger.relayKilled() }
  }

  /// Within so long it must be out after SIGTERM.
  private static let patience: Duration = .seconds(5)

  /// Ends it with SIGTERM.
  ///
  /// - Throws: where that takes more than five seconds, or the status is not 0.
  public func stop(_ member: Member) throws { try stop([member]) }

  /// Ends several at once, as when a machine goes down.
  public func stop(_ members: [Member]) throws {
    let leaving = members.compactMap { member in programs.removeValue(forKey: member).map { (member, $0) } }
    for (_, program) in leaving { program.terminate() }
    let deadline = Deadline(after: Household.patience)
    for (member, program) in leaving {
      let exit = try program.waitForExit(within: .milliseconds(Int64(deadline.remaining)))
      // One that has only just been launched, and has not said a word, does not look for signals yet.
      let isNew = program.lines(.errors).isEmpty && exit == .signaled(SIGTERM)
      guard exit == .exited(0) || isNew else {
        throw TestFailure("\(member) ended with \(exit): \(program.lines(.errors).suffix(10))")
      }
      ended(member)
    }
  }

  private func ended(_ member: Member) {
    if case .companion(let device) = member { ledger.stopped(device) }
  }
}
