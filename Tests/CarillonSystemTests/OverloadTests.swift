import CarillonModel
import CarillonTestSupport
import Testing

/// What is too much is refused and told, whoever sends it.
@Suite(.onOwnThread)
struct OverloadTests {
  @Test("Beyond each limit every command is told so, and the log stays short")
  func limits() throws {
    let folder = try TemporaryDirectory()
    let config = try folder.write(
      "relay.json5", "{ limits: { pending: 50, perPublisher: 30, ratePerMinute: 100 } }")
    let house = try House(relay: ["--config", config])
    try house.client.subscribe("carillon/relay/rejected")
    func flood(_ publisher: String, _ count: Int) throws -> Int {
      let payloads = (0..<count).map { number in
        let reply = "carillon/reply/\(publisher)/\(number)"
        return Array(
          #"{"id":"\#(publisher)-\#(number)","title":"t","to":"x","trigger":{"after":3600},"replyTo":"\#(reply)"}"#
            .utf8)
      }
      #expect(house.client.publishBurst("carillon/command/\(publisher)", payloads) == count)
      var taken = 0
      for number in 0..<count {
        let reply = try house.client.waitForMessage(on: "carillon/reply/\(publisher)/\(number)").json
        if reply["ok"] == true { taken += 1 } else { #expect(reply.code == "limit", "\(reply.written)") }
      }
      for _ in 0..<(count - taken) {
        let told = try house.client.waitForMessage(on: "carillon/relay/rejected").json
        #expect(told["code"] == "limit" && told["from"]?.text == publisher)
      }
      return taken
    }
    #expect(try flood("p", 60) == 30)
    #expect(try flood("q", 60) == 20)
    #expect(try house.pending().count == 50)
    // A minute's hundred is used up soon, and one more comes back each 600 ms.
    #expect(try flood("p", 200) >= 30, "they take the place of its own")
    try eventually("the limit of the rate") {
      let told = try house.ask(#"{"command":"cancel","ids":["x"]}"#, as: "p")["error"]?["message"]?.text
      return told?.contains("more than 100 commands a minute, which is the limit; try again in 1s") == true
    }
    try eventually("the same on the command line") {
      try house.run(["cancel", "--publisher", "p", "x"]).status == .exited(75)
    }
    #expect(house.relay?.lines(.errors).count ?? .max < 60)
    // The rate begins anew; what is pending is still there.
    try house.killRelay()
    try house.startRelay()
    #expect(try house.ask(#"{"title":"t","trigger":{"after":3600}}"#, as: "p").code == "limit")
    try house.command(#"{"command":"cancel","ids":["p-0"]}"#, as: "p")
    try house.command(#"{"title":"t","trigger":{"after":3600}}"#, as: "p")
  }
}
