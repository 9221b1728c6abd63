import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// The real relay under a wall clock that the test sets (libfaketime); the boot clock goes on as it is.
@Suite(.onOwnThread, ShownClock.isPossible)
struct ClockStepTests {
  /// A relay whose wall clock is as far from the machine's as a file says.
  final class House {
    let broker: Broker
    let directory: TemporaryDirectory
    let publisher: TestClient
    let onlooker: TestClient
    var relay: Program?
    private var seen: [JSONObject] = []

    init(at start: String) throws {
      broker = try Broker()
      directory = try TemporaryDirectory()
      publisher = try TestClient(port: broker.port)
      onlooker = try TestClient(port: broker.port)
      try onlooker.subscribe("carillon/#")
      try setClock(to: start)
      try startRelay()
    }

    func startRelay() throws {
      let library = try ShownClock.library()
      let program = try Program(
        [
          "relay", "--broker", broker.url, "--store", "sqlite:\(directory.file("relay.db"))", "--timezone",
          "UTC",
        ],
        environment: [
          "LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": directory.file("clock"), "FAKETIME_NO_CACHE": "1",
          "DONT_FAKE_MONOTONIC": "1",
        ])
      relay = program
      // It says so once its subscription stands.
      try eventually("the relay") {
        try read()
        return isOnline
      }
    }

    func stopRelay() throws {
      relay?.terminate()
      try relay?.waitForExit()
      try eventually("the relay's end") {
        try read()
        return !isOnline
      }
    }

    func killRelay() throws {
      relay?.kill()
      try relay?.waitForExit()
      try eventually("the relay's end") {
        try read()
        return !isOnline
      }
    }

    func setClock(to text: String) throws {
      guard case .instant(let time) = try WrittenTime(parsing: text) else { throw TestFailure(text) }
      var now = timespec()
      clock_gettime(CLOCK_REALTIME, &now)
      let offset = time.seconds - Int64(now.tv_sec)
      try directory.write("clock.new", offset < 0 ? "\(offset)" : "+\(offset)")
      // In one piece: the relay reads it at any moment.
      rename(directory.file("clock.new"), directory.file("clock"))
    }

    func send(_ id: String, _ trigger: String) throws {
      try publisher.publish(
        "carillon/command", Array(#"{"id":"\#(id)","title":"t","to":"d","trigger":\#(trigger)}"#.utf8),
        responseTopic: "carillon/reply/\(id)")
      try eventually("the reply") {
        try read()
        return replies.contains { $0["id"]?.text == id }
      }
    }

    private var replies: [JSONObject] = []
    private var isOnline = false

    private func read() throws {
      try onlooker.listen(for: .milliseconds(5))
      for message in onlooker.takeMessages() {
        if message.topic == "carillon/relay/status" { isOnline = message.text == "online" }
        guard case .object(let object)? = try? JSON(parsing: message.payload) else { continue }
        if message.topic.hasSuffix("/notification") { seen.append(object) }
        if message.topic.hasPrefix("carillon/reply/") { replies.append(object) }
      }
    }

    /// The firings of a request so far: due time, and whether it was late.
    func firings(_ id: String) throws -> [String] {
      try read()
      return seen.filter { $0["id"]?.text == id }.map { firing in
        let late = firing["late"] == .bool(true) ? " late" : ""
        return (firing["due"]?.text ?? "-") + late
      }
    }

    func wait(for id: String, _ firings: [String]) throws {
      try eventually("\(id): \(firings)", within: .seconds(20)) { try self.firings(id) == firings }
    }
  }

  @Test func `What the wall clock passes fires at once, and never twice`() throws {
    let house = try House(at: "2027-05-10T11:59:57Z")
    try house.send("daily", #"{"cron":"0 12 * * *"}"#)
    try house.send("elapsed", #"{"every":"1h"}"#)
    let first = "2027-05-10T12:00:00.000+00:00"
    try house.wait(for: "daily", [first])
    // Forward over a week, to shortly before an occurrence.
    try house.setClock(to: "2027-05-17T11:59:57Z")
    let newest = "2027-05-16T12:00:00.000+00:00 late"
    let next = "2027-05-17T12:00:00.000+00:00"
    try house.wait(for: "daily", [first, newest, next])
    // Back by a minute and a half, where the relay goes on with its work.
    try house.setClock(to: "2027-05-17T11:58:30Z")
    try house.send("mark", #"{"at":"2027-05-17T11:58:33Z"}"#)
    try house.wait(for: "mark", ["2027-05-17T11:58:33.000+00:00"])
    // The same occurrence comes by again.
    try house.setClock(to: "2027-05-17T11:59:58Z")
    try house.send("after", #"{"after":"5s"}"#)
    try eventually("what comes after it") { try house.firings("after").count == 1 }
    #expect(try house.firings("daily") == [first, newest, next])
    #expect(try house.firings("elapsed").isEmpty, "elapsed time has not jumped")
  }

  @Test func `A clock set back brings nearer what comes next`() throws {
    let house = try House(at: "2027-05-10T12:00:05Z")
    try house.send("daily", #"{"calendar":{"hour":12},"repeats":true}"#)
    try house.setClock(to: "2027-05-10T11:59:57Z")
    try house.wait(for: "daily", ["2027-05-10T12:00:00.000+00:00"])
  }

  @Test func `A step back is not forgotten by a relay that is stopped at once`() throws {
    let house = try House(at: "2027-05-10T12:00:05Z")
    try house.send("daily", #"{"cron":"0 12 * * *"}"#)
    try house.setClock(to: "2027-05-10T11:59:50Z")
    try house.stopRelay()
    try house.setClock(to: "2027-05-10T11:59:56Z")
    try house.startRelay()
    try house.wait(for: "daily", ["2027-05-10T12:00:00.000+00:00"])
  }

  @Test func `A relay that starts under a clock set back finds its due times anew`() throws {
    let house = try House(at: "2027-05-10T12:00:05Z")
    try house.send("daily", #"{"cron":"0 12 * * *"}"#)
    try house.stopRelay()
    try house.setClock(to: "2027-05-10T11:59:56Z")
    try house.startRelay()
    try house.wait(for: "daily", ["2027-05-10T12:00:00.000+00:00"])
  }
}
