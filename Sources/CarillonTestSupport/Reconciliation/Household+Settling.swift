import CarillonLoop
import CarillonModel

extension Household {
  /// How long a reply is waited for once all is quiet.
  private static let silence: Duration = .seconds(1)

  /// Waits until the ledger balances, as far as requests have fired by then, and looks whether anything comes too often.
  ///
  /// - Parameters:
  ///   - end: milliseconds of the wall clock; nil: all requests.
  /// - Throws: `TestFailure` that names what is missing or too much.
  public func settle(by end: Int64?, within limit: Duration = .seconds(40)) throws {
    var gaps: [String] = []
    var silence = Deadline(after: Household.silence)
    do {
      try eventually("the balance", within: limit) {
        gaps = ledger.gaps(at: end)
        guard !gaps.isEmpty, silence.hasPassed else { return gaps.isEmpty }
        try publishAgain(after: Household.silence)
        ledger.giveUpReplies()
        silence = Deadline(after: Household.silence)
        return false
      }
    } catch {
      throw TestFailure("missing: \(gaps.prefix(10).joined(separator: "; ")); \(error)")
    }
    // Whatever comes once more comes soon.
    try read(for: .milliseconds(end == nil ? 1000 : 30))
    let excesses = end == nil ? ledger.discrepancies() : ledger.excesses()
    guard excesses.isEmpty else { throw TestFailure(excesses.prefix(10).joined(separator: "; ")) }
  }

  /// Compares the ledger with the relay's own lists.
  ///
  /// - Throws: `TestFailure` that names what differs.
  public func reconcile(within limit: Duration = .seconds(20)) throws {
    var differences: [String] = []
    do {
      try eventually("agreement with the relay", within: limit) {
        differences = try self.differences()
        return differences.isEmpty
      }
    } catch {
      throw TestFailure("\(differences.prefix(10).joined(separator: "; ")); \(error)")
    }
  }

  private func differences() throws -> [String] {
    let listed = Set(try list("pending").compactMap { $0["id"]?.text })
    let wanted = ledger.pending
    return listed.subtracting(wanted).sorted().map { "\($0) is pending in the relay, and should not be" }
      + wanted.subtracting(listed).sorted().map { "\($0) should be pending, and is not" }
      + ledger.differences(from: try list("delivered"))
  }

  /// All pages of one of the relay's lists.
  private func list(_ verb: String) throws -> [JSON] {
    let client = try TestClient(port: broker.port)
    let topic = "carillon/reply/list/\(verb)"
    try client.subscribe(topic)
    var items: [JSON] = []
    var after: JSON = .null
    repeat {
      var command: JSONObject = ["command": .string(verb), "limit": 1000]
      if after.text != nil { command.append("after", after) }
      try client.publish("carillon/command/list", JSON.object(command).encoded, responseTopic: topic)
      let reply = try JSON(parsing: try client.waitForMessage(on: topic, within: .seconds(30)).payload)
      guard reply["ok"] == .bool(true) else { throw TestFailure("\(verb): \(reply)") }
      items += reply["items"]?.elements ?? []
      after = reply["after"] ?? .null
    } while after.text != nil
    return items
  }
}
