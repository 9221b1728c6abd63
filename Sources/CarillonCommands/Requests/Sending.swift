import CarillonModel

/// Sends the commands of a call and tells what became of them.
enum Sending {
  /// - Parameter describe: the lines for a person about one good reply.
  /// - Throws: `Failure`.
  static func send(
    _ batch: CommandBatch, _ call: Invocation, describe: (JSON, Console) -> Void
  ) throws -> ExitStatus {
    var batch = batch
    batch.addKeys(call.settings.text("key"))
    do { try batch.check() } catch {
      let first = batch.commands.first
      throw refused(error, first?["command"] ?? "schedule", id: first?["id"], call)
    }
    let target = try BrokerTarget(call)
    if call.settings.has("queue") { return try leave(batch, target, call) }
    let client = try RelayClient(target, wait: try wait(call))
    let reply = try client.ask(batch)
    client.close()
    return try tell(reply, call, describe)
  }

  /// How long a reply is waited for.
  static func wait(_ call: Invocation) throws -> Duration {
    guard let setting = call.settings["wait"] else { return RelayClient.defaultWait }
    do { return try Duration(parsing: setting.value) } catch { throw setting.failure(error.message) }
  }

  private static func leave(_ batch: CommandBatch, _ target: BrokerTarget, _ call: Invocation) throws
    -> ExitStatus
  {
    try RelayClient(target, wait: try wait(call)).leave(batch)
    if call.settings.has("json") {
      call.console.print(["ok": true, "queued": true, "key": batch.key.map { .string($0) } ?? .null])
    } else {
      call.console.print("queued at the broker\(batch.key.map { " with the key \($0)" } ?? "")")
    }
    return .done
  }

  /// What was refused before it was sent, in the form of a reply for programs.
  ///
  /// - Parameter id: the request's, where it has one.
  static func refused(_ refusal: Refusal, _ command: JSON, id: JSON?, _ call: Invocation) -> Failure {
    if call.settings.has("json") {
      var reply: JSONObject = ["ok": false, "command": command]
      if let id { reply.append("id", id) }
      reply.append(
        "error",
        [
          "code": .string(refusal.code.rawValue), "path": .string(refusal.path),
          "message": .string(refusal.message),
        ])
      call.console.print(.object(reply))
    }
    return refusal.failure(call.settings, call.verb)
  }

  /// Prints good replies; of the bad ones the first decides how the call ends.
  private static func tell(
    _ reply: JSON, _ call: Invocation, _ describe: (JSON, Console) -> Void
  ) throws -> ExitStatus {
    let replies = reply.elements ?? [reply]
    var failures: [Failure] = []
    for reply in replies {
      if call.settings.has("json") { call.console.print(reply) }
      if let failure = failure(of: reply, call) {
        failures.append(failure)
      } else if !call.settings.has("json") {
        describe(reply, call.console)
      }
    }
    for failure in failures.dropFirst() {
      call.console.say("carillon \(call.verb.name): \(failure.message)")
    }
    if let first = failures.first { throw first }
    return .done
  }

  /// The failure that a reply is; nil where it is a good one.
  static func failure(of reply: JSON, _ call: Invocation) -> Failure? {
    if reply["ok"] == true { return nil }
    let error = reply["error"] ?? .null
    guard let word = error["code"]?.text else {
      return Failure(.failure, "the relay's reply is not understood; is it of another version?")
    }
    let path = error["path"]?.text ?? ""
    let message = error["message"]?.text ?? "refused"
    guard let code = RefusalCode(rawValue: word) else {
      return Failure(.data, "\(word)\(path.isEmpty ? "" : " at \(path)"): \(message)")
    }
    let isTemporary = code == .unavailable || code == .limit
    return Refusal(code, at: path, message).failure(
      call.settings, call.verb, isTemporary ? .temporary : .data)
  }
}
