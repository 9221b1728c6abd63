import CarillonLoop
import CarillonTestSupport
import Testing

/// What the repository holds besides code.
@Suite struct TreeTests {
  @Test func theTopHoldsNothingElse() throws {
    #expect(Set(try Repository.topLevel()).subtracting(House.topLevel) == [])
  }

  @Test(arguments: ["README.md", "LICENSE", ".ci/run", "deploy/try", "deploy/test", "config/mosquitto.conf"])
  func whatANewcomerLooksForIsThere(_ path: String) throws {
    #expect(try !Repository.text(path).isEmpty)
  }

  @Test func theReadmeIsShort() throws {
    #expect(try Repository.lines("README.md").count <= House.longestReadme)
  }

  @Test func scriptsAreWellFormed() throws {
    let scripts = try Repository.everyFile().filter { file in
      let first = try Repository.lines(file).first ?? ""
      let isInDeploy = file.hasPrefix("deploy/") && file.split(separator: "/").count == 2
      return isInDeploy || file == "deploy/debian/check" || first.hasPrefix("#!") && first.hasSuffix("sh")
    }
    #expect(scripts.count >= 4)
    for script in scripts {
      let check = try Program(["-n", Repository.root + script], executable: "/bin/bash")
      #expect(try check.waitForExit() == .exited(0), "\(script): \(check.lines(.errors))")
    }
  }

  /// The project speaks of itself alone: nobody who reads it has the tracker, the machines or the people that made it.
  @Test func noFileSpeaksOfHowItWasMade() throws {
    let words = [
      "/wo" + "rk/", "TO" + "DO", "FIX" + "ME", "Place" + "holder.swift", " help" + "er", "Help" + "er ",
    ]
    let numbered = ["iss" + "ue #", "iss" + "ue ", "Iss" + "ue ", "row " + "B", "report " + "B"]
    for file in try Repository.everyFile() where !file.hasSuffix("zones.txt") {
      let text = try Repository.text(file)
      for word in words where !places(of: word, in: text).isEmpty { Issue.record("\(file) says \(word)") }
      for word in numbered {
        for place in places(of: word, in: text) {
          let next = text.utf8.dropFirst(place + word.utf8.count).first ?? 0
          #expect(!(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next), "\(file) says \(word)N")
        }
      }
    }
  }
}
