import CarillonModel
import FoundationEssentials

/// Another program that opens the links of a scheme.
struct SchemeClaim: Hashable {
  /// The name of its desktop entry.
  let identifier: String
  /// What the entry calls it; `nil` where there is no such entry.
  let name: String?
  /// The file that says so.
  let file: String

  var described: String {
    let shown = printable(identifier, limit: 128)
    return name.map { "\(printable($0)) (\(shown))" } ?? shown
  }
}

/// Finds out who opens links on this desktop.
struct SchemeClaims {
  let folders: XDGFolders

  /// The program, other than this one, that opens a scheme's links, or would if this one did not.
  ///
  /// - Throws: `Failure` for a file that cannot be read.
  func claim(on scheme: String) throws -> SchemeClaim? {
    let type = DesktopEntry.type(of: scheme)
    for group in ["Default Applications", "Added Associations"] {
      for file in folders.associations {
        if let found = try first(of: type, in: group, of: file) { return found }
      }
    }
    for folder in folders.applications {
      if let found = try first(of: type, in: "MIME Cache", of: folder + "/mimeinfo.cache") { return found }
      if let found = try entry(opening: scheme, in: folder) { return found }
    }
    return nil
  }

  /// The file in which another program is told of that counts before the user's own list; `nil` where none is.
  func precedence(over list: String, on scheme: String) throws -> SchemeClaim? {
    for file in folders.associations.prefix(while: { $0 != list }) {
      let type = DesktopEntry.type(of: scheme)
      if let found = try first(of: type, in: "Default Applications", of: file) { return found }
    }
    return nil
  }

  private func first(of type: String, in group: String, of file: String) throws -> SchemeClaim? {
    guard let bytes = try ConfigurationFile.bytes(of: file) else { return nil }
    let programs = KeyFile(bytes).list(type, in: group).filter { $0 != DesktopEntry.identifier }
    return try programs.first.map { SchemeClaim(identifier: $0, name: try name(of: $0), file: file) }
  }

  /// An entry that says so itself, whether or not somebody has gathered it into a cache.
  private func entry(opening scheme: String, in folder: String) throws -> SchemeClaim? {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() where name.hasSuffix(".desktop") && name != DesktopEntry.identifier {
      let path = "\(folder)/\(name)"
      guard let bytes = try? ConfigurationFile.bytes(of: path) else { continue }
      let file = KeyFile(bytes)
      let isHidden = file.value("Hidden", in: DesktopEntry.group) == "true"
      guard !isHidden, DesktopEntry.schemes(in: file).contains(scheme) else { continue }
      return SchemeClaim(identifier: name, name: file.value("Name", in: DesktopEntry.group), file: path)
    }
    return nil
  }

  private func name(of identifier: String) throws -> String? {
    // A name with a slash would lead to any file.
    guard !identifier.contains("/") else { return nil }
    for folder in folders.applications {
      guard let bytes = try? ConfigurationFile.bytes(of: "\(folder)/\(identifier)") else { continue }
      return KeyFile(bytes).value("Name", in: DesktopEntry.group)
    }
    return nil
  }
}
