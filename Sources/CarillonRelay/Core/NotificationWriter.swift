import CarillonLinks
import CarillonModel
import CarillonStore
import CarillonTime

/// Makes the messages that go to devices (protocol §4).
struct NotificationWriter {
  let storeID: String
  let links: LinkPolicy
  private let zones: ZoneDatabase
  private var cache: [String: Zone] = [:]
  // Those of a burst share their times.
  private var due = Written()
  private var fired = Written()

  /// A time that was written last, and how.
  private struct Written {
    var time = WallTime(milliseconds: .min)
    var zone = ""
    var text = ""

    mutating func text(_ time: WallTime, in zone: Zone) -> String {
      if time != self.time || zone.name != self.zone {
        self = Written(time: time, zone: zone.name, text: zone.timestamp(time))
      }
      return text
    }
  }

  init(storeID: String, links: LinkPolicy, zones: ZoneDatabase) {
    self.storeID = storeID
    self.links = links
    self.zones = zones
  }

  func id(_ firing: StoredFiring) -> String {
    DeliveryID(store: storeID, sequence: firing.sequence, stamp: firing.stamp, counter: firing.counter).text
  }

  private mutating func zone(_ name: String) -> Zone {
    if let known = cache[name] { return known }
    let zone = (try? zones.zone(named: name)) ?? .utc
    cache[name] = zone
    return zone
  }

  /// The message of a delivery: the notification, or its withdrawal.
  ///
  /// - Parameter fired: when it goes out, where the store has not noted that.
  /// - Throws: where a filled-in link is none, or is not allowed.
  mutating func message(_ delivery: OutgoingDelivery, device: Name, fired: WallTime) throws(Refusal)
    -> [UInt8]
  {
    delivery.open == .withdrawal
      ? withdrawal(delivery) : try notification(delivery, device: device, fired: fired)
  }

  private func withdrawal(_ delivery: OutgoingDelivery) -> [UInt8] {
    var writer = JSONWriter(reserving: 160)
    writer.beginObject()
    writer.name("kind")
    writer.string("withdrawal")
    writer.name("delivery")
    writer.string(id(delivery.firing))
    writer.name("id")
    writer.string(delivery.id)
    writer.name("reason")
    writer.string(delivery.firing.ended ?? "withdrawn")
    writer.name("by")
    if let by = delivery.firing.endedBy { writer.string(by) } else { writer.null() }
    writer.endObject()
    return writer.bytes
  }

  /// The notification, whatever is left to send of it.
  ///
  /// - Throws: as `message`.
  mutating func notification(
    _ delivery: OutgoingDelivery, device: Name, fired: WallTime
  ) throws(Refusal) -> [UInt8] {
    let firing = delivery.firing
    let zone = zone(delivery.zone)
    let identifier = id(firing)
    var writer = JSONWriter(reserving: delivery.content.count + 384)
    writer.beginObject()
    writer.name("kind")
    writer.string("notification")
    writer.name("delivery")
    writer.string(identifier)
    writer.name("id")
    writer.string(delivery.id)
    writer.name("from")
    if let publisher = delivery.publisher { writer.string(publisher.text) } else { writer.null() }
    writer.name("due")
    writer.string(due.text(firing.due, in: zone))
    writer.name("fired")
    writer.string(self.fired.text(firing.fired ?? fired, in: zone))
    writer.name("late")
    writer.bool(firing.late)
    writer.name("missed")
    writer.integer(firing.missed)
    writer.name("expires")
    if let expires = firing.expires { writer.string(zone.timestamp(expires)) } else { writer.null() }
    if let series = firing.series, let number = series.repetition {
      writer.name("nag")
      writer.value(["n": .integer(number), "of": .integer(series.times)])
    }
    if let filled = try filled(delivery, device, zone, identifier) {
      writer.members(filled.members)
    } else {
      writer.rawMembers(delivery.content)
    }
    writer.endObject()
    return writer.bytes
  }

  /// The content with its links filled in; `nil` where nothing is to be filled in.
  private func filled(
    _ delivery: OutgoingDelivery, _ device: Name, _ zone: Zone, _ identifier: String
  ) throws(Refusal) -> Content? {
    guard delivery.content.contains(UInt8(ascii: "{")) else { return nil }
    let content = Content(members: try Rule.fields(delivery.content).object)
    guard content.links.contains(where: { $0.text.utf8.contains(UInt8(ascii: "{")) }) else { return nil }
    let due = zone.timestamp(delivery.firing.due, milliseconds: false)
    return try content.replacingLinks { _, text throws(Refusal) in
      let link = try LinkTemplate(parsing: text).link(
        id: delivery.id, due: due, device: device.text, delivery: identifier)
      try links.check(link)
      return link.text
    }
  }
}
