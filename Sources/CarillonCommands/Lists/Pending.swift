import CarillonModel

/// `carillon pending`: lists the requests that are going to fire.
enum Pending {
  static let verb = CommandLineVerb(
    "pending", "List the requests that are going to fire", forms: ["[ID…] [--device NAME] [--json]"],
    operands: .init("ID…", 0...Int.max), configuration: .client,
    groups: [OptionGroup("Which", [Listings.device])] + Listings.groups,
    examples: [
      .init("All of them:", "carillon pending"),
      .init("Those for one device, for a program:", "carillon pending --device kitchen --json"),
    ],
    run: {
      try Listings.list(
        "pending", $0, titles: ["ID", "NEXT", "STATE", "TO", "TITLE"], nothing: "nothing is pending",
        rows: rows)
    })

  private static func rows(_ item: JSON) -> [[String]] {
    let title = item["title"] ?? item["body"] ?? item["url"]
    let to = item["to"] ?? "all"
    return [[item["id"], item["next"], item["state"], to, title].map(Listings.cell)]
  }
}
