import CarillonModel
import Testing

@testable import CarillonRelay

/// What Home Assistant hears of, and what it asks for, on the values.
@Suite struct HomeAssistantEventTests {
  private func bench() throws -> (RelayBench, Heard) {
    let bench = try RelayBench()
    let heard = Heard()
    bench.onAction = { action in
      switch action {
      case .event(let response, let name, let id):
        heard.events.append("\(name) \(response.event.rawValue) \(id ?? "-") \(response.action ?? "-")")
      case .profile(let device): heard.profiles.append(device)
      default: break
      }
    }
    return (bench, heard)
  }

  private final class Heard {
    var events: [String] = []
    var profiles: [Int64] = []
  }

  @Test func `Each step is told once, however often the device says it`() throws {
    let (bench, heard) = try bench()
    try bench.status("desk", "online")
    try bench.send(#"{"id":"a","title":"x","to":"desk"}"#)
    for event in ["received", "presented", "presented"] { try bench.respond("desk", event) }
    #expect(heard.events == [])
    try bench.respond("desk", "opened", more: #","by":"arrival""#)
    try bench.respond("desk", "opened", more: #","by":"arrival""#)
    let delivery = try #require(bench.sent.last?.delivery)
    try bench.respond("desk", "acted", to: delivery, more: #","action":"done","id":"lie""#)
    try bench.respond("desk", "acted", to: delivery, more: #","action":"done""#)
    try bench.respond("desk", "dismissed", to: delivery)
    #expect(heard.events == ["desk opened a -", "desk acted a done"])
  }

  @Test func `A response that nobody may give is not told`() throws {
    let (bench, heard) = try bench()
    try bench.status("desk", "online")
    try bench.send(#"{"id":"a","title":"x","to":"desk"}"#)
    try bench.respond("stranger", "acted", to: bench.sent.last?.delivery)
    try bench.respond("desk", "acted", to: "none")
    #expect(heard.events == [])
  }

  @Test func `A device's profile is told when its version is another`() throws {
    let (bench, heard) = try bench()
    for (version, count) in [("1", 1), ("1", 1), ("2", 2)] {
      try bench.take([bench.arrival("carillon/device/d/profile", "{\"version\":\"\(version)\"}", 0)])
      #expect(heard.profiles.count == count)
    }
    #expect(bench.relay.devices.byRow.values.map(\.version) == ["2"])
  }

  @Test func `fire next takes whatever is due first, on either clock, and not what is paused`() throws {
    let (bench, _) = try bench()
    try bench.status("desk", "online")
    #expect(try bench.send(#"{"command":"fire","next":true}"#)?["ids"] == [:])
    try bench.send(#"{"id":"late","title":"x","trigger":{"after":"3h"}}"#)
    try bench.send(#"{"id":"wall","title":"x","trigger":{"at":"2027-05-10T14:00:00Z"}}"#)
    try bench.send(#"{"id":"soon","title":"x","trigger":{"after":"1h"}}"#)
    try bench.send(#"{"command":"pause","ids":["soon"]}"#)
    #expect(try bench.send(#"{"command":"fire","next":true}"#)?["ids"] == ["wall": "fired"])
    #expect(bench.sent.last?.id == "wall")
    try bench.send(#"{"command":"resume","all":true}"#)
    let reply = try bench.send(#"{"command":"fire","next":true}"#)
    #expect(reply?["ids"] == ["soon": "fired"] && reply?["delivery"] != nil)
  }

  @Test(arguments: [
    (#"{"prefix":"carillon/ha"}"#, "homeAssistant.prefix"), (#"{"prefix":"a/+"}"#, "homeAssistant.prefix"),
    (#"{"discovry":true}"#, "homeAssistant.discovry"), (#"{"single":"yes"}"#, "homeAssistant.single"),
  ])
  func `A wrong setting is refused with its key`(settings: String, path: String) throws {
    let json = try JSON(parsing: Array("{\"homeAssistant\":\(settings)}".utf8))
    let refusal = #expect(throws: Refusal.self) { try RelayConfiguration(reading: try Fields(json)) }
    #expect(refusal?.path == path)
  }
}
