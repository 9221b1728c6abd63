import CarillonModel

/// `carillon delivered`: lists what has fired, and what became of it on each device.
enum Delivered {
  static let verb = CommandLineVerb(
    "delivered", "List what has fired, and what became of it on each device",
    forms: ["[ID…] [--device NAME] [--json]"],
    operands: .init("ID…", 0...Int.max), configuration: .client,
    groups: [OptionGroup("Which", [Listings.device])] + Listings.groups,
    examples: [
      .init("All of it:", "carillon delivered"),
      .init("Whether the kitchen got one:", "carillon delivered bins --device kitchen"),
    ],
    run: {
      try Listings.list(
        "delivered", $0, titles: ["ID", "FIRED", "DEVICE", "STATE", "AT", "DETAIL"],
        nothing: "nothing has fired",
        rows: rows)
    })

  private static func rows(_ item: JSON) -> [[String]] {
    let head = [item["id"], item["fired"]].map(Listings.cell)
    guard case .object(let devices)? = item["devices"], !devices.members.isEmpty else {
      return [head + ["", "", "", ""]]
    }
    return devices.members.map { device in
      head + [device.name]
        + [device.value["state"], device.value["at"], device.value["detail"]].map(Listings.cell)
    }
  }
}
