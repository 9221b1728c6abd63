import Glibc

/// Every order in which several actors can take their steps, each actor its own in their order.
enum Interleavings {
  /// - Parameter counts: how many steps each actor has.
  /// - Returns: each order as the actors' numbers.
  static func all(_ counts: [Int]) -> [[Int]] {
    guard counts.contains(where: { $0 > 0 }) else { return [[]] }
    var orders: [[Int]] = []
    for actor in counts.indices where counts[actor] > 0 {
      var rest = counts
      rest[actor] -= 1
      orders += all(rest).map { [actor] + $0 }
    }
    return orders
  }
}

/// Actors whose steps may come in any order, in a world that is made anew for each.
struct Scenario<World> {
  struct Step {
    var name: String
    var take: (World) throws -> Void

    init(_ name: String, _ take: @escaping (World) throws -> Void) {
      self.name = name
      self.take = take
    }
  }

  /// An order in which something went wrong.
  struct Fault: CustomStringConvertible {
    var scenario: String
    var order: [Int]
    var steps: [String]
    var faults: [String]

    var description: String {
      """
      \(scenario): \(faults.joined(separator: "; "))
      after: \(steps.joined(separator: ", "))
      alone: CARILLON_ORDER="\(order.map { "\($0)" }.joined(separator: " "))"
      """
    }
  }

  var name: String
  /// Each actor's steps.
  var actors: [[Step]]
  var begin: () throws -> World
  /// Lets what is under way come to its end, and says what is wrong then.
  var end: (World) throws -> [String]

  /// How many orders there are.
  var count: Int { Interleavings.all(actors.map(\.count)).count }

  /// Runs every order, or the one that `CARILLON_ORDER` names.
  func explore() -> [Fault] {
    let asked = getenv("CARILLON_ORDER").map {
      String(cString: $0).split(separator: " ").compactMap { Int($0) }
    }
    let orders = Interleavings.all(actors.map(\.count))
    return orders.filter { asked == nil || $0 == asked }.compactMap { order in
      let faults = run(order)
      return faults.isEmpty
        ? nil : Fault(scenario: name, order: order, steps: steps(order).map(\.name), faults: faults)
    }
  }

  /// What is wrong at the end of one order.
  func run(_ order: [Int]) -> [String] {
    do {
      let world = try begin()
      for step in steps(order) { try step.take(world) }
      return try end(world)
    } catch {
      return ["it threw \(error)"]
    }
  }

  private func steps(_ order: [Int]) -> [Step] {
    var next = actors.map { _ in 0 }
    return order.map { actor in
      defer { next[actor] += 1 }
      return actors[actor][next[actor]]
    }
  }
}

extension Array {
  /// What went wrong in a few of the orders, for a test's message.
  func told<World>() -> String where Element == Scenario<World>.Fault {
    "\(count) orders, such as\n" + prefix(3).map(\.description).joined(separator: "\n")
  }
}
