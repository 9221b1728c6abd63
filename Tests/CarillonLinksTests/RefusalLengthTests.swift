import CarillonLinks
import CarillonModel
import Testing

/// A refusal goes to logs, replies and terminals: whatever is quoted in it is cut.
@Suite("A refusal stays short")
struct RefusalLengthTests {
  private static let long = String(repeating: "a", count: 2000)

  private func isShort(_ refusal: Refusal?) -> Bool {
    refusal.map { $0.message.utf8.count + $0.path.utf8.count <= 1000 } ?? false
  }

  @Test("where a link does not fit a parameter", arguments: ["%00", "%FF"])
  func binding(value: String) throws {
    let pattern = try RoutePattern(parsing: "z:///:\(Self.long)")
    let link = try Link(parsing: "z:///\(value)")
    let refusal = #expect(throws: Refusal.self) { try pattern.match(link) }
    #expect(isShort(refusal))
  }

  @Test("where a link is written with other parameters")
  func writing() throws {
    let pattern = try RoutePattern(parsing: "z:///:\(Self.long)")
    for values in [[:], [Self.long: "v", Self.long + "b": "v"]] {
      let refusal = #expect(throws: Refusal.self) { try pattern.link(for: values) }
      #expect(isShort(refusal))
    }
  }

  @Test("where a step or a command names what is not bound, beside any number of parameters")
  func unbound() throws {
    let many = (0..<500).map { ":parameter\($0)" }.joined(separator: "/")
    for (link, name) in [("z:///", Self.long), ("z:///\(many)", Self.long), ("z:///:\(Self.long)", "x")] {
      let report = Router.check([
        "routes": [
          ["link": .string(link), "navigate": [.string("{\(name)}")], "run": ["show", .string("{\(name)}")]]
        ]
      ])
      #expect(report.faults.count == 2)
      for fault in report.faults { #expect(isShort(fault.refusal), "\(fault.refusal.message.utf8.count)") }
    }
  }

  @Test("where a name is none, is taken, or comes twice")
  func names() throws {
    for path in [":\(Self.long)-", ":\(Self.long)/:\(Self.long)"] {
      let refusal = #expect(throws: Refusal.self) { try RoutePattern(parsing: "z:///\(path)") }
      #expect(isShort(refusal))
    }
  }
}
