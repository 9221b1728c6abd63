import CarillonModel

/// A list that the relay gives page by page, printed as a table or as one object a line.
enum Listings {
  static let device = Option("device", "NAME", "Only this device.")

  /// - Parameters:
  ///   - titles: of the table's columns.
  ///   - rows: the table's rows for one entry.
  ///   - nothing: what is said where there is no entry.
  static func list(
    _ verb: String, _ call: Invocation, titles: [String], nothing: String, rows: (JSON) -> [[String]]
  ) throws -> ExitStatus {
    let asJSON = call.settings.has("json")
    var table = Table(titles)
    var count = 0
    try pages(verb, call) { items in
      count += items.count
      if asJSON {
        for item in items { call.console.print(item) }
      } else {
        call.console.print(lines: table.page(items.flatMap(rows)))
      }
      return call.console.isWhole
    }
    if count == 0 && !asJSON { call.console.say(nothing) }
    return .done
  }

  /// Asks for page after page, until one has no cursor or `body` has had enough.
  private static func pages(_ verb: String, _ call: Invocation, _ body: ([JSON]) -> Bool) throws {
    var question: JSONObject = ["command": .string(verb)]
    if !call.operands.isEmpty { question.append("ids", .array(call.operands.map { .string($0) })) }
    if let device = call.settings.text("device") { question.append("device", .string(device)) }
    do { try CommandBatch([question]).check() } catch {
      throw error.failure(call.settings, call.verb)
    }
    let client = try RelayClient(try BrokerTarget(call), wait: try Sending.wait(call))
    defer { client.close() }
    while true {
      // A list changes nothing, so it needs no key, and the relay need not keep its pages for a repetition.
      let reply = try client.ask(CommandBatch([question]))
      if let failure = Sending.failure(of: reply, call) { throw failure }
      guard body(reply["items"]?.elements ?? []), let cursor = reply["after"]?.text else { return }
      question["after"] = .string(cursor)
    }
  }

  /// A member as a cell.
  static func cell(_ value: JSON?) -> String {
    switch value {
    case nil, .null?: ""
    case .string(let text)?: ShownTime.short(text)
    case .bool(let flag)?: flag ? "yes" : "no"
    case .array(let elements)?: elements.map { cell($0) }.joined(separator: ", ")
    case let value?: value.encodedText
    }
  }

  /// The options of a listing besides its own.
  static let groups = [
    OptionGroup(
      "Asking",
      SharedOptions.sending.options.filter { $0.name != "key" }),
    SharedOptions.broker,
  ]
}
