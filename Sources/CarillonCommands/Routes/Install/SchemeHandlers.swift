import CarillonLoop
import CarillonModel
import Glibc

/// Makes this program the one that opens links of some schemes for the user's desktop, and ends that.
///
/// Whom it takes a scheme from stays in the same line behind it, so that the line is as before once it is gone.
struct SchemeHandlers {
  private static let defaults = "Default Applications"

  let claims: SchemeClaims
  /// This program's desktop entry.
  let entry: String
  /// The user's list of which program opens what.
  let list: String

  /// - Throws: `Failure` where the environment names no folders of the user's.
  init(_ environment: [String: String]) throws {
    let folders = XDGFolders(environment)
    guard let config = folders.configHome, let data = folders.dataHome else {
      throw Failure(.failure, "HOME is not set, so it is not known whose desktop this is about")
    }
    claims = SchemeClaims(folders: folders)
    entry = "\(data)/applications/\(DesktopEntry.identifier)"
    list = "\(config)/mimeapps.list"
  }

  /// The schemes that this program is installed for, as its desktop entry says.
  func installed() throws -> [String] { try ours().map(DesktopEntry.schemes(in:)) ?? [] }

  /// Whether this program is the first that the user's list names for a scheme.
  func isDefault(_ scheme: String) throws -> Bool {
    try associations().list(DesktopEntry.type(of: scheme), in: SchemeHandlers.defaults).first
      == DesktopEntry.identifier
  }

  /// Whether there is an entry of that name which this program has not written.
  func isEntryForeign() throws -> Bool {
    guard let file = try file(entry) else { return false }
    return file.value(DesktopEntry.mark, in: DesktopEntry.group) != "true"
  }

  /// - Parameter command: what opens a link, which is added behind it.
  func install(_ schemes: [String], command: [String]) throws {
    let known = try installed()
    let all = known + schemes.filter { !known.contains($0) }
    let text = Array(DesktopEntry.text(command: command, schemes: all).utf8)
    if try file(entry)?.bytes != text {
      try makeFolder(of: entry)
      try replaceFile(entry, with: text)
    }
    try change { file in
      for scheme in schemes {
        let type = DesktopEntry.type(of: scheme)
        guard file.list(type, in: SchemeHandlers.defaults).first != DesktopEntry.identifier else { continue }
        file.remove(DesktopEntry.identifier, from: type, in: SchemeHandlers.defaults)
        file.prepend(DesktopEntry.identifier, to: type, in: SchemeHandlers.defaults)
      }
    }
  }

  func uninstall(_ schemes: [String]) throws {
    // First nobody is led here any more.
    try change { file in
      for scheme in schemes {
        file.remove(
          DesktopEntry.identifier, from: DesktopEntry.type(of: scheme), in: SchemeHandlers.defaults)
      }
    }
    guard let ours = try ours() else { return }
    let left = DesktopEntry.schemes(in: ours).filter { !schemes.contains($0) }
    guard !left.isEmpty else {
      guard unlink(entry) == 0 else {
        throw Failure(.failure, "\(visible(entry)) cannot be removed: \(systemMessage(errno))")
      }
      return
    }
    var file = ours
    for scheme in schemes {
      file.remove(DesktopEntry.type(of: scheme), from: DesktopEntry.types, in: DesktopEntry.group)
    }
    if file.bytes != ours.bytes { try replaceFile(entry, with: file.bytes) }
  }

  private func change(_ body: (inout KeyFile) -> Void) throws {
    let before = try associations()
    var file = before
    body(&file)
    guard file.bytes != before.bytes else { return }
    try makeFolder(of: list)
    try replaceFile(list, with: file.bytes)
  }

  private func associations() throws -> KeyFile { try file(list) ?? KeyFile() }

  /// This program's entry, where it is there and its own.
  private func ours() throws -> KeyFile? { try isEntryForeign() ? nil : try file(entry) }

  private func file(_ path: String) throws -> KeyFile? {
    do { return try ConfigurationFile.bytes(of: path).map { KeyFile($0) } } catch let failure as Failure {
      throw Failure(.failure, failure.message)
    }
  }

  private func makeFolder(of path: String) throws {
    let folder = String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)])
    let fault = CarillonCommands.makeFolder(folder)
    guard fault == 0 else {
      throw Failure(.failure, "\(visible(folder)) cannot be made: \(systemMessage(fault))")
    }
  }
}
