/// `carillon resume`: lets held requests fire again.
enum Resume {
  static let verb = CommandLineVerb(
    "resume", "Let held requests fire again", forms: ["ID…", "--all"],
    operands: .init("ID…", 0...Int.max), configuration: .client,
    groups: [
      OptionGroup("Which", [Marks.all]), OptionGroup("Other forms", [SharedOptions.queue]),
      SharedOptions.sending, SharedOptions.broker,
    ],
    discussion: "What fell due while a request was held follows its catchUp.",
    examples: [
      .init("One request:", "carillon resume bins"), .init("All of them:", "carillon resume --all"),
    ],
    run: { try Sending.send(CommandBatch([try Marks.command("resume", $0)]), $0, describe: Marks.describe) })
}
