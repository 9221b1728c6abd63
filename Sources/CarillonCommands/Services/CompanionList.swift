import CarillonCompanion
import CarillonModel

/// `carillon companion --list`: what the device lists, read beside the companion that runs, or without one.
enum CompanionList {
  static func run(
    _ configuration: CompanionConfiguration, _ device: Name, _ call: Invocation
  ) throws -> ExitStatus {
    guard
      let folder = configuration.state ?? call.surroundings.stateFolder.map({ $0 + "/companion/\(device)" })
    else { throw Failure(.configuration, "there is no state folder; name one with --state") }
    let list: DeliveredList
    do { list = try DeliveredList(state: folder) } catch {
      throw Failure(
        .failure, "there is no inbox of the device \(device) in \(folder): \(error)",
        details: ["  remedy: start its companion once, or name its folder with --state"])
    }
    if call.settings.has("json") {
      for item in list.items { call.console.print(json(item)) }
      call.console.print(["event": "badge", "badge": .integer(list.badge)])
    } else {
      var table = Table(["ID", "FIRED", "STATE", "TITLE", "DETAIL"])
      call.console.print(lines: table.page(list.items.map(row)))
      let count = list.items.count
      call.console.say(
        count == 0
          ? "nothing is listed" : "\(count) notification\(count == 1 ? "" : "s"), badge \(list.badge)")
    }
    return .done
  }

  private static func row(_ item: DeliveredList.Item) -> [String] {
    let notification = item.notification
    let title = notification.title ?? notification.body ?? notification.url ?? ""
    return [
      notification.id, notification.firing.fired ?? "", item.state.rawValue, title, item.detail ?? "",
    ]
  }

  private static func json(_ item: DeliveredList.Item) -> JSON {
    var object = item.notification.payload
    object["state"] = .string(item.state.rawValue)
    object["at"] = item.at.map { .string($0) } ?? .null
    object["detail"] = item.detail.map { .string($0) } ?? .null
    return .object(object)
  }
}
