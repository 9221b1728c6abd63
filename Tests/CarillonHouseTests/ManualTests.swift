import CarillonLoop
import CarillonTestSupport
import Glibc
import Testing

/// The pages of the manual, and what shells are told, as those read them who use them.
@Suite struct ManualTests {
  private func carillon(_ arguments: String...) throws -> [String] {
    let program = try Program(arguments)
    #expect(try program.waitForExit() == .exited(0), "\(program.lines(.errors))")
    return program.lines()
  }

  @Test(
    .enabled(if: access("/usr/bin/groff", X_OK) == 0, "groff is not installed"))
  func everyVerbHasAPageThatGroffTakesWithoutAWarning() throws {
    let names = try carillon("man", "--names")
    #expect(names.count > 20 && names.contains("carillon-routes-check"))
    let folder = try TemporaryDirectory()
    for name in names {
      try folder.write(name, (try carillon("man", name)).joined(separator: "\n") + "\n")
    }
    let groff = try Program(
      ["-man", "-Tutf8", "-ww", "-K", "utf8", "-rcR=0"] + names.map(folder.file), executable: "/usr/bin/groff"
    )
    #expect(try groff.waitForExit(within: .seconds(30)) == .exited(0))
    #expect(groff.lines(.errors) == [])
    let text = groff.lines().joined(separator: "\n")
    for name in names { #expect(!places(of: name, in: text).isEmpty, "\(name)") }
    // Which is what would be typed, and no typographer's.
    #expect(!places(of: "'weekday=", in: text).isEmpty)
  }

  /// What bash offers for a line of which the last word is begun.
  private func offers(_ words: [String], _ folder: TemporaryDirectory) throws -> Set<String> {
    let script = """
      source "$1"; shift
      complete -p carillon >/dev/null || exit 9
      COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _carillon 2>&1
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let bash = try Program(
      ["-c", script, "bash", folder.file("bash")] + words, executable: "/bin/bash", home: folder)
    #expect(try bash.waitForExit() == .exited(0), "\(words): \(bash.lines(.errors))")
    return Set(bash.lines().filter { !$0.isEmpty })
  }

  @Test func bashCompletesVerbsOptionsAndValues() throws {
    let folder = try TemporaryDirectory()
    try folder.write("bash", try carillon("completion", "bash").joined(separator: "\n"))
    try folder.write("my routes.json5", "{}")
    #expect(try offers(["carillon", "re"], folder) == ["relay", "restore", "resume"])
    #expect(try offers(["carillon", "routes", ""], folder) == ["check", "list", "install", "uninstall"])
    #expect(try offers(["carillon", "routes", "check", "--j"], folder) == ["--json"])
    #expect(try offers(["carillon", "companion", "--open", ""], folder) == ["tap", "arrival"])
    #expect(try offers(["carillon", "--broker", "mqtt://x", "relay", "--sto"], folder) == ["--store"])
    #expect(try offers(["carillon", "relay", "--execute"], folder) == [])
    #expect(try offers(["carillon", "companion", "--routes", "my"], folder) == ["my routes.json5"])
    #expect(try offers(["carillon", "focus", "o"], folder) == ["on", "off"])
    #expect(try offers(["carillon", "focus", "on", "o"], folder) == [])
  }

  static let shells = ["zsh", "fish"].filter { access("/usr/bin/\($0)", X_OK) == 0 }

  @Test(.enabled(if: !shells.isEmpty, "neither zsh nor fish is installed"), arguments: shells)
  func theOtherShellsReadTheirScripts(_ shell: String) throws {
    let folder = try TemporaryDirectory()
    try folder.write("script", try carillon("completion", shell).joined(separator: "\n") + "\n")
    let check = try Program(["-n", folder.file("script")], executable: "/usr/bin/\(shell)")
    #expect(try check.waitForExit() == .exited(0), "\(check.lines(.errors))")
    #expect(check.lines(.errors) == [])
  }

  @Test(.enabled(if: shells.contains("fish"), "fish is not installed"))
  func fishOffersTheSame() throws {
    let folder = try TemporaryDirectory()
    try folder.write("script", try carillon("completion", "fish").joined(separator: "\n") + "\n")
    func offers(_ line: String) throws -> [String] {
      let fish = try Program(
        ["--no-config", "-c", "source script; complete -C'\(line)'"], executable: "/usr/bin/fish",
        home: folder)
      try fish.waitForExit()
      return fish.lines().compactMap { $0.split(separator: "\t").first.map(String.init) }.sorted()
    }
    #expect(try offers("carillon rel") == ["relay"])
    #expect(try offers("carillon companion --open ") == ["arrival", "tap"])
    #expect(try offers("carillon routes ") == ["check", "install", "list", "uninstall"])
  }
}
