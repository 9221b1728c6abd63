import CarillonModel

/// `carillon fire`: fires pending requests now, besides their schedule.
enum Fire {
  static let verb = CommandLineVerb(
    "fire", "Fire pending requests now, besides their schedule", forms: ["ID…"],
    operands: .init("ID…", 1...Int.max), configuration: .client,
    groups: [OptionGroup("Other forms", [SharedOptions.queue]), SharedOptions.sending, SharedOptions.broker],
    discussion: "The schedule stays as it is. Several ids travel as one command.",
    examples: [
      .init("Try out a reminder:", "carillon fire bins"),
      .init("Several:", "carillon fire bins drops"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    let commands = call.operands.map { JSONObject([.init("command", "fire"), .init("id", .string($0))]) }
    return try Sending.send(CommandBatch(commands), call, describe: Marks.describe)
  }
}
