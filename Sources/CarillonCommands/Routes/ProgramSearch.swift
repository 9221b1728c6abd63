import CarillonLinks
import CarillonModel
import Glibc

/// Looks for a route's program where it would be looked for when a step is taken.
struct ProgramSearch {
  /// The folders of PATH, in their order.
  private let folders: [String]

  /// What is searched where there is no PATH, as `posix_spawnp` has it.
  private static let usual = "/bin:/usr/bin"

  init(_ environment: [String: String]) {
    folders = (environment["PATH"] ?? ProgramSearch.usual).split(
      separator: ":", omittingEmptySubsequences: false
    )
    // An empty one is the folder at hand.
    .map { $0.isEmpty ? "." : String($0) }
  }

  /// What is wrong with a program, and what to do; `nil` where it can be run.
  func fault(_ program: String) -> ProgramFault? {
    let shown = printable(program, limit: 200)
    let places = program.contains("/") ? [program] : folders.map { "\($0)/\(program)" }
    var found: String?
    for place in places {
      var status = stat()
      guard stat(place, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      if access(place, X_OK) == 0 { return nil }
      found = found ?? place
    }
    if let found {
      let place = printable(found, limit: 200)
      return ProgramFault(
        "\(place) may not be run by this user", remedy: "make it a program: chmod +x \(place)")
    }
    guard program.contains("/") else {
      return ProgramFault(
        "there is no program \"\(shown)\" in PATH",
        remedy: "install it, or write its whole path: run: [\"/…/\(shown)\", …]")
    }
    return ProgramFault("there is no program \(shown)", remedy: "install it there, or write where it is")
  }
}
