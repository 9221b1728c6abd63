import Testing

@Suite struct LayeringTests {
  static let rooms = House.imports.keys.sorted()

  @Test func everyTargetIsInTheTable() throws {
    let known = Set(House.imports.keys).union(House.systemTargets).union([House.ownC])
    #expect(Set(try Repository.folders(in: "Sources")) == known)
  }

  @Test(arguments: rooms) func aRoomImportsOnlyWhatTheTableAllows(_ room: String) throws {
    let allowed = try #require(House.imports[room])
    for (file, code) in Repository.sources where file.hasPrefix("Sources/\(room)/") {
      let excess = Set(code.imports).subtracting(allowed)
      #expect(excess.isEmpty, "\(file) imports \(excess.sorted())")
    }
  }

  @Test func relayAndCompanionDoNotKnowEachOther() {
    #expect(House.imports["CarillonRelay"]?.contains("CarillonCompanion") == false)
    #expect(House.imports["CarillonCompanion"]?.contains("CarillonRelay") == false)
  }

  /// The desktop's connections with D-Bus are attached to the event loop, and both are libsystemd's.
  @Test(arguments: House.systemTargets.sorted()) func oneRoomAloneSeesEachLibrary(_ library: String) {
    let users = House.imports.filter { $0.value.contains(library) }.map(\.key).filter {
      $0 != "CarillonTestSupport"
    }
    let expected = library == "CSystemd" ? ["CarillonDesktop", "CarillonLoop"] : users.prefix(1).sorted()
    #expect(!users.isEmpty && users.sorted() == expected, "\(users.sorted())")
  }

  @Test(arguments: House.systemTargets.sorted()) func aLibraryIsAModuleMapAndAShim(_ target: String) throws {
    let files = try Repository.files("Sources/\(target)").map { $0.split(separator: "/").last }
    #expect(files == ["module.modulemap", "shim.h"])
  }

  @Test func ourOwnCIsHeadersAndSourcesAlone() throws {
    for file in try Repository.files("Sources/\(House.ownC)") {
      #expect(file.hasSuffix(".c") || file.hasPrefix("Sources/\(House.ownC)/include/"), "\(file)")
    }
  }

  /// The commands open the store only to say what is wrong with it: its errors, and what keeps it in order.
  @Test func theCommandsDoNotReadTheQueue() {
    let hidden = ["Queue(", "Database(", "InboxStore", "StoreFile", "Statement"]
    for (file, code) in Repository.sources where file.hasPrefix("Sources/CarillonCommands/") {
      guard code.imports.contains("CarillonStore") else { continue }
      for word in hidden { #expect(!code.lines.contains { $0.contains(word) }, "\(file) uses \(word)") }
    }
  }

  @Test func noTestImportsFoundation() throws {
    for file in try Repository.files("Tests", ending: ".swift") {
      #expect(!SwiftCode(try Repository.text(file)).imports.contains("Foundation"), "\(file)")
    }
  }
}
