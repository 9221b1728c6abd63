import Testing

@testable import CarillonModel

@Suite struct TopicFilterTests {
  /// The examples of MQTT 5, 4.7.1, and what lies around them.
  @Test(arguments: [
    (
      "sport/tennis/#", ["sport/tennis", "sport/tennis/", "sport/tennis/a/b"],
      ["sport", "sport/tenni", "sports/tennis"]
    ),
    ("#", ["sport", "/", "a//b", "/finance"], ["$SYS", "$SYS/broker"]),
    ("sport/+", ["sport/", "sport/a"], ["sport", "sport/a/b", "sport/a/"]),
    ("+/+", ["/finance", "a/b", "/"], ["finance", "a/b/c", "$SYS/a"]),
    ("/+", ["/finance", "/"], ["finance", "a/finance"]),
    ("+", ["finance", "a b"], ["/finance", "$SYS"]),
    ("+/tennis/#", ["/tennis", "a/tennis/b"], ["tennis", "a/b/tennis"]),
    ("a//b", ["a//b"], ["a/b", "a/x/b", "a//b/"]), ("Home", ["Home"], ["home", "Home/"]),
    ("h\u{e9}", ["h\u{e9}"], ["he\u{301}"]),
  ])
  func `A filter means the topics that MQTT says`(_ text: String, _ meant: [String], _ others: [String])
    throws
  {
    let filter = try TopicFilter(text)
    for topic in meant { #expect(filter.matches(topic), "\(topic)") }
    for topic in others { #expect(!filter.matches(topic), "\(topic)") }
  }

  @Test(arguments: [
    "", "a#", "a/#/b", "#/a", "a+/b", "+a", "##", "a/b#", "$SYS/#", "$share/g/a", "a\u{0}b", "a\nb",
    "a\u{fffe}", String(repeating: "a", count: 65_536),
  ])
  func `What is no filter is refused with its place`(_ text: String) {
    let refusal = #expect(throws: Refusal.self) { try TopicFilter(text, at: "when.topics[0]") }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.path == "when.topics[0]")
  }

  @Test func `The relay's own topics are those under its prefix, and the prefix`() throws {
    let topics = try Topics(prefix: "house/bells")
    for topic in ["house/bells", "house/bells/", "house/bells/command", "house/bells/#"] {
      #expect(topics.isOwn(topic), "\(topic)")
    }
    for topic in ["house", "house/bell", "house/bellsx", "House/bells", "/house/bells", "x/house/bells"] {
      #expect(!topics.isOwn(topic), "\(topic)")
    }
  }
}
