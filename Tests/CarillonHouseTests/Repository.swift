import FoundationEssentials
import Glibc

/// The project's own files, as they lie in the work tree of which this test is a part.
enum Repository {
  /// The folder that holds Package.swift, with a slash at the end.
  static let root: String = {
    let levels = #filePath.split(separator: "/").dropLast(3)
    return "/" + levels.joined(separator: "/") + "/"
  }()

  /// What the top of the repository holds, less what version control is told to ignore.
  static func topLevel() throws -> [String] {
    let ignored = Set(
      try text(".gitignore").split(separator: "\n").map {
        $0.hasSuffix("/") ? String($0.dropLast()) : String($0)
      })
    return try FileManager.default.contentsOfDirectory(atPath: root)
      .filter { !ignored.contains($0) && !$0.hasSuffix(".swp") }
      .sorted()
  }

  /// Every file below a folder, as paths from the root, in order.
  static func files(_ folder: String, ending: String = "") throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root + folder)
      .map { "\(folder)/\($0)" }
      .filter { $0.hasSuffix(ending) && !isFolder($0) && !$0.hasSuffix(".swp") }
      .sorted()
  }

  /// Every file of the project.
  static func everyFile() throws -> [String] {
    try topLevel().filter { $0 != ".git" }.flatMap { try isFolder($0) ? files($0) : [$0] }
  }

  /// The folders directly below one.
  static func folders(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: root + folder)
      .filter { isFolder("\(folder)/\($0)") }
      .sorted()
  }

  static func isFolder(_ path: String) -> Bool {
    var isFolder = false
    return FileManager.default.fileExists(atPath: root + path, isDirectory: &isFolder) && isFolder
  }

  static func text(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: root + path)), as: UTF8.self)
  }

  /// Every Swift file of the sources, read once.
  static let sources: [(file: String, code: SwiftCode)] = {
    let paths = (try? files("Sources", ending: ".swift")) ?? []
    return paths.compactMap { file in (try? text(file)).map { (file: file, code: SwiftCode($0)) } }
  }()

  static func lines(_ path: String) throws -> [Substring] {
    try text(path).split(separator: "\n", omittingEmptySubsequences: false)
  }
}

/// Where a text stands in another one, in bytes from its beginning.
func places(of word: String, in text: String) -> [Int] {
  text.withCString { start in
    var found: [Int] = []
    var rest = start
    while let hit = strstr(rest, word) {
      found.append(UnsafePointer(hit) - start)
      rest = UnsafePointer(hit) + 1
    }
    return found
  }
}
