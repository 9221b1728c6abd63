/// `carillon cancel`: removes pending requests.
enum Cancel {
  static let verb = CommandLineVerb(
    "cancel", "Remove pending requests", forms: ["ID…", "--thread NAME", "--all"],
    operands: .init("ID…", 0...Int.max), configuration: .client,
    groups: [
      OptionGroup("Which", [Marks.thread, Marks.all]), OptionGroup("Other forms", [SharedOptions.queue]),
      SharedOptions.sending, SharedOptions.broker,
    ],
    discussion:
      "Prints for each id whether it was cancelled, had fired already, or is unknown. Once it is answered, "
      + "no firing of what it cancelled begins. What has fired is taken back by carillon withdraw.",
    examples: [
      .init("One request:", "carillon cancel bins"),
      .init("Everything of a thread:", "carillon cancel --thread chores"),
    ],
    run: { try Sending.send(CommandBatch([try Marks.command("cancel", $0)]), $0, describe: Marks.describe) })
}
