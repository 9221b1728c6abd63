/// `carillon pause`: holds requests without losing them.
enum Pause {
  static let verb = CommandLineVerb(
    "pause", "Hold requests without losing them", forms: ["ID…", "--all"],
    operands: .init("ID…", 0...Int.max), configuration: .client,
    groups: [
      OptionGroup("Which", [Marks.all]), OptionGroup("Other forms", [SharedOptions.queue]),
      SharedOptions.sending, SharedOptions.broker,
    ],
    discussion:
      "A held request does not fire until it is resumed; what fell due meanwhile follows its catchUp.",
    examples: [
      .init("One request:", "carillon pause bins"),
      .init("All of them, for the holidays:", "carillon pause --all"),
    ],
    run: { try Sending.send(CommandBatch([try Marks.command("pause", $0)]), $0, describe: Marks.describe) })
}
