import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCommands

/// Links from elsewhere: a desktop of the test's own.
@Suite struct RoutesInstallTests {
  private let home: TemporaryDirectory
  private let place: Run.Place

  init() throws {
    home = try TemporaryDirectory()
    var place = Run.Place()
    place.environment = ["HOME": home.path]
    for (variable, folder) in [
      ("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "data"), ("XDG_CONFIG_DIRS", "etc"),
      ("XDG_DATA_DIRS", "share"),
    ] {
      place.environment[variable] = home.file(folder)
    }
    for folder in [
      "config", "config/carillon", "data", "data/applications", "etc", "share", "share/applications",
    ] {
      mkdir(home.file(folder), 0o755)
    }
    place.system = home.file("system")
    self.place = place
    try home.write(
      "config/carillon/routes.json5",
      "{ routes: [ { link: 'home://x/:a', navigate: ['/{a}'] }, { link: 'https://example.jp/a', navigate: ['/'] } ] }"
    )
  }

  private func routes(_ words: String...) -> Run { Run(["routes"] + words, at: place) }
  private var list: String? { home.read("config/mimeapps.list") }
  private var entry: String? { home.read("data/applications/carillon.desktop") }

  @Test func aSchemeIsInstalledOnceAndGoneAgain() throws {
    let run = routes("install", "HOME")
    #expect(run.status == 0)
    #expect(run.output == ["home: opened by carillon"])
    #expect(run.errors == [])
    #expect(list == "[Default Applications]\nx-scheme-handler/home=carillon.desktop\n")
    #expect(entry?.contains("\nExec=/opt/carillon/bin/carillon open --execute %u\n") == true)
    #expect(entry?.contains("\nMimeType=x-scheme-handler/home;\n") == true)
    let before = [list, entry]
    #expect(routes("install", "home").output == ["home: opened by carillon"])
    #expect([list, entry] == before)
    #expect(routes("uninstall", "home").output == ["home: opened by nobody again"])
    #expect(list == "[Default Applications]\n")
    #expect(entry == nil)
    let again = routes("uninstall", "home")
    #expect(again.status == 0)
    #expect(again.output == ["home: was not installed; opened by nobody"])
  }

  @Test func severalSchemesShareOneEntry() {
    #expect(routes("install", "home", "b", "home").output.count == 2)
    #expect(routes("install", "c").status == 0)
    #expect(
      entry?.contains("\nMimeType=x-scheme-handler/home;x-scheme-handler/b;x-scheme-handler/c;\n") == true)
    #expect(routes("uninstall", "b", "x").status == 0)
    #expect(entry?.contains("\nMimeType=x-scheme-handler/home;x-scheme-handler/c;\n") == true)
    #expect(
      list
        == "[Default Applications]\nx-scheme-handler/home=carillon.desktop\nx-scheme-handler/c=carillon.desktop\n"
    )
  }

  @Test func aSchemeWithoutARouteIsTold() {
    let run = routes("install", "b")
    #expect(run.status == 0)
    #expect(
      run.errors == [
        "carillon routes install: no route in \(home.file("config/carillon/routes.json5")) is for links of b, so none will be opened"
      ])
  }

  /// A file, what is in it, and whether it has to be told apart from the user's own list.
  static let claims: [(String, String)] = [
    ("config/mimeapps.list", "[Default Applications]\nx-scheme-handler/home=old.desktop;\n"),
    ("config/mimeapps.list", "[Added Associations]\nx-scheme-handler/home=old.desktop;\n"),
    (
      "config/mimeapps.list",
      "[Default Applications]\nx-scheme-handler/home = carillon.desktop ;old.desktop\n"
    ),
    ("etc/mimeapps.list", "[Default Applications]\nx-scheme-handler/home=old.desktop\n"),
    ("data/applications/mimeapps.list", "[Default Applications]\nx-scheme-handler/home=old.desktop\n"),
    ("share/applications/mimeapps.list", "[Default Applications]\nx-scheme-handler/home=old.desktop\n"),
    ("share/applications/defaults.list", "[Default Applications]\nx-scheme-handler/home=old.desktop\n"),
    ("share/applications/mimeinfo.cache", "[MIME Cache]\nx-scheme-handler/home=old.desktop;\n"),
    (
      "data/applications/old.desktop",
      "[Desktop Entry]\nName=The Old One\nMimeType=text/html;x-scheme-handler/home;\n"
    ),
  ]

  @Test(arguments: claims) func whatAnotherProgramOpensIsNamedAndTakenOverOnlyByForce(
    _ file: String, _ text: String
  ) throws {
    try home.write("share/applications/old.desktop", "[Desktop Entry]\nName=The Old One\nExec=old %u\n")
    try home.write(file, text)
    // What it stands behind is its own already.
    guard !text.contains("carillon") else { return #expect(routes("install", "home").status == 0) }
    let refused = routes("install", "b", "home")
    #expect(refused.status == 1)
    #expect(refused.output == [])
    #expect(
      refused.errors == [
        "carillon routes install: home is opened by The Old One (old.desktop), as \(home.file(file)) says; --force takes it over"
      ])
    #expect(entry == nil)
    #expect(home.read(file) == text)
    let taken = routes("install", "home", "--force")
    #expect(taken.output == ["home: opened by carillon, before that by The Old One (old.desktop)"])
    #expect(list?.contains("x-scheme-handler/home=carillon.desktop") == true)
    #expect(routes("install", "home").status == 0)
    #expect(routes("uninstall", "home").output == ["home: opened by The Old One (old.desktop) again"])
    #expect(home.read(file)?.hasPrefix(text) == true)
    #expect(home.read("config/mimeapps.list")?.contains("carillon") == false)
  }

  @Test func whoeverHasTakenItSinceHasIt() throws {
    #expect(routes("install", "home").status == 0)
    try home.write(
      "config/mimeapps.list", "[Default Applications]\nx-scheme-handler/home=new.desktop;carillon.desktop\n")
    #expect(routes("install", "home").status == 1)
    #expect(routes("install", "home", "--force").status == 0)
    #expect(list == "[Default Applications]\nx-scheme-handler/home=carillon.desktop;new.desktop\n")
  }

  @Test(arguments: ["http", "HTTPS"]) func theBrowsersSchemesAreTakenOnlyByForce(_ scheme: String) {
    let run = routes("install", scheme)
    #expect(run.status == 1)
    #expect(run.errors.first?.contains("would call itself") == true)
    #expect(list == nil && entry == nil)
    #expect(routes("install", scheme, "--force").status == 0)
  }

  @Test func aListThatCountsBeforeTheUsersIsNamed() throws {
    var place = place
    place.environment["XDG_CURRENT_DESKTOP"] = "Sway:GNOME"
    try home.write(
      "config/gnome-mimeapps.list", "[Default Applications]\nx-scheme-handler/home=old.desktop\n")
    let run = Run("routes", "install", "home", "--force", at: place)
    #expect(run.status == 1)
    #expect(
      run.errors.first?.contains("take it out of \(home.file("config/gnome-mimeapps.list")) first") == true)
  }

  @Test func anEntryOfSomebodyElsesMakingStays() throws {
    let text = "[Desktop Entry]\nName=Bells\nExec=bells\n"
    try home.write("data/applications/carillon.desktop", text)
    let run = routes("install", "home")
    #expect(run.status == 1)
    #expect(run.errors.first?.contains("is not of this program's making") == true)
    #expect(routes("uninstall", "home").status == 0)
    #expect(entry == text)
    #expect(routes("install", "home", "--force").status == 0)
    #expect(entry?.contains("Exec=/opt/carillon") == true)
  }

  @Test func theFilesThatItWasToldOfAreNamedInTheEntry() throws {
    try home.write("my routes.json5", "{ routes: [] }")
    #expect(routes("install", "b", "--routes", home.file("my routes.json5")).status == 0)
    #expect(entry?.contains("open --execute --routes \"\(home.file("my routes.json5"))\" %u\n") == true)
    #expect(routes("install", "b", "--routes", "/nonexistent/routes.json5").status == 78)
  }

  @Test(arguments: [
    ("/opt/carillon", "/opt/carillon"), ("/a b/c", "\"/a b/c\""), ("/a$b", #""/a\\$b""#),
    (#"/a"b"#, #""/a\\"b""#),
    ("/a`b", #""/a\\`b""#), (#"/a\b"#, #""/a\\\\b""#), ("/100%/x", "/100%%/x"), ("", "\"\""),
    ("/a;b", "\"/a;b\""),
  ]) func argumentsAreQuotedWhereTheyMustBe(_ text: String, _ written: String) {
    #expect(DesktopEntry.argument(text) == written)
  }

  @Test(arguments: ["/opt/100%/carillon", "/opt/a=b/carillon", "/opt/a\nb/carillon"])
  func aPathThatNoDesktopFindsIsRefused(_ program: String) {
    var place = place
    place.program = program
    #expect(Run("routes", "install", "home", at: place).status == 1)
    #expect(entry == nil && list == nil)
  }

  @Test(arguments: ["1x", "a b", "home:", "home://x", "", "ä"]) func whatIsNoSchemeIsAWrongOperand(
    _ word: String
  ) {
    #expect(routes("install", word).status == 64)
    #expect(routes("uninstall", word).status == 64)
  }

  @Test func withoutAHomeThereIsNoDesktop() {
    #expect(Run("routes", "install", "home").status == 1)
  }

  @Test func aListThatIsALinkStaysOne() throws {
    try home.write("dotfiles.list", "# kept\n")
    symlink(home.file("dotfiles.list"), home.file("config/mimeapps.list"))
    chmod(home.file("dotfiles.list"), 0o640)
    #expect(routes("install", "home").status == 0)
    #expect(home.read("dotfiles.list")?.hasPrefix("# kept\n\n[Default Applications]\n") == true)
    var status = stat()
    #expect(lstat(home.file("config/mimeapps.list"), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(home.file("dotfiles.list"), &status) == 0 && status.st_mode & 0o777 == 0o640)
  }

  @Test func programsGetOneObjectAScheme() throws {
    try home.write("config/mimeapps.list", "[Default Applications]\nx-scheme-handler/home=old.desktop;\n")
    #expect(
      routes("install", "home", "--force", "--json").output == [
        #"{"scheme":"home","installed":true,"before":"old.desktop"}"#
      ])
    #expect(
      routes("uninstall", "home", "--json").output == [
        #"{"scheme":"home","installed":false,"was":true,"now":"old.desktop"}"#
      ])
  }
}

/// The desktop's own programs, with links that go through the routes.
@Suite(.serialized) struct OpenedByTheDesktopTests {
  private let home: TemporaryDirectory

  init() throws {
    home = try TemporaryDirectory()
    for folder in [".xdg_config_home", ".xdg_config_home/carillon"] { mkdir(home.file(folder), 0o700) }
    try home.write(
      ".xdg_config_home/carillon/routes.json5",
      """
      { routes: [ { link: "home://x/:a", navigate: ["/{a}"],
          run: ["sh", "-c", "printf '%s\\\\n' \\"$1\\" >> \(home.file("log"))", "sh", "{step}"] } ] }
      """)
  }

  private static let xdgOpen = "/usr/bin/xdg-open"
  private static let gio = "/usr/bin/gio"

  /// Runs a program of the desktop's to its end.
  private func run(_ program: String, _ arguments: [String]) throws -> [String] {
    let program = try Program(
      arguments, environment: ["DISPLAY": ":99", "XDG_CURRENT_DESKTOP": ""], executable: program, home: home)
    try program.waitForExit()
    return program.lines()
  }

  private func install() throws {
    let program = try Program(["routes", "install", "home"], home: home)
    #expect(try program.waitForExit() == .exited(0))
  }

  @Test(.enabled(if: access(xdgOpen, X_OK) == 0, "xdg-open is not installed"))
  func xdgOpenLeadsThroughTheRoutes() throws {
    try install()
    #expect(
      try run("/usr/bin/xdg-mime", ["query", "default", "x-scheme-handler/home"]) == ["carillon.desktop"])
    _ = try run(Self.xdgOpen, ["home://x/a%20b%24%28c%29"])
    try eventually("the step") { home.read("log") == "/a b$(c)\n" }
  }

  @Test(.enabled(if: access(gio, X_OK) == 0, "gio is not installed"))
  func gioLeadsThroughTheRoutes() throws {
    try install()
    #expect(
      try run(Self.gio, ["mime", "x-scheme-handler/home"]).first?.hasSuffix("carillon.desktop") == true)
    _ = try run(Self.gio, ["open", "home://x/a%20b%24%28c%29"])
    try eventually("the step") { home.read("log") == "/a b$(c)\n" }
  }
}
