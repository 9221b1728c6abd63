import CarillonModel
import CarillonStore

/// One page of a listing: entries as JSON text, within the limits of a page (protocol §6).
private struct Page {
  private var items: [JSON] = []
  private var size = 0
  private let limit: Int
  /// Bytes of its entries.
  private let room: Int
  /// The cursor of the last entry looked at, once the page is full and more may follow.
  private(set) var after: Int64?
  private var last: Int64?
  private var looked = 0

  /// A page that finds little ends after so many entries, so that no question holds the relay up; the next page goes on.
  private static let looks = 5000

  init(limit: Int, room: Int) {
    self.limit = limit
    self.room = room
  }

  /// Adds an entry; false where it belongs on the next page.
  mutating func add(_ item: JSON, cursor: Int64) -> Bool {
    let bytes = item.encoded.count + 1
    guard items.count < limit, items.isEmpty || size + bytes <= room else {
      after = last
      return false
    }
    items.append(item)
    size += bytes
    return skip(cursor)
  }

  /// Passes an entry over; false where the page has looked at enough.
  mutating func skip(_ cursor: Int64) -> Bool {
    last = cursor
    looked += 1
    guard looked < Page.looks else {
      after = last
      return false
    }
    return true
  }

  var reply: JSONObject {
    ["items": .array(items), "after": after.map { .string(String($0)) } ?? .null]
  }
}

extension Relay {
  /// Fills a page from after the listing's cursor.
  private func page(
    _ listing: Listing, _ fill: (inout Page, Int64?) throws(StoreError) -> Void
  ) throws(StoreError) -> Decision {
    let start = listing.after.flatMap { Int64($0) }
    if listing.after != nil, start.map({ $0 < 0 }) ?? true {
      return Decision(Refusal(.invalid, at: "after", "is no cursor of an earlier page"))
    }
    var page = Page(limit: listing.limit, room: replyRoom - 512)
    try fill(&page, start)
    return Decision(page.reply)
  }

  /// `pending`: requests that are pending, paused or cannot fire, oldest first.
  mutating func pending(_ listing: Listing, _ moment: Moment) throws(StoreError) -> Decision {
    try page(listing) { page, start throws(StoreError) in
      try eachListed(listing.ids, after: start ?? 0) { request throws(StoreError) in
        // What is prepared has not fired yet.
        let prepared = try queue.prepared(request.sequence, at: moment).first
        guard request.state != .finished || prepared != nil,
          listing.device.map({ reaches($0, request) }) ?? true
        else { return page.skip(request.sequence) }
        return page.add(
          item(try settled(request, at: moment), try? Rule.fields(request.rule), prepared, moment),
          cursor: request.sequence)
      }
    }
  }

  private func reaches(_ device: Name, _ request: StoredRequest) -> Bool {
    guard let rule = try? Rule(stored: request.rule) else { return false }
    return ([rule.to] + [rule.nag?.then].compactMap { $0 }).contains { recipients in
      let reached = reached(by: recipients)
      return reached.known.contains(device) || reached.unknown.contains(device)
    }
  }

  /// Requests that may have something to come, oldest first: all, or those with certain ids.
  private func eachListed(
    _ ids: [String]?, after sequence: Int64, _ body: (StoredRequest) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard let ids else { return try queue.eachListed(after: sequence, body) }
    var found: [Int64: StoredRequest] = [:]
    for id in ids {
      guard let request = try queue.current(id), request.sequence > sequence else { continue }
      if request.state != .cancelled { found[request.sequence] = request }
    }
    for (_, request) in found.sorted(by: { $0.key < $1.key }) where try !body(request) { return }
  }

  private func item(
    _ request: StoredRequest, _ rule: Fields?, _ prepared: StoredFiring?, _ moment: Moment
  ) -> JSON {
    var item: JSONObject = ["id": .string(request.id)]
    item.append("to", rule?["to"] ?? .string(Name.everyone))
    for member in (try? Rule.fields(request.content))?.object.members ?? [] {
      item.append(member.name, member.value)
    }
    for name in ["trigger", "expires", "catchUp", "nag"] {
      if let value = rule?[name] { item.append(name, value) }
    }
    if let revision = request.revision { item.append("revision", .integer(revision)) }
    let due = watches.armed[request.sequence]?.exact ?? fires(request)
    let next = prepared?.due ?? due.map { moment.wall(at: $0, on: request.axis) }
    item.append("next", next.map { .string(zone(request.zone).timestamp($0)) } ?? .null)
    item.append("timezone", .string(request.zone))
    item.append("from", request.publisher.map { .string($0.text) } ?? .null)
    let state =
      switch request.state {
      case .paused: "paused"
      case .invalid: "invalid"
      default: "pending"
      }
    item.append("state", .string(state))
    return .object(item)
  }

  /// `delivered`: notifications that went out, newest first, with what became of them.
  mutating func delivered(_ listing: Listing, _ moment: Moment) throws(StoreError) -> Decision {
    try page(listing) { page, start throws(StoreError) in
      try queue.eachFired(before: start, ids: listing.ids, at: moment) { firing, id throws(StoreError) in
        var states = try queue.states(of: firing.row)
        if let device = listing.device {
          states = states.filter { $0.device == device.text }
          if states.isEmpty { return page.skip(firing.row) }
        }
        return page.add(item(firing, id, states), cursor: firing.row)
      }
    }
  }

  private func item(
    _ firing: StoredFiring, _ id: String,
    _ states: [(device: String, state: DeliveryState, at: WallTime?, detail: String?)]
  ) -> JSON {
    var devices = JSONObject()
    for entry in states {
      let at = entry.at.map { JSON.string(defaultZone.timestamp($0)) } ?? .null
      let detail = entry.detail.map { JSON.string($0) } ?? .null
      devices.append(entry.device, ["state": .string(entry.state.word), "at": at, "detail": detail])
    }
    var item: JSONObject = [
      "delivery": .string(self.id(of: firing).text), "id": .string(id),
      "due": .string(defaultZone.timestamp(firing.due)),
      "fired": firing.fired.map { .string(defaultZone.timestamp($0)) } ?? .null, "devices": .object(devices),
    ]
    if states.isEmpty { item.append("failed", .string(firing.ended ?? Relay.noDevice)) }
    return .object(item)
  }

  /// `devices`: those that have announced themselves, or have something waiting or must not be disturbed, by name.
  mutating func listDevices(_ listing: Listing, _ moment: Moment) throws(StoreError) -> Decision {
    try page(listing) { page, start throws(StoreError) in
      let all = try queue.devices()
      let passed = start.map { Int(clamping: min($0, Int64(all.count) - 1)) + 1 } ?? 0
      for (index, device) in all.enumerated().dropFirst(passed) {
        if let wanted = listing.device, wanted != device.name { continue }
        if let names = listing.ids, !names.contains(device.name.text) { continue }
        let unreceived = try queue.countUnreceived(device.row, at: moment)
        guard device.isAnnounced || unreceived > 0 || device.focus?.isOn == true else { continue }
        guard page.add(item(device, unreceived), cursor: Int64(index)) else { break }
      }
    }
  }

  private func item(_ device: StoredDevice, _ unreceived: Int) -> JSON {
    [
      "name": .string(device.name.text), "online": device.isOnline.map { .bool($0) } ?? .null,
      "unreceived": .integer(Int64(unreceived)), "focus": .bool(device.focus?.isOn == true),
      "focusUntil": device.focus?.until.map { .string(defaultZone.timestamp($0)) } ?? .null,
      "profile": device.profile.flatMap { try? JSON(parsing: $0) } ?? .null,
    ]
  }
}
