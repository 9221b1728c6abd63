import CarillonModel
import CarillonStore
import CarillonTime
import Testing

@testable import CarillonRelay

private let hour: Int64 = 3_600_000

/// Do not disturb, as the relay keeps it.
@Suite struct FocusTests {
  /// A bench that notes what the relay says about focus.
  private final class Scene {
    let bench: RelayBench
    private(set) var told: [String] = []

    init(groups: [Name: [Name]] = [:], zone: Zone = .utc) throws {
      bench = try RelayBench(groups: groups, defaultZone: zone)
      bench.onAction = { [unowned self] action in
        if case .focus(_, let name, let isOn) = action { told.append("\(name) \(isOn ? "on" : "off")") }
      }
    }

    func focus(_ devices: String, _ isOn: Bool, _ more: String = "") throws -> JSONObject? {
      try bench.send(#"{"command":"focus","devices":\#(devices),"on":\#(isOn)\#(more)}"#)
    }

    /// What has been told since the last time.
    func news() -> [String] {
      defer { told = [] }
      return told
    }

    /// What `devices` says of one: whether focus is on, and until when.
    func listed(_ device: String) throws -> [JSON?] {
      let item = try bench.send(#"{"command":"devices","ids":["\#(device)"]}"#)?["items"]?.elements?.first
      return [item?["focus"], item?["focusUntil"]]
    }

    /// What runs when the time of a focus is over.
    func end() throws {
      guard let end = bench.relay.devices.nextFocusEnd, end <= bench.now().wall else { return }
      var draft = bench.relay
      let moment = bench.now()
      let actions = try bench.queue.transaction { () throws(StoreError) in try draft.endFocus(at: moment) }
      bench.relay = draft
      bench.perform(actions, at: moment)
    }
  }

  @Test func `It is turned on and off, and what changes nothing is told to nobody`() throws {
    let scene = try Scene()
    try scene.bench.status("desk", "online")
    #expect(scene.news() == ["desk off"])
    let reply = try scene.focus(#""desk""#, true)
    #expect(
      reply == ["ok": true, "command": "focus", "devices": ["desk": "on"], "until": .null, "unknown": []])
    #expect(scene.news() == ["desk on"])
    #expect(try scene.listed("desk") == [true, .null])
    #expect(try scene.focus(#""desk""#, true)?["devices"] == ["desk": "on"])
    #expect(scene.news() == [])
    #expect(try scene.focus(#"["desk"]"#, false)?["devices"] == ["desk": "off"])
    #expect(scene.news() == ["desk off"])
    #expect(try scene.listed("desk") == [false, .null])
  }

  @Test func `A device that was never seen can be set, and finds it when it comes`() throws {
    let scene = try Scene()
    let reply = try scene.focus(#"["loft"]"#, true)
    #expect(reply?["devices"] == ["loft": "on"])
    #expect(reply?["unknown"] == ["loft"])
    #expect(scene.news() == ["loft on"])
    #expect(try scene.listed("loft") == [true, .null])
    try scene.bench.status("loft", "online")
    #expect(scene.news() == ["loft on"])
    try scene.bench.status("loft", "offline")
    try scene.bench.status("loft", "online")
    #expect(scene.news() == [])
    // What is not disturbed less needs no row.
    #expect(try scene.focus(#"["attic"]"#, false)?["devices"] == ["attic": "off"])
    #expect(scene.bench.relay.devices.row(try Name("attic")) == nil)
  }

  @Test func `Groups and all are the devices that they are now`() throws {
    let groups: [Name: [Name]] = [try Name("upstairs"): [try Name("bed"), try Name("bath")]]
    let scene = try Scene(groups: groups)
    try scene.bench.status("desk", "online")
    try scene.bench.status("bed", "offline")
    _ = scene.news()
    let reply = try scene.focus(#"["upstairs","bed"]"#, true)
    #expect(reply?["devices"] == ["bed": "on", "bath": "on"])
    #expect(reply?["unknown"] == ["bath"])
    #expect(scene.news() == ["bed on", "bath on"])
    #expect(try scene.focus(#""all""#, true)?["devices"] == ["bed": "on", "desk": "on"])
    #expect(scene.news() == ["desk on"])
    try scene.bench.status("late", "online")
    #expect(scene.news() == ["late off"])
  }

  @Test func `It ends by itself at its time, whoever has set it last`() throws {
    let scene = try Scene(zone: try ZoneDatabase().zone(named: "Europe/Berlin"))
    // 14:00 in Berlin.
    let reply = try scene.focus(#""desk""#, true, #","until":"2027-05-10T15:00""#)
    #expect(reply?["until"] == "2027-05-10T15:00:00.000+02:00")
    _ = try scene.focus(#""bed""#, true, #","until":"2027-05-10T14:30:00Z""#)
    _ = try scene.focus(#""loft""#, true)
    #expect(try scene.listed("desk") == [true, "2027-05-10T15:00:00.000+02:00"])
    _ = scene.news()
    scene.bench.pass(hour - 1)
    try scene.end()
    #expect(scene.news() == [])
    scene.bench.pass(1)
    try scene.end()
    #expect(scene.news() == ["desk off"])
    // Later, and then without an end.
    _ = try scene.focus(#""bed""#, true, #","until":"2027-05-10T18:00:00Z""#)
    _ = scene.news()
    scene.bench.pass(4 * hour)
    try scene.end()
    #expect(scene.news() == [])
    _ = try scene.focus(#""bed""#, true)
    _ = scene.news()
    scene.bench.pass(30 * hour)
    try scene.end()
    #expect(scene.news() == [])
    #expect(try scene.listed("loft") == [true, .null])
  }

  @Test func `A time that has passed is refused, and changes nothing`() throws {
    let scene = try Scene()
    for until in [#""2027-05-10T12:00""#, #""2027-05-10T13:59:59+02:00""#, "0"] {
      let reply = try scene.focus(#""desk""#, true, #","until":\#(until)"#)
      #expect(reply?.code == "past")
      #expect(reply?["error"]?["path"] == "until")
    }
    #expect(scene.news() == [])
  }

  @Test func `It survives a restart, and ends while the relay is away`() throws {
    let scene = try Scene()
    _ = try scene.focus(#"["desk","bed"]"#, true, #","until":"2027-05-10T14:00""#)
    _ = try scene.focus(#""loft""#, true)
    _ = scene.news()
    try scene.bench.restart(after: hour)
    try scene.end()
    #expect(try scene.listed("desk") == [true, "2027-05-10T14:00:00.000+00:00"])
    try scene.bench.restart(after: hour)
    try scene.end()
    #expect(scene.news() == ["desk off", "bed off"])
    #expect(try scene.listed("loft") == [true, .null])
    #expect(scene.bench.relay.devices.nextFocusEnd == nil)
  }

  @Test func `Its end follows the wall clock, however that is set`() throws {
    let scene = try Scene()
    _ = try scene.focus(#""desk""#, true, #","until":"2027-05-10T14:00""#)
    _ = scene.news()
    scene.bench.pass(hour)
    scene.bench.setClock(to: RelayBench.noon - hour)
    scene.bench.pass(2 * hour)
    try scene.end()
    #expect(scene.news() == [])
    scene.bench.setClock(to: RelayBench.noon + 2 * hour)
    try scene.end()
    #expect(scene.news() == ["desk off"])
  }

  @Test(arguments: [true, false])
  func `A device that is forgotten has none`(byCommand: Bool) throws {
    let scene = try Scene()
    try scene.bench.status("desk", "online")
    _ = try scene.focus(#""desk""#, true, #","until":"2027-05-10T14:00""#)
    if byCommand {
      try scene.bench.send(#"{"command":"forget","device":"desk"}"#)
    } else {
      try scene.bench.take([scene.bench.arrival("carillon/device/desk/profile", "", 0)])
    }
    #expect(scene.bench.relay.devices.nextFocusEnd == nil)
    _ = scene.news()
    try scene.bench.status("desk", "online")
    #expect(scene.news() == ["desk off"])
    #expect(try scene.bench.queue.devices().map(\.focus) == [nil])
  }

  @Test func `A repeated command with a key changes nothing`() throws {
    let scene = try Scene()
    let first = try scene.focus(#""desk""#, true, #","key":"k""#)
    _ = try scene.focus(#""desk""#, false)
    _ = scene.news()
    #expect(try scene.focus(#""desk""#, true, #","key":"k""#) == first)
    #expect(scene.news() == [])
    #expect(try scene.listed("desk") == [nil, nil])
  }

  @Test func `In a list, commands are carried out in order`() throws {
    let scene = try Scene()
    try scene.bench.send(
      #"[{"command":"focus","devices":"desk","on":true},{"command":"focus","devices":"desk"},"#
        + #"{"command":"focus","devices":"desk","on":false}]"#)
    #expect(scene.news() == ["desk on", "desk off"])
  }
}
