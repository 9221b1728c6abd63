import CarillonLoop
import CarillonMQTT
import CarillonModel

extension RelayClient {
  /// The next event of the session; nil at the deadline (elapsed clock).
  func next(until deadline: Int64) throws -> SessionEvent? {
    while inbox.events.isEmpty {
      let left = deadline - SystemClock.elapsedMilliseconds
      guard left > 0 else { return nil }
      try loop.turn(waiting: .milliseconds(left))
    }
    return inbox.events.removeFirst()
  }

  /// Publishes a command until the broker has taken it for somebody. A relay that is only starting has not
  /// subscribed yet, and the broker keeps nothing for it, so a command that reached nobody is sent again for
  /// a while.
  func deliver(_ publication: Publication, _ batch: CommandBatch) throws {
    let start = SystemClock.elapsedMilliseconds
    let patience = start + RelayClient.startingRelay.milliseconds
    while true {
      let packet = try publish(publication)
      guard
        let reason = try acknowledgement(of: packet, until: start.addingSaturated(wait.milliseconds), batch)
      else {
        throw Failure(
          .unavailable,
          "\(target) did not acknowledge the command within \(wait.written)"
            + RelayClient.repetition(batch))
      }
      try judge(reason)
      if reason != RelayClient.nobody { return }
      guard SystemClock.elapsedMilliseconds < patience else { throw nobodyThere }
      try pause(RelayClient.retry)
    }
  }

  /// The broker's word on a publication; nil at the deadline. The reply may be there first, and stays.
  private func acknowledgement(of packet: UInt16, until deadline: Int64, _ batch: CommandBatch) throws
    -> UInt8?
  {
    while true {
      for (index, event) in inbox.events.enumerated() {
        if case .acknowledged(packet, let reason) = event {
          inbox.events.remove(at: index)
          return reason
        }
        if case .disconnected(let failure) = event { throw lost(failure, batch) }
      }
      let left = deadline - SystemClock.elapsedMilliseconds
      guard left > 0 else { return nil }
      try loop.turn(waiting: .milliseconds(left))
    }
  }

  private func pause(_ duration: Duration) throws {
    let end = SystemClock.elapsedMilliseconds + duration.milliseconds
    while SystemClock.elapsedMilliseconds < end {
      try loop.turn(waiting: .milliseconds(max(1, end - SystemClock.elapsedMilliseconds)))
    }
  }

  /// PUBACK's reason for a message that no subscription matched (MQTT 5, 3.4.2.1).
  private static let nobody: UInt8 = 0x10
  /// How long a relay may take from its start to its subscription.
  private static let startingRelay: Duration = .seconds(3)
  private static let retry: Duration = .milliseconds(300)

  private var nobodyThere: Failure {
    Failure(
      .unavailable,
      "no relay has ever listened on \(target.commandTopic) at \(target), so nobody got the command; "
        + "start carillon relay, or check --broker and --prefix")
  }

  /// From 0x80 on the broker did not take a command.
  private func judge(_ reason: UInt8) throws {
    guard reason >= 0x80 else { return }
    let remedy =
      target.publisher == nil ? "give --publisher, or another login" : "is this the name it knows you by?"
    throw Failure(
      .unavailable,
      "\(target) does not take commands on \(target.commandTopic) (reason 0x\(String(reason, radix: 16))); \(remedy)"
    )
  }

  func lost(_ failure: SessionFailure, _ batch: CommandBatch) -> Failure {
    var told = target.failure(failure)
    told.message += RelayClient.repetition(batch)
    return told
  }

  static func repetition(_ batch: CommandBatch) -> String {
    guard let key = batch.key else { return "" }
    return ". If the relay took it, it stands; repeating it with --key \(visible(key)) is safe"
  }
}
