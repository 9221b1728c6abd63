import CarillonModel
import CarillonStore

extension Relay {
  /// A message on a device's status topic.
  mutating func status(_ arrival: Arrival, of name: Name, at moment: Moment) throws(StoreError) -> [Action] {
    let isOnline: Bool? =
      switch String(decoding: arrival.payload, as: UTF8.self) {
      case "online": true
      case "offline": false
      case "": nil
      default: devices.row(name).flatMap { devices[$0]?.isOnline }
      }
    if isOnline == nil, devices.row(name) == nil { return [] }
    guard isOnline == nil || mayAnnounce(name) else { return [.crowded(device: name)] }
    let row = try row(name)
    guard var device = devices[row], device.isOnline != isOnline || (!device.isAnnounced && isOnline != nil)
    else {
      // It says so anew: it has come back from where nobody has seen it go, with a broker that has lost what it kept, say.
      return isOnline == true && !arrival.isBacklog ? [.returned(device: row)] : []
    }
    let isNew = !device.isAnnounced && isOnline != nil
    device.isOnline = isOnline
    device.isAnnounced = device.isAnnounced || isNew
    devices.set(row, device)
    try queue.setStatus(row, isOnline: isOnline)
    return [.presence(device: row, name: name, isOnline: isOnline)] + (isNew ? [focus(of: row, device)] : [])
      + (try watched(name, isBacklog: arrival.isBacklog, at: moment))
  }

  /// A message on a device's profile topic.
  mutating func profile(_ arrival: Arrival, of name: Name, at moment: Moment) throws(StoreError) -> [Action] {
    if arrival.payload.isEmpty {
      guard let row = devices.row(name), devices[row]?.isAnnounced == true else { return [] }
      return try forgetDevice(name, row, at: moment)
    }
    guard arrival.payload.count <= Limits.profile, case .object? = try? JSON(parsing: arrival.payload) else {
      return [.ignored("a profile that is no JSON object of at most \(Limits.profile) bytes")]
    }
    guard mayAnnounce(name) else { return [.crowded(device: name)] }
    let row = try row(name)
    guard var device = devices[row] else { return [] }
    let before = device
    device.isAnnounced = true
    device.presence = DeviceRegistry.presence(in: arrival.payload)
    device.version = DeviceRegistry.version(in: arrival.payload)
    devices.set(row, device)
    try queue.setProfile(row, arrival.payload)
    let isNew = !before.isAnnounced
    let told: [Action] = isNew || before.version != device.version ? [.profile(device: row)] : []
    guard isNew || before.presence != device.presence else { return told }
    return told + (isNew ? [focus(of: row, device)] : [])
      + (try watched(name, isBacklog: arrival.isBacklog, at: moment))
  }

  /// What a device that announces itself has to find: something else may be retained there from another time.
  private func focus(of row: Int64, _ device: DeviceRegistry.Device) -> Action {
    .focus(device: row, name: device.name, isOn: device.isFocused)
  }

  /// `forget`: drops a device with its outbox and what is retained for it.
  mutating func forget(_ name: Name, at moment: Moment) throws(StoreError) -> Decision {
    guard let row = devices.row(name) else { return Decision(["devices": .object([name.text: "unknown"])]) }
    let actions = try forgetDevice(name, row, at: moment)
    return Decision(["devices": .object([name.text: "forgotten"])], actions)
  }

  private mutating func forgetDevice(_ name: Name, _ row: Int64, at moment: Moment) throws(StoreError)
    -> [Action]
  {
    _ = try queue.forget(name)
    devices.set(row, DeviceRegistry.Device(name: name, isAnnounced: false, isOnline: nil))
    return [.forget(device: row, name: name)] + (try watched(name, at: moment))
  }

  /// A device's word on a delivery (protocol §5).
  mutating func response(_ arrival: Arrival, of name: Name, at moment: Moment) throws(StoreError) -> [Action]
  {
    guard !arrival.isRetained else { return [.ignored("a retained response")] }
    let response: Response
    do throws(Refusal) { response = try Response(parsing: arrival.payload) } catch {
      return [.ignored("a response that is none: \(error.message)")]
    }
    guard let id = DeliveryID(parsing: response.delivery), let device = devices.row(name),
      let firing = try queue.firing(id), let delivery = try queue.delivery(firing.row, device)
    else { return [.ignored("a response to no delivery of that device")] }
    return try apply(response, delivery, firing, from: name, at: moment)
  }

  private mutating func apply(
    _ response: Response, _ delivery: DeliveryRow, _ firing: StoredFiring, from name: Name, at moment: Moment
  ) throws(StoreError) -> [Action] {
    let told = DeliveryState(response)
    if wasGivenUp(delivery, firing), told.rank < DeliveryState.failed.rank {
      return try takeBack(delivery)
    }
    // Whatever a device says of a notification, it has it; a withdrawal is over once nothing is left to take back.
    let isOver = delivery.open != .withdrawal || told.rank >= DeliveryState.failed.rank
    let open: OpenKind = isOver ? .nothing : .withdrawal
    if told.rank > delivery.state.rank {
      let detail = response.detail ?? response.text ?? response.action
      try queue.setState(delivery, told, open: open, at: moment.wall, detail: detail)
    } else if open != delivery.open {
      try queue.setOpen(delivery, open)
    }
    var actions: [Action] = isOver ? [.settle(firing: firing.row, device: delivery.device)] : []
    if told.rank > delivery.state.rank { actions += try event(response, of: firing, from: name) }
    if response.isAnswer, firing.ended == nil {
      actions += try answer(response, to: firing, from: name, delivery.device, at: moment)
    }
    return actions
  }

  /// What Home Assistant hears of it, where it listens: each step once, however often the device says so.
  private func event(_ response: Response, of firing: StoredFiring, from name: Name) throws(StoreError)
    -> [Action]
  {
    guard configuration.homeAssistant.discovery, ResponseEvent.told.contains(response.event) else {
      return []
    }
    return [.event(response, from: name, id: try queue.request(firing.sequence)?.id)]
  }

  /// Whether a notification ended elsewhere and was dropped on the way to a device that was away.
  private func wasGivenUp(_ delivery: DeliveryRow, _ firing: StoredFiring) -> Bool {
    firing.ended != nil && delivery.open == .nothing
      && (delivery.state == .withdrawn || delivery.state == .superseded)
  }

  /// The device has it after all: it came there before the device went away, and neither the broker nor the device could
  /// say so in time.
  private func takeBack(_ delivery: DeliveryRow) throws(StoreError) -> [Action] {
    try queue.setOpen(delivery, .withdrawal)
    return try queue.outgoing(delivery.firing, to: delivery.device).map { [.deliver($0)] } ?? []
  }
}
