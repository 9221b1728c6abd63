import CarillonModel
import CarillonStore

/// What the relay does once its decisions are on disk.
enum Action: Sendable {
  /// Answer a publisher.
  case reply(topic: String, correlation: [UInt8]?, payload: [UInt8])
  /// Tell administrators of a refusal.
  case reject(Refusal, payload: [UInt8], topic: String)
  /// A delivery has to be sent at its firing's release.
  case deliver(OutgoingDelivery)
  /// A firing was taken back before its release.
  case recall(firing: Int64)
  /// Nothing is left to send of a delivery.
  case settle(firing: Int64, device: Int64)
  /// A device came, went, or lost its status.
  case presence(device: Int64, name: Name, isOnline: Bool?)
  /// A device that was online has come online.
  case returned(device: Int64)
  /// Do not disturb is on or off for a device, which has to find that at the broker.
  case focus(device: Int64, name: Name, isOn: Bool)
  /// What a device says of itself is new.
  case profile(device: Int64)
  /// A device has done something with a notification that Home Assistant hears of.
  case event(Response, from: Name, id: String?)
  /// A device is to be dropped from the broker's retained messages.
  case forget(device: Int64, name: Name)
  /// A firing has gone out, or was ended: what late subscribers find may have changed.
  case touchLatest(device: Int64, firing: Int64, isNew: Bool)
  /// Topics that requests watch have to be subscribed to, also again, and others are not needed any more.
  case watch(subscribe: [String], unsubscribe: [String])
  /// A device announced itself that the configuration does not name, and too many such have done so.
  case crowded(device: Name)
  /// A message that nobody may act on was ignored.
  case ignored(String)
  /// Something that whoever runs the relay may want to know.
  case noted(String)
}
