import CarillonModel
import CarillonTestSupport
import Testing

@Suite("Nags and snoozes", .onOwnThreadWithFewOthers)
struct NagLifeTests {
  /// The notifications of a request that a device played by the test has got, each delivery once, in order.
  private func firings(_ device: TestClient, listening time: Duration = .zero) throws -> [JSON] {
    try device.listen(for: time)
    var seen: Set<String> = []
    return try device.messages.map { try $0.json }.filter { message in
      message["kind"] == "notification" && seen.insert(message["delivery"]?.text ?? "").inserted
    }
  }

  private func waitForFirings(_ device: TestClient, _ count: Int) throws -> [JSON] {
    try eventually("\(count) firings", within: .seconds(30)) {
      try firings(device, listening: .milliseconds(20)).count >= count
    }
    return try firings(device)
  }

  private func killAndRestart(_ house: House, meanwhile: () throws -> Void = {}) throws {
    try house.killRelay()
    try house.waitForStatus("relay", "offline")
    try meanwhile()
    try house.startRelay()
  }

  private func milliseconds(_ time: JSON?) throws -> Int64 {
    guard case .instant(let instant) = try WrittenTime(parsing: time?.text ?? "") else {
      throw TestFailure("no time: \(String(describing: time))")
    }
    return instant.milliseconds
  }

  @Test("A nag comes with its number, is handed on, and ends everywhere with an answer")
  func series() throws {
    let house = try House()
    let desk = try house.companion()
    let bed = try house.device("bed")
    try house.command(
      #"{"id":"n","title":"x","to":"desk","nag":{"every":1,"times":1,"then":"bed"},"expires":"1h"}"#)
    let printed = try [1, 2].map { try desk.event("notification", "n", number: $0) }
    #expect(printed[0]["nag"] == nil)
    #expect(printed[1]["nag"] == ["n": 1, "of": 1])
    #expect(printed[0]["expires"] == printed[1]["expires"])
    let rung = try waitForFirings(bed, 2)
    #expect(rung.map { $0["nag"] } == [nil, ["n": 1, "of": 1]])
    let dues = try (printed + rung).map { try milliseconds($0["due"]) }
    // A wall time is the elapsed one and the difference of the clocks, which wavers by a millisecond.
    #expect(zip(dues, dues.dropFirst()).allSatisfy { abs($1 - $0 - 1000) <= 2 }, "\(dues)")
    try house.respond("bed", rung[0]["delivery"]?.text ?? "", "acted", #","action":"x""#)
    for number in [1, 2] { try desk.event("withdrawn", "n", number: number) }
    #expect(try house.command(#"{"command":"cancel","ids":["n"]}"#)["ids"] == ["n": "fired"])
  }

  @Test("Killed in the middle of a nag, the relay goes on where it was")
  func killed() throws {
    let house = try House()
    let device = try house.device("wall")
    try house.command(#"{"id":"n","title":"x","to":"wall","nag":{"every":2,"times":4}}"#)
    _ = try waitForFirings(device, 2)
    try killAndRestart(house)
    try eventually("the last one", within: .seconds(30)) {
      try firings(device, listening: .milliseconds(20)).last?["nag"]?["n"] == 4
    }
    let found = try firings(device, listening: .milliseconds(2500))
    let numbers = found.map { $0["nag"]?["n"]?.whole ?? 0 }
    #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count)
    #expect(numbers.prefix(2) == [0, 1] && numbers.last == 4)
    let start = try milliseconds(found[0]["due"])
    for (number, firing) in zip(numbers, found) {
      #expect(abs(try milliseconds(firing["due"]) - start - number * 2000) <= 2)
    }
  }

  @Test("An answer that came while the relay was off ends the nag before it fires again")
  func answeredMeanwhile() throws {
    let house = try House()
    let device = try house.device("wall")
    try house.command(#"{"id":"n","title":"x","to":"wall","nag":{"every":1,"times":100}}"#)
    let first = try waitForFirings(device, 1)[0]
    try killAndRestart(house) {
      try house.respond("wall", first["delivery"]?.text ?? "", "dismissed")
      // Several more have fallen due by then.
      try device.listen(for: .milliseconds(2500))
    }
    let count = try firings(device).count
    #expect(try firings(device, listening: .milliseconds(2500)).count == count)
    try eventually("nothing to be next") { try house.retained("carillon/relay/state")?.json["next"] == .null }
  }

  @Test("A snooze survives a kill, and brings the notification back once")
  func snooze() throws {
    let house = try House()
    let device = try house.device("wall")
    let desk = try house.companion()
    try house.command(
      #"""
      {"id":"s","title":"x","to":["wall","desk"],"nag":{"every":"1h","times":3},
       "actions":[{"id":"later","title":"In 3 s","snooze":3}]}
      """#)
    let first = try waitForFirings(device, 1)[0]
    try desk.event("notification", "s")
    let delivery = try #require(first["delivery"]?.text)
    let answer = #","action":"later""#
    try house.respond("wall", delivery, "acted", answer)
    try desk.event("withdrawn", "s")
    try house.respond("desk", delivery, "acted", answer)
    try killAndRestart(house) { try house.respond("wall", delivery, "acted", answer) }
    let second = try waitForFirings(device, 2)[1]
    #expect(second["delivery"] != first["delivery"] && second["title"] == "x")
    try desk.event("notification", "s", number: 2)
    #expect(try firings(device, listening: .milliseconds(3500)).count == 2)
    // It is no part of the series, which the answer has ended.
    try eventually("nothing to be next") { try house.retained("carillon/relay/state")?.json["next"] == .null }
  }

  @Test("The next repetition or snooze is the state's next")
  func next() throws {
    let house = try House()
    try house.command(#"{"id":"n","title":"x","to":"wall","nag":{"every":"1h","times":1}}"#)
    try eventually("the state") {
      guard let next = try house.retained("carillon/relay/state")?.json["next"], next != .null else {
        return false
      }
      let due = try milliseconds(try house.delivered("n").first?["due"])
      return abs(try milliseconds(next) - due - 3_600_000) <= 2
    }
    #expect(try house.pending() == [], "nothing of its schedule is to come")
    try house.command(#"{"command":"pause","ids":["n"]}"#)
    try eventually("nothing to be next") { try house.retained("carillon/relay/state")?.json["next"] == .null }
  }
}
