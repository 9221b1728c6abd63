import CarillonLoop
import CarillonModel
import CarillonTestSupport
import FoundationEssentials
import Glibc
import Testing

/// tzdata that is replaced under the real relay.
@Suite(.onOwnThread)
struct ZonesLifeTests {
  private func install(_ zone: String, in folder: TemporaryDirectory) throws {
    let bytes = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(zone)"))
    try bytes.write(to: URL(filePath: folder.file("new")))
    // In one piece, as a package is installed.
    try #require(rename(folder.file("new"), folder.file("Home")) == 0)
  }

  @Test func `A running relay follows tzdata, and so does one that starts`() throws {
    let zones = try TemporaryDirectory()
    try install("Europe/Berlin", in: zones)
    let bench = try CrashBench()
    let environment = ["TZDIR": zones.path]
    try bench.startRelay(environment: environment)
    try bench.onlooker.subscribe("carillon/reply/#")
    try bench.publisher.publish(
      "carillon/command",
      command("a", more: #","id":"a","timezone":"Home","trigger":{"cron":"0 12 1 7 *"}"#),
      responseTopic: "carillon/reply/a")
    func next() throws -> String? {
      try bench.publisher.publish(
        "carillon/command", #"{"command":"pending"}"#, responseTopic: "carillon/reply/list")
      try bench.read(for: .milliseconds(50))
      return bench.messages(on: "reply/list").last?.object?["items"]?.elements?.first?["next"]?.text
    }
    try bench.eventually("the first time") { try next()?.hasSuffix("-07-01T12:00:00.000+02:00") == true }
    try install("Asia/Tokyo", in: zones)
    try bench.eventually("the time of the new clocks") {
      try next()?.hasSuffix("-07-01T12:00:00.000+09:00") == true
    }
    try bench.stopRelay()
    try install("America/New_York", in: zones)
    try bench.startRelay(environment: environment)
    try bench.eventually("the time of the newest clocks") {
      try next()?.hasSuffix("-07-01T12:00:00.000-04:00") == true
    }
    // A zone that is gone is told to everybody.
    try bench.stopRelay()
    #expect(unlink(zones.file("Home")) == 0)
    try bench.startRelay(environment: environment)
    try bench.eventually("the warning") {
      let warnings = bench.messages(on: "relay/state").last?.object?["warnings"]?.elements ?? []
      return warnings.contains { $0.text?.hasPrefix("1 request cannot fire") == true }
    }
  }

  @Test func `However much goes out, tzdata is looked at`() throws {
    let zones = try TemporaryDirectory()
    try install("Europe/Berlin", in: zones)
    let bench = try CrashBench()
    try bench.startRelay(environment: ["TZDIR": zones.path])
    // One every 40 ms, for ever.
    for number in 0..<25 {
      let from = Double(SystemClock.wallMilliseconds / 1000 + 2) + Double(number) * 0.04
      try bench.publisher.publish(
        "carillon/command", command("n", more: #","trigger":{"every":"1s","from":\#(from)}"#))
    }
    try bench.eventually("the first firings") { bench.messages(on: "notification").count > 50 }
    try install("Asia/Tokyo", in: zones)
    try bench.eventually("the look at tzdata") {
      try #require(bench.relay).lines(.errors).contains { $0.hasPrefix("tzdata is now") }
    }
  }
}
