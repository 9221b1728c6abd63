import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

/// Every command of the tutorial and the recipes, run as it stands there.
@Suite("Pages", .onOwnThreadWithFewOthers)
struct PageLifeTests {
  private func check(_ block: PageScript.Block, in shell: PageShell) throws {
    for step in block.steps {
      var printed = try shell.run(step.command)
      var isSame: Bool {
        printed.count == step.output.count && zip(printed, step.output).allSatisfy { isLine($0, as: $1) }
      }
      // What a device answers may take a moment.
      if !isSame, step.command.hasPrefix("carillon de") {
        try? eventually("what the page has") {
          printed = try shell.run(step.command)
          return isSame
        }
      }
      #expect(isSame, "\(step.command)\nprinted \(printed)\nthe page has \(step.output)")
    }
  }

  @Test("The recipes do what their page says")
  func recipes() throws {
    let page = try PageScript("Recipes")
    let house = try House(start: false)
    let folder = try TemporaryDirectory()
    try house.startRelay(["--config", try folder.write("relay.json5", page.text("json5"))])
    let shell = try PageShell(broker: house.broker, home: folder)
    let phone = try TestClient(port: house.broker.port)
    try phone.subscribe("carillon/device/phone/notification")
    let devices = try ["kitchen", "bedroom", "desk"].map(house.device)
    for device in ["kitchen", "bedroom", "desk"] { try house.waitForStatus("device/\(device)", "online") }
    defer { withExtendedLifetime(devices) {} }
    var count = 0
    for block in page.blocks where block.language.isEmpty {
      count += block.steps.count
      try check(block, in: shell)
    }
    #expect(count > 15)
    #expect(try phone.waitForMessage().json["title"] == "Call back")
    try eventually("the shell's request") { try house.pending().contains("tea") }
    let pending = try Set(house.pending())
    #expect(
      pending.isSuperset(of: ["pills", "laundry", "dishes", "freezer", "thaw", "lights"]), "\(pending)")
    try house.command(#"{"command":"cancel","ids":["tea"]}"#)
    try folder.write("remind.py", page.text("python"))
    #expect(try shell.run("python3 remind.py") == ["eggs"])
    let nodes = try JSON(parsing: Array(page.text("json").utf8)).elements ?? []
    let topics = nodes.compactMap { $0["topic"]?.text }
    let payloads = nodes.compactMap { $0["payload"]?.text }
    try house.client.publish(try #require(topics.first), try #require(payloads.first))
    let yaml = page.blocks.filter { $0.language == "yaml" }.map { $0.lines.joined(separator: "\n") }
    let publishing = yaml.filter { $0.contains("mqtt.publish") }
    let template = publishing.first?.split(separator: "{{ ").last.map(String.init) ?? ""
    let command = template.split(separator: " | ").first.map(String.init) ?? ""
    try house.client.publish("carillon/command/homeassistant", command)
    try eventually("both requests") { try Set(house.pending()).isSuperset(of: ["tea", "window", "eggs"]) }
  }

  /// What the page says between its commands (to end a program, to start it again) is done here.
  @Test("The tutorial does what it says, from its first command to its last")
  func tutorial() throws {
    let page = try PageScript("Tutorial")
    let house = try House(start: false)
    let folder = try TemporaryDirectory()
    let shell = try PageShell(broker: house.broker, home: folder)
    let settings = #"{ location: { latitude: 52.5, longitude: 13.4 }, when: { topics: ["home/#"] } }"#
    let relay = ["--config", try folder.write("relay.json5", settings), "--timezone", "Etc/UTC"]
    let desk = try TemporaryDirectory()
    var devices: [String: Program] = [:]
    func device(_ name: String, _ line: String, home: TemporaryDirectory) throws {
      let words = line.split(separator: " ").map(String.init).dropFirst()
      devices[name] = try Program(Array(words), environment: shell.environment, home: home)
      try house.waitForStatus("device/\(name)", "online")
    }
    var section = ""
    var deskLine = ""
    for block in page.blocks {
      if block.section != section {
        switch block.section {
        case "A device that was off": try devices["desk"]?.stop()
        case "A relay that was off":
          try device("desk", deskLine, home: desk)
          try devices["desk"]?.wait(for: "what waited") { $0 == "notification  Call back" }
          try house.stopRelay()
        case "Triggers":
          try house.startRelay(relay)
          for name in ["kitchen", "desk"] {
            try devices[name]?.wait(for: "what was queued") { $0 == "notification  Later" }
          }
        default: break
        }
        section = block.section
      }
      let services = block.lines.filter {
        $0.hasPrefix("carillon relay") || $0.hasPrefix("carillon companion")
      }
      if !services.isEmpty {
        try house.startRelay(relay)
        for line in services.dropFirst() {
          let isKitchen = line.contains("kitchen")
          if !isKitchen { deskLine = line }
          try device(isKitchen ? "kitchen" : "desk", line, home: isKitchen ? folder : desk)
        }
      } else if block.language == "sh" {
        let printed = try shell.run("set -e\n" + block.lines.joined(separator: "\n"))
        #expect(printed.allSatisfy { $0.contains(": next at ") || $0.contains(": taken; ") }, "\(printed)")
      } else if block.steps.isEmpty {
        let kitchen = try #require(devices["kitchen"])
        try eventually("\(block.lines)") { kitchen.lines().suffix(block.lines.count) == block.lines[...] }
      } else {
        try check(block, in: shell)
      }
    }
    #expect(section == "Home Assistant")
    try eventually("the request of any program") { try house.pending().contains("tea") }
    try devices["desk"]?.wait(for: "Home Assistant's words") { $0 == "notification  Washing - Done" }
    for device in devices.values { try device.stop() }
  }
}
