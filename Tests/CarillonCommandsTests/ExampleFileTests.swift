import CarillonCompanion
import CarillonLinks
import CarillonModel
import CarillonRelay
import Testing

@testable import CarillonCommands

/// The files in `config/` are the manual of the configuration: they show every key, with its default.
@Suite struct ExampleFileTests {
  private func file(_ name: String) throws -> ConfigurationFile {
    let folder = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return try #require(try ConfigurationFile(path: "/\(folder)/config/\(name)"))
  }

  @Test func theRelaysFileHasEveryKeyAtItsDefault() throws {
    let object = try file("relay.json5").object
    #expect(Set(object.members.map(\.name)) == RelayConfiguration.keys)
    let read = try RelayConfiguration(reading: Fields(object))
    #expect(described(read) == described(RelayConfiguration()))
  }

  @Test func theCompanionsFileHasEveryKeyAtItsDefault() throws {
    let object = try file("companion.json5").object
    #expect(Set(object.members.map(\.name)) == CompanionConfiguration.keys)
    var read = try CompanionConfiguration(reading: Fields(object))
    // An object without lists says what no object says.
    #expect(read.links == ["schemes": nil, "hosts": nil] || read.links == ["hosts": nil, "schemes": nil])
    read.links = nil
    // A dictionary has no order to compare in words.
    #expect(read.presentation == CompanionConfiguration().presentation)
    read.presentation = CompanionConfiguration().presentation
    var expected = CompanionConfiguration()
    expected.presentation = read.presentation
    #expect(described(read) == described(expected))
  }

  /// Fields by name; sets are compared whatever their order.
  private func described(_ value: Any) -> [String: String] {
    var fields: [String: String] = [:]
    for child in Mirror(reflecting: value).children { fields[child.label ?? ""] = canonical(child.value) }
    return fields
  }

  private func canonical(_ value: Any) -> String {
    if let policy = value as? LinkPolicy {
      return
        "\(policy.schemes?.sorted() ?? ["any"]) \(policy.hosts?.sorted() ?? ["any"]) \(policy.deny.sorted())"
    }
    return "\(value)"
  }

  @Test func theClientsFileIsReadAndChangesNothing() throws {
    let example = try file("client.json5")
    let configuration = try Configuration(files: [example]).forClient(options: Carillon.clientKeys)
    #expect(configuration.object.members.count == example.object.members.count)
    let call = try Settings(
      table: Schedule.verb.options, words: ParsedWords(), environment: [:], configuration: configuration)
    #expect(call.text("broker") == "\(BrokerTarget.defaultAddress)")
    #expect(call.text("prefix") == Topics.defaultPrefix)
    #expect(try Duration(parsing: try #require(call.text("wait"))) == RelayClient.defaultWait)
    #expect(["username", "password-file", "publisher", "timezone", "json"].filter(call.has) == [])
  }

  @Test func theRoutesFileIsClean() throws {
    let report = Router.check(.object(try file("routes.json5").object))
    #expect(report.isClean, "\(report.faults)")
    #expect(report.examples.count == 3)
  }
}
