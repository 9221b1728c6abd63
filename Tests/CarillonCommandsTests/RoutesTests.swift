import CarillonTestSupport
import Testing

@testable import CarillonCommands

@Suite struct RoutesTests {
  private let directory: TemporaryDirectory
  private var place = Run.Place()

  init() throws {
    directory = try TemporaryDirectory()
    place.system = directory.path
  }

  @Test func aGoodFileIsToldWithAnExampleForEachRoute() throws {
    let file = try directory.write(
      "routes.json5", "{ routes: [ { link: 'home://chores/:id', navigate: ['/{id}'] } ] }")
    let run = Run("routes", "check", at: place)
    #expect(run.status == 0)
    #expect(
      run.output == [
        "ROUTE      LINK               EXAMPLE", "routes[0]  home://chores/:id  home://chores/id",
      ])
    #expect(run.errors == ["\(file): 1 route, nothing wrong"])
    #expect(
      Run("routes", "check", file, "--json").output == [
        #"{"path":"routes[0]","route":"home://chores/:id","example":"home://chores/id"}"#
      ])
  }

  @Test func everyFaultIsToldWithItsPlaceAndRemedy() throws {
    let file = try directory.write(
      "r.json5",
      "{ routes: [\n  { link: 'home://:host/x', navigate: ['/'] },\n  { link: 'a://b', navigat: ['/'] },\n] }"
    )
    let run = Run("routes", "check", file)
    #expect(run.status == 78)
    #expect(run.errors.contains { $0.hasPrefix("error: \(file), line 2, column 5: routes[0].link: ") })
    #expect(run.errors.contains { $0.hasPrefix("error: \(file), line 3, column 20: routes[1].navigat: ") })
    #expect(run.errors.contains { $0.hasPrefix("  remedy: ") })
    #expect(
      Run("routes", "check", file, "--json").output.contains { $0.contains(#""path":"routes[1].navigat""#) })
  }

  @Test func aProgramThatIsNotThereIsAFaultThatACompanionBears() throws {
    let file = try directory.write(
      "r.json5",
      """
      { routes: [
        { link: 'a://b', navigate: ['/'], run: ['sh', '{step}'] },
        { link: 'a://c', navigate: ['/'], run: ['kiosk-{{show}}', '{step}'] },
        { link: 'a://d', navigate: ['/'], run: ['\(directory.path)/r.json5'] },
        { link: 'a://e', navigate: ['/'], run: ['\(directory.path)'] },
        { link: 'a://f', navigate: ['/'], run: ['/bin/sh'], wait: false },
      ] }
      """)
    var place = place
    place.environment = ["PATH": "/nonexistent:/bin"]
    let run = Run("routes", "check", file, at: place)
    #expect(run.status == 78)
    #expect(run.output.count == 6)
    #expect(
      run.errors.filter { $0.hasPrefix("warning: ") } == [
        "warning: \(file), line 3, column 43: routes[1].run[0]: there is no program \"kiosk-{show}\" in PATH",
        "warning: \(file), line 4, column 43: routes[2].run[0]: \(directory.path)/r.json5 may not be run by this user",
        "warning: \(file), line 5, column 43: routes[3].run[0]: there is no program \(directory.path)",
      ])
    #expect(run.errors.contains("  remedy: make it a program: chmod +x \(directory.path)/r.json5"))
    #expect(Run("routes", "list", "--routes", file, at: place).status == 0)
    place.environment = ["PATH": "/nonexistent"]
    #expect(
      Run("routes", "check", file, at: place).errors.contains { $0.contains("no program \"sh\" in PATH") })
  }

  @Test func aRouteThatIsNeverReachedIsAFaultThatACompanionBears() throws {
    let file = try directory.write(
      "r.json5", "{ routes: [ { link: 'a://b/:c', navigate: ['/'] }, { link: 'a://b/d', navigate: ['/'] } ] }"
    )
    let run = Run("routes", "check", file)
    #expect(run.status == 78)
    #expect(
      run.errors.first?.hasPrefix(
        "warning: \(file), line 1, column 54: routes[1].link: never reached: routes[0]") == true)
    #expect(Run("open", "--routes", file, "a://b/d").status == 0)
  }

  @Test func aFileThatIsNoJSON5IsAFault() throws {
    let file = try directory.write("r.json5", "{ routes: [ }")
    let run = Run("routes", "check", file)
    #expect(run.status == 78)
    #expect(run.errors.first?.contains("line 1, column 13") == true)
    #expect(Run("routes", "check", "/nonexistent").status == 78)
    #expect(Run("routes", "check").status == 78)
  }

  @Test func routesAreListedInTheirOrder() throws {
    try directory.write(
      "routes.json5",
      "{ routes: [ { link: 'b://x', navigate: ['/', '/x'], run: ['show', '{step}'] }, { link: 'a://y', navigate: ['y'] } ] }"
    )
    #expect(
      Run("routes", "list", at: place).output == [
        "LINK   NAVIGATE  RUN", "b://x  / > /x    show {step}", "a://y  y         -",
      ])
    #expect(
      Run("routes", "list", "--json", at: place).output.first
        == #"{"link":"b://x","navigate":["/","/x"],"run":["show","{step}"],"timeout":"15m","wait":true,"form":false}"#
    )
  }
}
