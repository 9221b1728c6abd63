import CarillonModel
import Testing

@Suite struct NameTests {
  @Test(arguments: ["desk", "desk-1", "A.b_c", "0", String(repeating: "x", count: 64), "ALL", "..", "-"])
  func `Letters, digits, dot, underscore and hyphen make a name`(text: String) throws {
    #expect(try Name(text).text == text)
  }

  @Test(arguments: [
    "", "all", "lamp#1", "Temp +1", "#", "a\u{0}b", "$SYS", "a/b", "küche", "a b", "a\n",
    String(repeating: "x", count: 65), String(repeating: "x", count: 70_000),
  ])
  func `Nothing else does, since names become topic levels`(text: String) {
    let refusal = #expect(throws: Refusal.self) { try Name(text, at: "to[0]") }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "to[0]")
    #expect((refusal?.message.utf8.count ?? 999) < 600)
  }
}

@Suite struct TopicsTests {
  let topics = Topics.standard

  @Test func `Every topic of the protocol is under the prefix`() throws {
    let topics = try Topics(prefix: "home/bells")
    let desk = try Name("desk")
    #expect(topics.command == "home/bells/command")
    #expect(topics.command(from: desk) == "home/bells/command/desk")
    #expect(topics.allCommands == "home/bells/command/#")
    #expect(topics.device(desk, .notification) == "home/bells/device/desk/notification")
    #expect(topics.everyDevice(.status) == "home/bells/device/+/status")
    #expect(topics.relayState == "home/bells/relay/state")
    #expect(topics.rejected == "home/bells/relay/rejected")
  }

  @Test(arguments: [
    "", "a//b", "/a", "a/", "a/#", "+", "$SYS", "a b", "a\u{7f}", String(repeating: "x", count: 201),
  ])
  func `What would not be a prefix is refused`(prefix: String) {
    #expect(throws: Refusal.self) { try Topics(prefix: prefix) }
  }

  @Test func `A received topic is understood by its levels`() throws {
    let desk = try Name("desk")
    #expect(topics.meaning(of: "carillon/command") == .command(publisher: nil))
    #expect(topics.meaning(of: "carillon/command/desk") == .command(publisher: desk))
    #expect(topics.meaning(of: "carillon/command/desk/more") == .foreignCommand)
    #expect(topics.meaning(of: "carillon/command/all") == .foreignCommand)
    #expect(topics.meaning(of: "carillon/command/") == .foreignCommand)
    #expect(topics.meaning(of: "carillon/device/desk/status") == .device(desk, .status))
    #expect(topics.meaning(of: "carillon/device/desk/state") == .other)
    #expect(topics.meaning(of: "carillon/relay/status") == .relayStatus)
    #expect(topics.meaning(of: "carillonX/command") == .other)
    #expect(topics.meaning(of: "other") == .other)
  }
}
