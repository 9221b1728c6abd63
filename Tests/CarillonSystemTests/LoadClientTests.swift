import CarillonTestSupport
import Testing

/// The clients that benchmarks count with.
@Suite("The load clients", .onOwnThread)
struct LoadClientTests {
  @Test(
    "The subscriber counts every message, tells repeats from new ones, and passes over what has no number")
  func counting() throws {
    let broker = try Broker()
    let subscriber = try LoadSubscriber(port: broker.port, filter: "load/+", numbers: 100)
    let publisher = try LoadPublisher(port: broker.port)
    let numbers = Array(0..<100) + [7, 7, 5000]
    let payloads = ["no number", "~half", "~~", "~x~"] + numbers.map { "{ ~\($0)~ }" }
    let times = try publisher.publish("load/a", payloads.map { Array($0.utf8) }) { sent in
      sent - publisher.acknowledged < 10
    }
    try publisher.settle()
    try eventually("the last") { subscriber.greatest == 5000 }
    #expect(subscriber.distinct == 100)
    #expect(subscriber.count == numbers.count)
    #expect(subscriber.arrivals.map(\.number) == numbers)
    #expect(publisher.acknowledged == payloads.count)
    for (sent, arrival) in zip(times.dropFirst(4), subscriber.arrivals) { #expect(sent < arrival.time) }
  }
}
