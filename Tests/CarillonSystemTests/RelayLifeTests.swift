import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@Suite("The relay's life", .onOwnThreadWithFewOthers)
struct RelayLifeTests {
  // MARK: Start

  @Test("It is ready without a broker, says that it waits, and connects when the broker comes")
  func beforeTheBroker() throws {
    let house = try House(start: false)
    house.broker.stop()
    let folder = try TemporaryDirectory()
    let manager = try ServiceManager(in: folder)
    let relay = try Program(
      ["relay", "--broker", house.broker.url, "--store", "sqlite:\(house.store)"],
      environment: ["NOTIFY_SOCKET": manager.path])
    try manager.wait(for: "READY=1")
    try relay.wait(for: "a line about the broker", within: .seconds(20), on: .errors) {
      $0.contains("cannot be reached")
    }
    try house.broker.start()
    try house.waitForStatus("relay", "online")
    try manager.wait(for: "STATUS=connected")
    try relay.stop()
    try manager.wait(for: "STOPPING=1")
    #expect(try house.retained("carillon/relay/status")?.text == "offline")
  }

  @Test(
    "A second relay on the same store ends at once with 75 and names the first; after a kill the lock is free"
  )
  func second() throws {
    let house = try House()
    let arguments = ["relay", "--broker", house.broker.url, "--store", "sqlite:\(house.store)"]
    let second = try Run(arguments, within: .seconds(10))
    #expect(second.status == .exited(75))
    #expect(second.errors.count == 1)
    #expect(second.text.contains("\(try #require(house.relay).pid)"), "\(second.text)")
    try house.killRelay()
    try house.waitForStatus("relay", "offline")
    try house.startRelay()
    try house.command(#"{"command":"pending"}"#)
  }

  @Test("Its client id is made of the prefix and the store's id, and stays the same")
  func clientID() throws {
    let house = try House(relay: ["--prefix", "bells"], start: false)
    try house.client.subscribe("bells/#")
    for _ in 0..<2 {
      try house.startRelay(isReady: false)
      try house.client.waitForMessage { $0.topic == "bells/relay/status" && $0.text == "online" }
      try house.stopRelay()
    }
    let ids = house.broker.log.split(separator: "\n").compactMap { line in
      line.split(separator: " ").first { $0.hasPrefix("bells-relay-") }.map(String.init)
    }
    let id = try #require(ids.first)
    #expect(id.utf8.count == "bells-relay-".utf8.count + 8)
    #expect(Set(ids.map { $0.filter { $0 != "." } }).count == 1, "\(ids)")
  }

  @Test("The retained state has all its keys")
  func state() throws {
    let house = try House()
    try house.command(#"{"id":"a","title":"x","to":"desk","trigger":{"after":"1h"}}"#)
    try eventually("the state") { try house.retained("carillon/relay/state")?.json["pending"] == 1 }
    let state = try #require(try house.retained("carillon/relay/state")).json
    #expect(
      Set(state.names) == [
        "pending", "next", "fired", "failed", "oldestUnreceived", "store", "uptime", "version", "instance",
        "warnings",
      ])
    #expect(state["store"] == "ok" && state["fired"] == 0 && state["next"]?.text != nil)
  }

  // MARK: Status

  @Test("The retained status is right after every kind of start and end")
  func status() throws {
    let house = try House(relay: ["--keep-alive", "5s"], start: false)
    let forwarder = try Forwarder(to: house.broker.port)
    try house.client.subscribe("carillon/relay/status")
    try house.startRelay(url: forwarder.url)
    try house.killRelay()
    try house.waitForStatus("relay", "offline")
    try house.startRelay(url: forwarder.url)
    try house.stopRelay()
    #expect(try house.retained("carillon/relay/status")?.text == "offline")
    try house.startRelay(url: forwarder.url)
    // Packets are lost: the broker notices within one and a half times the keep-alive.
    forwarder.freeze()
    try house.waitForStatus("relay", "offline", within: .seconds(15))
    forwarder.cut()
    forwarder.pass()
    try house.waitForStatus("relay", "online", within: .seconds(40))
    try house.client.listen(for: .milliseconds(300))
    #expect(try house.retained("carillon/relay/status")?.text == "online")
    let seen = house.client.messages.filter { $0.topic == "carillon/relay/status" }.map(\.text)
    var changes: [String] = []
    for text in seen where text != changes.last { changes.append(text) }
    #expect(changes == ["online", "offline", "online", "offline", "online", "offline", "online"], "\(seen)")
    #expect(house.client.messages.allSatisfy { $0.qos == 1 && $0.isRetained })
  }

  @Test("It and the companion say online again when somebody says offline for them")
  func corrected() throws {
    let house = try House()
    let companion = try house.companion()
    for who in ["relay", "device/desk"] {
      try house.client.publish("carillon/\(who)/status", "offline", retain: true)
      try house.waitForStatus(who, "online")
    }
    try companion.stop()
    #expect(try house.retained("carillon/device/desk/status")?.text == "offline")
  }

  // MARK: Stop

  /// Five seconds are promised; the rest is for a machine that is busy with other things. One that waits for its broker
  /// takes ten and more.
  private let stopLimit: Duration = .seconds(8)

  /// Where a relay may be when it is told to stop.
  enum Place: String, CaseIterable, CustomTestStringConvertible {
    case absent, refusing, silent, blackHole, unresolved, frozen
    var testDescription: String { rawValue }
  }

  @Test("It stops within five seconds wherever it is with the broker", arguments: Place.allCases)
  func stops(_ place: Place) throws {
    let house = try House(start: false)
    let forwarder = try Forwarder(to: house.broker.port)
    let hole = try Blackhole()
    let url: String
    switch place {
    case .absent: url = "mqtt://127.0.0.1:\(try Loopback.freePort())"
    case .refusing:
      forwarder.set(.closing)
      url = forwarder.url
    case .silent:
      forwarder.set(.silent)
      url = forwarder.url
    case .blackHole: url = hole.url
    case .unresolved: url = "mqtt://nowhere.invalid"
    case .frozen: url = forwarder.url
    }
    let relay = try house.startRelay(url: url, isReady: place == .frozen)
    try relay.wait(for: "the start", on: .errors) { $0.contains("relay on store") }
    if place == .frozen {
      try house.command(#"{"id":"a","title":"x","to":"desk","trigger":{"after":"1h"}}"#)
      forwarder.freeze()
    } else {
      try house.client.listen(for: .seconds(1))
    }
    relay.terminate()
    #expect(try relay.waitForExit(within: stopLimit) == .exited(0))
  }

  @Test("Told twice it stops at once")
  func twice() throws {
    let house = try House(start: false)
    let forwarder = try Forwarder(to: house.broker.port)
    let relay = try house.startRelay(url: forwarder.url)
    forwarder.freeze()
    relay.terminate()
    try relay.wait(for: "stopping", on: .errors) { $0.contains("stopping") }
    relay.terminate()
    #expect(try relay.waitForExit(within: stopLimit) == .exited(0))
  }

  @Test("Stopped with firings in flight it loses none, and none comes twice", arguments: [SIGTERM, SIGINT])
  func inFlight(signal: Int32) throws {
    let house = try House()
    let companion = try house.companion()
    let list = (0..<100).map { #"{"id":"f\#($0)","title":"x","trigger":{"after":1}}"# }.joined(separator: ",")
    try house.ask("[\(list)]")
    try companion.event("notification", "f0")
    house.relay?.signal(signal)
    #expect(try house.relay?.waitForExit(within: stopLimit) == .exited(0))
    try house.startRelay()
    try eventually("all of them", within: .seconds(20)) { try companion.events("notification").count >= 100 }
    try house.command(#"{"id":"end","title":"x"}"#)
    try companion.event("notification", "end")
    let ids = try companion.events("notification").compactMap { $0["id"]?.text }
    #expect(ids == (0..<100).map { "f\($0)" } + ["end"])
  }

  @Test("Stopped while it looks up its broker's name it ends in order")
  func lookUp() throws {
    let folder = try TemporaryDirectory()
    // The moment in which the look-up has ended and the signal is not read yet is met now and then.
    for round in 0..<40 {
      let relay = try Program(
        [
          "relay", "--broker", "mqtt://localhost:\(try Loopback.freePort())", "--store",
          "sqlite:\(folder.file("r.db"))",
        ])
      try relay.wait(for: "its start", on: .errors) { $0.contains("relay on store") }
      usleep(UInt32(round * 100))
      relay.terminate()
      #expect(try relay.waitForExit() == .exited(0), "round \(round)")
    }
  }

  // MARK: Login

  @Test("A wrong password is told once, without the secret; corrected, it connects by itself")
  func login() throws {
    let folder = try TemporaryDirectory()
    let passwords = try folder.write("passwords", "")
    func set(_ password: String) throws {
      let tool = try Program(
        ["-b", passwords, "carillon", password], executable: "/usr/bin/mosquitto_passwd")
      try tool.waitForExit()
    }
    try set("right")
    chmod(passwords, 0o644)
    let broker = try Broker(configuration: "allow_anonymous false\npassword_file \(passwords)")
    let file = try folder.write("password", "wrong-hunter2\n")
    let config = try folder.write(
      "relay.json5", #"{ broker: "\#(broker.url)", username: "carillon", passwordFile: "\#(file)" }"#)
    let relay = try Program(["relay", "--config", config, "--store", "sqlite:\(folder.file("r.db"))"])
    try relay.wait(for: "the refusal", on: .errors) { $0.contains("refused") }
    // More attempts, the same line.
    try eventually("a second attempt", within: .seconds(20)) {
      broker.log.components(of: "not authorised").count > 2
    }
    #expect(relay.lines(.errors).filter { $0.contains("refused") }.count == 1)
    try folder.write("password", "right\n")
    try relay.wait(for: "the connection", within: .seconds(60), on: .errors) { $0.contains("connected to") }
    #expect(!relay.lines(.errors).contains { $0.contains("hunter2") || $0.contains("right") })
    try relay.stop()

    // The command line says in one line what is missing.
    let run = try Run(["pending", "--broker", broker.url])
    #expect(run.status == .exited(69), "\(run.text)")
    #expect(run.errors.count == 1 && run.text.contains("passwordFile"), "\(run.text)")
    let good = try Run(
      [
        "devices", "--broker", broker.url.replacing("//", with: "//carillon@"), "--password-file", file,
        "--wait", "1s",
      ])
    #expect(good.status == .exited(69) && !good.text.contains("refused"), "\(good.text)")
  }

  // MARK: The broker comes and goes

  @Test("After a broker's restart everything is announced and retained again, and works")
  func brokerRestart() throws {
    let house = try House()
    let companion = try house.companion()
    try house.command(#"{"id":"a","title":"x"}"#)
    try companion.event("notification", "a")
    try house.broker.restart()
    try eventually("everybody to be back", within: .seconds(30)) {
      let onlooker = try TestClient(port: house.broker.port)
      try onlooker.subscribe("carillon/#")
      try onlooker.listen(for: .milliseconds(100))
      let topics = Set(onlooker.messages.filter(\.isRetained).map(\.topic))
      return topics.isSuperset(of: [
        "carillon/relay/status", "carillon/relay/state", "carillon/device/desk/status",
        "carillon/device/desk/profile",
        "carillon/device/desk/latest",
      ])
    }
    let again = try TestClient(port: house.broker.port)
    try again.publish("carillon/command", #"{"id":"b","title":"x"}"#)
    try companion.event("notification", "b")
    #expect(try companion.events("notification").count == 2)
  }

  @Test("Fifty that fall due while the broker is away all arrive after it, in due order, none twice")
  func dueWhileAway() throws {
    let house = try House(configuration: "max_inflight_messages 5")
    let companion = try house.companion()
    let list = (0..<50).map {
      #"{"id":"d\#($0)","title":"x","trigger":{"after":\#(1.0 + Double($0) / 100)}}"#
    }
    try house.ask("[\(list.joined(separator: ","))]")
    house.broker.stop()
    let start = SystemClock.elapsedMilliseconds
    try eventually("all of them to be due") { SystemClock.elapsedMilliseconds - start > 1800 }
    try house.broker.start()
    try house.waitForStatus("relay", "online", within: .seconds(40))
    try eventually("all of them", within: .seconds(40)) { try companion.events("notification").count >= 50 }
    #expect(try companion.events("notification").compactMap { $0["id"]?.text } == (0..<50).map { "d\($0)" })
  }

  @Test("Commands sent while the relay is off are taken when it is back, unless their own time is over")
  func commandsMeanwhile() throws {
    let house = try House()
    let device = try house.device("desk")
    try house.stopRelay()
    for number in 0..<5 {
      try house.client.publish("carillon/command", #"{"id":"c\#(number)","title":"x","to":"desk"}"#)
    }
    try house.client.publish("carillon/command", #"{"id":"gone","title":"x","to":"desk"}"#, expiry: 1)
    try house.client.listen(for: .seconds(2))
    try house.startRelay()
    let ids = try (0..<5).map { _ in try device.waitForMessage().json["id"]?.text }
    #expect(ids == (0..<5).map { "c\($0)" })
    try house.command(#"{"id":"end","title":"x","to":"desk"}"#)
    #expect(
      try device.waitForMessage { (try? $0.json["kind"]) == "notification" && !$0.text.contains(#""id":"c"#) }
        .json["id"] == "end")
  }

  @Test("What falls due while the relay is off fires when it is back, unless a cancel came in between")
  func dueWhileOff() throws {
    let house = try House()
    let device = try house.device("desk")
    try house.command(#"{"id":"kept","title":"x","to":"desk","trigger":{"after":1.5}}"#)
    try house.command(#"{"id":"cancelled","title":"x","to":"desk","trigger":{"after":1.5}}"#)
    try house.killRelay()
    try house.client.publish("carillon/command", #"{"command":"cancel","ids":["cancelled"]}"#)
    try device.listen(for: .milliseconds(1600))
    try house.startRelay()
    let message = try device.waitForMessage().json
    #expect(message["id"] == "kept" && message["late"] == false)
    try house.command(#"{"id":"end","title":"x","to":"desk"}"#)
    try device.waitForMessage { $0.text.contains(#""id":"end""#) }
    #expect(!device.messages.contains { $0.text.contains(#""id":"cancelled""#) })
    #expect(try house.delivered("cancelled") == [])
  }

  @Test(
    "What was about to fire when the relay stopped fires when it is back, unless a cancel came in between")
  func aboutToFireWhenStopped() throws {
    let house = try House()
    let device = try house.device("desk")
    for id in ["kept", "cancelled"] {
      try house.command(#"{"id":"\#(id)","title":"x","to":"desk","trigger":{"every":1,"count":1}}"#)
    }
    try device.listen(for: .milliseconds(300))
    try house.stopRelay()
    try house.client.publish("carillon/command", #"{"command":"cancel","ids":["cancelled"]}"#)
    try device.listen(for: .milliseconds(1000))
    try house.startRelay()
    #expect(try device.waitForMessage().json["id"] == "kept")
    try house.command(#"{"id":"end","title":"x","to":"desk"}"#)
    try device.waitForMessage { $0.text.contains(#""id":"end""#) }
    #expect(!device.messages.contains { $0.text.contains(#""id":"cancelled""#) })
  }

  // MARK: Configuration

  @Test(
    "A configuration that is wrong ends with 78 and names the key",
    arguments: [
      (#"{ brokr: "mqtt://localhost" }"#, "brokr"), (#"{ tls: { ca: "x" } }"#, "tls"),
      (#"{ timezone: "Mars/Olympus" }"#, "Mars/Olympus"),
      (#"{ groups: { desk: ["a"] }, devices: ["desk"] }"#, "groups.desk"),
      (#"{ groups: { all: ["a"] } }"#, "groups"), (#"{ password: "secretword" }"#, "password"),
      (#"{ broker: "mqtt://u:secretword@h" }"#, "broker"),
      (#"{ broker: "#, "line 1"),
      (#"{ keepAlive: "1s" }"#, "keepAlive"), (#"{ store: "mysql:x" }"#, "store"),
      (#"{ limits: { pending: 0 } }"#, "limits.pending"),
      (#"{ publishers: { ha: { verbs: ["shedule"] } } }"#, "publishers.ha.verbs[0]"),
      (#"{ homeAssistant: { prefix: "carillon" } }"#, "homeAssistant.prefix"),
      (#"{ location: {} }"#, "location"),
    ])
  func configuration(text: String, hint: String) throws {
    let folder = try TemporaryDirectory()
    let config = try folder.write("relay.json5", text)
    let run = try Run(["relay", "--config", config], environment: ["STATE_DIRECTORY": folder.path])
    #expect(run.status == .exited(78), "\(run.text)")
    #expect(run.text.contains(hint), "\(run.text)")
    #expect(!run.text.contains("secretword"))
  }

  @Test("A configuration file that was asked for and is not there ends with 78")
  func missingConfiguration() throws {
    #expect(try Run(["relay", "--config", "/nonexistent/relay.json5"]).status == .exited(78))
    #expect(try Run(["companion", "--config", "/nonexistent/c.json5"]).status == .exited(78))
    #expect(try Run(["companion", "--routes", "/nonexistent/routes.json5"]).status == .exited(78))
    #expect(try Run(["companion", "--device", "all"]).status == .exited(78))
  }

  @Test("The folder of the service manager is where the store is by default")
  func stateDirectory() throws {
    let broker = try Broker()
    let folder = try TemporaryDirectory()
    let relay = try Program(["relay", "--broker", broker.url], environment: ["STATE_DIRECTORY": folder.path])
    try relay.wait(for: "the start", on: .errors) { $0.contains("relay on store") }
    try relay.stop()
    #expect(access(folder.file("relay.db"), F_OK) == 0 || access(folder.file("carillon/relay.db"), F_OK) == 0)
  }
}

extension String {
  /// The parts between occurrences of a text.
  func components(of text: String) -> [Substring] { split(separator: text, omittingEmptySubsequences: false) }
}
