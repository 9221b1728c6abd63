import CarillonModel

/// The commands of one call, ready to be sent.
struct CommandBatch {
  private(set) var commands: [JSONObject]
  /// Whether they travel as an array, in one transaction.
  let isList: Bool

  /// The key that makes a repetition safe; nil where the commands carry keys of their own, or need none.
  private(set) var key: String?

  init(_ commands: [JSONObject]) {
    self.commands = commands
    isList = commands.count != 1
  }

  /// The commands of a payload that somebody else wrote.
  ///
  /// - Throws: `Refusal` where it is not JSON, or neither an object nor a list of objects.
  init(parsing bytes: [UInt8]) throws(Refusal) {
    let value: JSON
    do throws(MalformedJSON) { value = try JSON(parsing: bytes) } catch {
      throw Refusal(.malformed, error.message)
    }
    let elements = value.elements ?? [value]
    var commands: [JSONObject] = []
    for element in elements {
      guard case .object(let object) = element else {
        throw Refusal(.invalid, "a command is an object, not \(element.kind)")
      }
      commands.append(object)
    }
    self.commands = commands
    isList = value.elements != nil
  }

  /// Gives each command that has none an idempotency key: the given one, or a random one.
  mutating func addKeys(_ given: String?) {
    let key = given ?? randomHexadecimal(bytes: 16)
    for index in commands.indices where commands[index]["key"] == nil {
      commands[index]["key"] = .string(commands.count == 1 ? key : "\(key)-\(index + 1)")
      self.key = key
    }
  }

  /// Where a broker of MQTT 3.1.1 leaves no other way, the reply's topic goes into the commands.
  func payload(replyTo: String? = nil) -> [UInt8] {
    let objects = commands.map { command in
      var command = command
      if let replyTo { command["replyTo"] = .string(replyTo) }
      return JSON.object(command)
    }
    return (isList ? JSON.array(objects) : objects.first ?? .null).encoded
  }
}
