import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Testing

/// Do not disturb at a real broker, with relays and brokers that come and go.
@Suite("Focus", .onOwnThreadWithFewOthers)
struct FocusLifeTests {
  private func waitForFocus(_ device: String, _ word: String?, _ house: House) throws {
    try eventually("the focus of \(device) to be \(word ?? "nothing")") {
      try house.retained("carillon/device/\(device)/focus")?.text == word
    }
  }

  /// A time so many seconds from now, as seconds since 1970.
  private func time(in seconds: Int64) -> Int64 { SystemClock.wallMilliseconds / 1000 + seconds }

  @Test(
    "A device that sleeps finds it, retained, also after the relay was killed and the broker has lost everything"
  )
  func kept() throws {
    let house = try House()
    let reply = try house.command(#"{"command":"focus","devices":["desk","loft"],"on":true}"#)
    #expect(reply["devices"] == ["desk": "on", "loft": "on"])
    try waitForFocus("desk", "on", house)
    try house.killRelay()
    try house.broker.restart()
    try house.reconnect()
    #expect(try house.retained("carillon/device/desk/focus") == nil)
    try house.startRelay()
    try waitForFocus("desk", "on", house)
    // And where only the broker was away.
    try house.broker.restart()
    try house.reconnect()
    try house.waitForStatus("relay", "online")
    try waitForFocus("loft", "on", house)
    try house.command(#"{"command":"focus","devices":"loft","on":false}"#)
    try waitForFocus("loft", "off", house)
    try house.command(#"{"command":"forget","device":"desk"}"#)
    try waitForFocus("desk", nil, house)
  }

  @Test("It ends by itself, while the relay runs and while it is away")
  func until() throws {
    let house = try House()
    _ = try house.device("desk")
    try waitForFocus("desk", "off", house)
    try house.command(#"{"command":"focus","devices":"desk","on":true,"until":\#(time(in: 3))}"#)
    try waitForFocus("desk", "on", house)
    try waitForFocus("desk", "off", house)
    let end = time(in: 3)
    try house.command(#"{"command":"focus","devices":["desk","bed"],"on":true,"until":\#(end)}"#)
    try waitForFocus("bed", "on", house)
    try house.killRelay()
    try eventually("its time to be over") { SystemClock.wallMilliseconds / 1000 > end }
    try house.startRelay()
    try waitForFocus("bed", "off", house)
    #expect(try house.retained("carillon/device/desk/focus")?.text == "off")
  }

  @Test("From the command line it is set, listed, and turned off again")
  func commandLine() throws {
    let house = try House()
    _ = try house.device("desk")
    let on = try house.run(["focus", "on", "desk", "loft", "--until", "2036-01-01T07:00"])
    #expect(on.status == .exited(0))
    #expect(
      on.output == ["desk: on until 2036-01-01T07:00:00+01:00", "loft: on until 2036-01-01T07:00:00+01:00"])
    #expect(on.errors == ["carillon focus: nothing by the name of loft has announced itself yet"])
    #expect(try house.run(["devices"]).text.contains("until 2036-01-01T07:00:00+01:00"))
    let item = try house.run(["devices", "--json", "--device", "desk"]).json.first
    #expect(item?["focus"] == true)
    let off = try house.run(["focus", "off", "all", "--json"])
    #expect(try off.json.map { $0["devices"] } == [["desk": "off"]])
    try waitForFocus("desk", "off", house)
    let past = try house.run(["focus", "on", "desk", "--until", "2020-01-01T07:00"])
    #expect(past.status == .exited(65))
    #expect(past.errors.first?.hasPrefix("carillon focus: past at until: ") == true)
    #expect(past.errors.contains { $0.contains("--until 2020-01-01T07:00") })
    #expect(try house.run(["focus", "off", "desk", "--until", "2036-01-01T07:00"]).status == .exited(65))
    #expect(try house.run(["focus", "on", "a/b"]).status == .exited(65))
  }
}
