import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// What happens at nearly the same time, on the real processes: orders and moments are drawn from a seed, which is printed;
/// `CARILLON_SEED` gives another one. A dozen rounds by default; `CARILLON_ROUNDS` multiplies them.
@Suite(.onOwnThreadWithFewOthers)
struct InterleavingSamples {
  private static let factor = max(number("CARILLON_ROUNDS") ?? 1, 1)
  private static let seed = number("CARILLON_SEED") ?? 1

  private static func number(_ name: String) -> Int? { getenv(name).flatMap { Int(String(cString: $0)) } }

  /// Runs rounds, each with numbers of its own, and tells the seed where one fails.
  private func rounds(_ count: Int, _ body: (String, inout SplitMix) throws -> Void) throws {
    var generator = SplitMix(seed: UInt64(Self.seed))
    print("seed \(Self.seed)")
    for round in 1...count * Self.factor {
      do {
        try body("r\(round)", &generator)
      } catch {
        throw TestFailure("round \(round), CARILLON_SEED=\(Self.seed): \(error)")
      }
    }
  }

  private func expect(_ condition: Bool, _ what: String) throws {
    if !condition { throw TestFailure(what) }
  }

  /// Lets a number of milliseconds pass.
  private func rest(_ milliseconds: Int64) { usleep(UInt32(max(milliseconds, 0)) * 1000) }

  // MARK: Cancelled in the last second

  @Test func `Cancelled or replaced in its last second, a request is that or has gone out, also over a kill`()
    throws
  {
    let house = try House()
    let companions = try ["desk", "hall"].map { try house.companion($0) }
    try rounds(3) { round, generator in
      let ids = (0..<8).map { "\(round)-\($0)" }
      let start = SystemClock.elapsedMilliseconds
      for id in ids {
        try house.command(#"{"id":"\#(id)","title":"old","to":["desk","hall"],"trigger":{"after":1.2}}"#)
      }
      let moments = ids.map { _ in Int64.random(in: 200...1250, using: &generator) }.sorted()
      let kill = Bool.random(using: &generator) ? Int.random(in: 0..<ids.count, using: &generator) : nil
      var gone: [String: Bool] = [:]
      for (index, id) in ids.enumerated() {
        rest(start + moments[index] - SystemClock.elapsedMilliseconds)
        if index == kill {
          try house.killRelay()
          try house.startRelay()
        }
        if index.isMultiple(of: 2) {
          let reply = try house.command(#"{"command":"cancel","ids":["\#(id)"]}"#)
          gone[id] = reply["ids"]?[id] == "fired"
        } else {
          let reply = try house.command(#"{"id":"\#(id)","title":"new","to":["desk","hall"]}"#)
          gone[id] = reply["was"] == "finished"
        }
      }
      try house.command(#"{"id":"\#(round)-end","title":"end","to":["desk","hall"],"trigger":{"after":1.3}}"#)
      for companion in companions {
        try companion.event("notification", "\(round)-end")
        for (index, id) in ids.enumerated() {
          let titles = try companion.events("notification", id).compactMap { $0["title"]?.text }
          let expected = (gone[id] == true ? ["old"] : []) + (index.isMultiple(of: 2) ? [] : ["new"])
          try expect(titles == expected, "\(id): \(titles), not \(expected)")
        }
      }
    }
  }

  // MARK: Answers

  /// Fires a notification to all devices, and returns its delivery once those that are given have it.
  private func fire(_ id: String, _ house: House, _ companions: [Program]) throws -> String {
    let reply = try house.command(#"{"id":"\#(id)","title":"t"}"#)
    for companion in companions { try companion.event("notification", id) }
    return try #require(reply["delivery"]?.text)
  }

  /// Answers for a device.
  private func answer(_ device: String, _ delivery: String, _ house: House) throws {
    try house.respond(device, delivery, "dismissed")
  }

  @Test
  func
    `Of two devices that answer at once, or while the relay is down, the first counts and the other is cleared`()
    throws
  {
    let house = try House()
    let companions = try ["desk", "hall"].map { try house.companion($0) }
    // Is told who answered.
    let wall = try house.device("wall")
    try rounds(3) { round, generator in
      let delivery = try fire(round, house, companions)
      try house.waitForState(round, "presented", at: "desk")
      try house.waitForState(round, "presented", at: "hall")
      let isDown = Bool.random(using: &generator)
      if isDown { try house.killRelay() }
      let order = Bool.random(using: &generator) ? ["desk", "hall"] : ["hall", "desk"]
      let isBoth = Bool.random(using: &generator)
      // A relay that has read the first clears the other before it has read the second, where that comes late; then the
      // other's companion says so first.
      let other = companions[order[1] == "desk" ? 0 : 1]
      if isBoth { other.signal(SIGSTOP) }
      for device in isBoth ? order : [order[0]] { try answer(device, delivery, house) }
      if isDown { try house.startRelay() }
      try house.waitForState(round, "dismissed", at: order[0])
      try house.waitForState(round, isBoth ? "dismissed" : "withdrawn", at: order[1])
      if isBoth { other.signal(SIGCONT) }
      let told = try wall.waitForMessage {
        let message = try? $0.json
        return message?["kind"] == "withdrawal" && message?["delivery"]?.text == delivery
      }
      try expect(try told.json["by"]?.text == order[0], "another counts: \(told.text)")
      // A device whose own answer the relay has read needs not be told any more.
      if !isBoth { try other.event("withdrawn", round) }
      let first = companions[order[0] == "desk" ? 0 : 1]
      try expect(try first.events("withdrawn", round).isEmpty, "\(order[0]) answered first and is cleared")
    }
  }

  @Test func `A device that hung, or died, while another answered does not show it when it is back`() throws {
    let house = try House()
    let desk = try house.companion("desk")
    var hall = try house.companion("hall")
    try rounds(3) { round, generator in
      let isAfter = Bool.random(using: &generator)
      let dies = Bool.random(using: &generator)
      if !isAfter { hall.signal(SIGSTOP) }
      let delivery = try fire(round, house, isAfter ? [desk, hall] : [desk])
      if isAfter { hall.signal(SIGSTOP) }
      try answer("desk", delivery, house)
      try house.waitForState(round, "dismissed", at: "desk")
      if Bool.random(using: &generator) {
        try house.killRelay()
        try house.startRelay()
      }
      if dies {
        hall.kill()
        try hall.waitForExit()
        try house.waitForStatus("device/hall", "offline")
        hall = try house.companion("hall", home: hall.home)
      } else {
        hall.signal(SIGCONT)
      }
      try house.waitForState(round, "withdrawn", at: "hall")
      try house.command(#"{"id":"\#(round)-end","title":"end","to":"hall"}"#)
      try hall.event("notification", "\(round)-end")
      let shown = try hall.events("notification", round).count
      let cleared = try hall.events("withdrawn", round).count
      try expect(shown <= 1, "it is shown \(shown) times")
      try expect(shown <= cleared, "it is shown and not cleared")
    }
  }

  // MARK: The store

  /// Another process takes the store's lock for a while.
  private func lock(_ house: House, for milliseconds: Int64) throws -> Program {
    let script = """
      import sqlite3, sys, time
      db = sqlite3.connect(sys.argv[1], timeout=10, isolation_level=None)
      db.execute("BEGIN IMMEDIATE")
      print("locked", flush=True)
      time.sleep(float(sys.argv[2]))
      print("free", flush=True)
      db.execute("ROLLBACK")
      """
    let program = try Program(
      ["python3", "-c", script, house.store, "\(Double(milliseconds) / 1000)"],
      environment: ["PATH": "/usr/bin:/bin"], executable: "/usr/bin/env")
    try program.wait(for: "the lock") { $0 == "locked" }
    return program
  }

  @Test func `What falls due while the store is locked and commands wait comes after them, once`() throws {
    let house = try House()
    let desk = try house.companion("desk")
    try rounds(2) { round, generator in
      let start = SystemClock.elapsedMilliseconds
      let due = Int64.random(in: 1100...1500, using: &generator)
      try house.command(
        #"{"id":"\#(round)-due","title":"t","to":"desk","trigger":{"after":\#(Double(due) / 1000)}}"#)
      // Prepared or not.
      rest(start + Int64.random(in: 0...600, using: &generator) - SystemClock.elapsedMilliseconds)
      let lock = try lock(house, for: Int64.random(in: 1500...2000, using: &generator))
      let isHeldInTime = SystemClock.elapsedMilliseconds < start + due - 300
      let commands = (0..<3).map { number in
        Array(#"{"id":"\#(round)-\#(number)","title":"t","to":"desk"}"#.utf8)
      }
      for command in commands { try house.client.publish("carillon/command", command) }
      while !lock.lines().contains("free") {
        let isOut = try !desk.events("notification", "\(round)-due").isEmpty
        if isOut, !lock.lines().contains("free"), isHeldInTime {
          throw TestFailure("it goes out while a batch is held")
        }
        usleep(2000)
      }
      for id in ["due", "0", "1", "2"] {
        try desk.event("notification", "\(round)-\(id)")
      }
      try house.command(#"{"id":"\#(round)-end","title":"end","to":"desk"}"#)
      try desk.event("notification", "\(round)-end")
      for id in ["due", "0", "1", "2"] {
        let count = try desk.events("notification", "\(round)-\(id)").count
        try expect(count == 1, "\(round)-\(id) came \(count) times")
      }
      try lock.waitForExit()
    }
  }

  // MARK: The clock

  @Test(ShownClock.isPossible)
  func `A clock that is set in the second in which something is due fires it once`() throws {
    try rounds(1) { round, generator in
      let house = try ClockStepTests.House(at: "2027-05-10T11:59:56Z")
      try house.send("daily", #"{"cron":"0 12 * * *"}"#)
      rest(Int64.random(in: 2000...4000, using: &generator))
      let seconds = Int.random(in: 56...62, using: &generator)
      let kills = Bool.random(using: &generator)
      if kills { try house.killRelay() }
      try house.setClock(
        to: seconds < 60 ? "2027-05-10T11:59:\(seconds)Z" : "2027-05-10T12:00:0\(seconds - 60)Z")
      if kills { try house.startRelay() }
      // Elapsed time knows nothing of the step; by then the clock has passed noon once more.
      try house.send("end", #"{"after":\#(max(62 - seconds, 1))}"#)
      try eventually("the end", within: .seconds(30)) { try house.firings("end").count == 1 }
      let firings = try house.firings("daily")
      try expect(
        Set(firings) == ["2027-05-10T12:00:00.000+00:00"] && (kills || firings.count == 1),
        "to second \(seconds), killed: \(kills): \(firings)")
    }
  }
}
