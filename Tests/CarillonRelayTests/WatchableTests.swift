import CarillonModel
import Testing

@testable import CarillonRelay

/// What a relay's configuration lets requests watch.
@Suite struct WatchableTests {
  private func read(_ text: String) throws -> RelayConfiguration {
    try RelayConfiguration(reading: try Fields(try JSON(parsing: Array(text.utf8))))
  }

  @Test func `By default nothing`() throws {
    #expect(try read("{}").whyNotWatched("home/phone")?.contains("when.topics") == true)
    #expect(try read(#"{"when":{}}"#).watchable.isEmpty)
    #expect(try read(#"{"when":null}"#).watchable.isEmpty)
  }

  @Test func `Topics and filters, under another prefix too`() throws {
    let configuration = try read(
      ##"{"prefix":"bells","when":{"topics":["a/b","home/+/state","carillon/#"]}}"##)
    for topic in ["a/b", "home/x/state", "carillon/command"] {
      #expect(configuration.whyNotWatched(topic) == nil, "\(topic)")
    }
    for topic in ["a", "a/b/c", "home/state", "bells/command", "bells"] {
      #expect(configuration.whyNotWatched(topic) != nil, "\(topic)")
    }
  }

  @Test(arguments: [
    (#"{"when":{"topics":["a#"]}}"#, "when.topics[0]"), (#"{"when":{"topics":["a",7]}}"#, "when.topics[1]"),
    (#"{"when":{"topics":"a"}}"#, "when.topics"), (#"{"when":["a"]}"#, "when"),
    (#"{"when":{"topic":["a"]}}"#, "when.topic"), (#"{"when":{"topics":["$SYS/#"]}}"#, "when.topics[0]"),
    (##"{"when":{"topics":["carillon/#"]}}"##, "when.topics[0]"),
    (##"{"when":{"topics":["bells/x"]},"prefix":"bells"}"##, "when.topics[0]"),
  ])
  func `What is no filter is refused with its place`(_ text: String, _ place: String) throws {
    let refusal = #expect(throws: Refusal.self) { try read(text) }
    #expect(refusal?.path == place)
  }
}
