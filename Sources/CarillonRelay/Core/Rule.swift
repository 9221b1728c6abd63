import CarillonModel

/// The part of a request that decides when and to whom it fires, as the store keeps it.
struct Rule: Hashable, Sendable {
  var to: Recipients
  var trigger: Trigger
  var expires: Duration?
  var catchUp: CatchUp
  var nag: Nag?

  init(_ request: Request) {
    to = request.to
    trigger = request.trigger
    expires = request.expires
    catchUp = request.catchUp
    nag = request.nag
  }

  /// The JSON members to store, as far as the request gave them.
  static func members(of request: Request) -> [UInt8] {
    var writer = JSONWriter(reserving: 96)
    if request.to != .all {
      writer.name("to")
      writer.value(request.to.json)
    }
    if let trigger = request.triggerText {
      writer.name("trigger")
      writer.value(trigger)
    }
    if let expires = request.expires {
      writer.name("expires")
      writer.string(expires.written)
    }
    if request.catchUp != .latest {
      writer.name("catchUp")
      writer.string(request.catchUp.rawValue)
    }
    if let nag = request.nagText {
      writer.name("nag")
      writer.value(nag)
    }
    return writer.bytes
  }

  /// - Throws: what a newer or damaged store may hold and this program does not understand.
  init(stored members: [UInt8]) throws(Refusal) {
    let fields = try Rule.fields(members)
    to = try Recipients(reading: fields, "to")
    trigger =
      try fields["trigger"].map { value throws(Refusal) in try Trigger.read(value, at: "trigger") } ?? .now
    expires = try fields.duration("expires")
    catchUp = try fields.choice("catchUp", CatchUp.self) ?? .latest
    nag = try fields["nag"].map { value throws(Refusal) in try Nag.read(value, at: "nag") }
  }

  /// Members that the store keeps without braces, as an object.
  static func fields(_ members: [UInt8]) throws(Refusal) -> Fields {
    let text = [UInt8(ascii: "{")] + members + [UInt8(ascii: "}")]
    let value: JSON
    do throws(MalformedJSON) { value = try JSON(parsing: text) } catch {
      throw Refusal(.malformed, error.message)
    }
    return try Fields(value)
  }
}
