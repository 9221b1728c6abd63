import CarillonModel

/// `carillon schedule`: asks the relay for a notification.
enum Schedule {
  static let verb = CommandLineVerb(
    "schedule", "Ask the relay for a notification, now or later",
    forms: ["[TRIGGER] CONTENT [OPTION…]", "--request FILE|-"],
    configuration: .client,
    groups: [
      ContentOptions.group, SharedOptions.trigger, ContentOptions.request,
      OptionGroup(
        "Other forms",
        [
          Option(
            "request", "FILE", "Send the command, or the list of commands, in this file; - is standard input."
          ),
          SharedOptions.queue,
        ]),
      SharedOptions.sending, SharedOptions.broker,
    ],
    discussion: "Prints the request's id and when it fires next. The same id again replaces the request.",
    examples: [
      .init("Now, on every device:", "carillon schedule --title Tea --url kitchen://tea"),
      .init(
        "In half an hour, in the kitchen:",
        "carillon schedule --after 30m --to kitchen --title 'Bread is done'"),
      .init(
        "At a date and time, under a name that can be replaced and cancelled:",
        "carillon schedule --id bins --at 2026-12-24T18:00 --timezone Europe/Berlin --title 'Bins out'"),
      .init(
        "Every six hours, ten times:",
        "carillon schedule --every 6h --count-limit 10 --title Drops --expires 1h"),
      .init(
        "Every Tuesday evening:",
        "carillon schedule --id bins --calendar 'weekday=tue hour=19' --repeats --title 'Bins out'"),
      .init(
        "At half past seven on working days:",
        "carillon schedule --id up --cron '30 7 * * mon-fri' --title 'Get up'"),
      .init(
        "Half an hour before each sunset:",
        "carillon schedule --id hens --sun sunset --offset -30m --repeats --title 'Shut the hens in'"),
      .init(
        "Each time that a message on another topic says so:",
        "carillon schedule --id wash --when home/washer/state=done --repeats --title 'Hang up the washing'"),
      .init(
        "Again and again until somebody answers, then in the bedroom:",
        "carillon schedule --id pills --cron '0 8,20 * * *' --to kitchen --title Pills --action taken=Taken --snooze 10m --nag 'every=5m times=6 then=bedroom'"
      ),
      .init(
        "A command as JSON:",
        "echo '{\"title\":\"Tea\",\"trigger\":{\"after\":\"5m\"}}' | carillon schedule --request -"),
    ],
    run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    do {
      let batch = try batch(call)
      return try Sending.send(batch, call, describe: describe)
    } catch let refusal as Refusal {
      throw Sending.refused(
        refusal, "schedule", id: call.settings.text("id").map { .string($0) }, call)
    }
  }

  private static func batch(_ call: Invocation) throws -> CommandBatch {
    guard let file = call.settings["request"] else {
      return CommandBatch([try ContentOptions.request(call.settings)])
    }
    try refuseContent(besides: file, call)
    return try CommandBatch(parsing: try bytes(of: file, call))
  }

  /// A request of its own and options for another one: one of them would be ignored.
  private static func refuseContent(besides file: Setting, _ call: Invocation) throws {
    let groups = [ContentOptions.group, SharedOptions.trigger, ContentOptions.request]
    for option in groups.flatMap(\.options) {
      if let setting = call.settings[option.name], setting.source == .commandLine {
        throw Failure.usage("--request holds the whole request; --\(option.name) would be ignored")
      }
    }
  }

  private static func bytes(of file: Setting, _ call: Invocation) throws -> [UInt8] {
    if file.value == "-" {
      guard let bytes = call.surroundings.standardInput() else {
        throw Failure(.failure, "standard input cannot be read")
      }
      return bytes
    }
    do {
      if let bytes = try ConfigurationFile.bytes(of: file.value) { return bytes }
    } catch let failure as Failure {
      throw Failure(.failure, failure.message)
    }
    throw Failure(.failure, "there is no file \(printable(file.value, limit: 256))")
  }

  /// Tells a person about one good reply.
  static func describe(_ reply: JSON, _ console: Console) {
    guard reply["command"]?.text == "schedule" else { return Marks.describe(reply, console) }
    let id = reply["id"]?.text ?? "-"
    let replaced = reply["replaced"] == true ? "; it replaces the one before" : ""
    if let next = reply["next"]?.text {
      let zone = reply["timezone"]?.text.map { " (\($0))" } ?? ""
      console.print("\(id): next at \(ShownTime.short(next))\(zone)\(replaced)")
    } else if reply["delivery"] == nil {
      console.print("\(id): taken; nothing is due by the clock\(replaced)")
    } else {
      console.print("\(id): fired now\(replaced)")
      if reply["devices"]?.elements?.isEmpty == true, (reply["unknown"]?.elements ?? []).isEmpty {
        console.say("carillon schedule: there is no device to reach, so nobody got it")
      }
    }
    let unknown = (reply["unknown"]?.elements ?? []).compactMap(\.text)
    if !unknown.isEmpty {
      console.say(
        "carillon schedule: nothing by the name of \(unknown.joined(separator: ", ")) has announced itself yet"
      )
    }
  }
}
