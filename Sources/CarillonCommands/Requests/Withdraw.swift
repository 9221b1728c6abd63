/// `carillon withdraw`: takes notifications back from the devices.
enum Withdraw {
  static let verb = CommandLineVerb(
    "withdraw", "Take notifications back from the devices", forms: ["ID…", "--thread NAME", "--all"],
    operands: .init("ID…", 0...Int.max), configuration: .client,
    groups: [
      OptionGroup("Which", [Marks.thread, Marks.all]), OptionGroup("Other forms", [SharedOptions.queue]),
      SharedOptions.sending, SharedOptions.broker,
    ],
    discussion:
      "Takes back what devices show, and what is still on the way there. Pending requests stay; carillon "
      + "cancel removes those.",
    examples: [
      .init("One notification, on every device:", "carillon withdraw bins"),
      .init("Everything that is shown:", "carillon withdraw --all"),
    ],
    run: { try Sending.send(CommandBatch([try Marks.command("withdraw", $0)]), $0, describe: Marks.describe) }
  )
}
