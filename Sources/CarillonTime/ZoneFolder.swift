import CarillonModel
import Glibc

/// The folder of compiled zones as the file system shows it.
package struct ZoneFolder {
  let path: String

  init(_ path: String) { self.path = path }

  /// A file or a folder.
  struct Entry {
    /// Below the folder.
    var name: String
    var isFile: Bool
    var size: Int64
    /// When its content, its name or anything else of it was changed last, in nanoseconds. Unlike the time of its content,
    /// which packages set, this is of the machine's own clock: a file with the old one's size and time is still another.
    var changed: Int64
  }

  /// A zone takes under 4 KiB; the largest that tzdata has ever had, under 16 KiB.
  private static let largestFile = 262_144
  /// tzdata with its two copies has under 2,000 files, in folders three deep.
  private static let mostFiles = 20_000
  private static let deepest = 4

  /// The content of a regular file; `nil` where there is none, or it is larger than any zone. Never waits, whatever stands
  /// at the path.
  package static func contents(of path: String) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= largestFile
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let start = filled
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(descriptor, buffer.baseAddress?.advanced(by: start), buffer.count - start)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }

  /// The names of all regular files, links followed.
  func files() -> [String] { entries().filter(\.isFile).map(\.name) }

  /// All regular files and folders, links followed, itself included; without tzdata's two copies of itself (`posix/`, and
  /// `right/` with leap seconds) and without `localtime`, which is what is set on this machine.
  private func entries() -> [Entry] {
    var found: [Entry] = []
    collect("", depth: 0, into: &found)
    return found
  }

  private func collect(_ name: String, depth: Int, into found: inout [Entry]) {
    var status = stat()
    guard found.count < ZoneFolder.mostFiles, stat(path + "/" + name, &status) == 0 else { return }
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFREG || kind == S_IFDIR else { return }
    let changed = Int64(status.st_ctim.tv_sec).multipliedSaturated(by: 1_000_000_000)
      .addingSaturated(Int64(status.st_ctim.tv_nsec))
    found.append(
      Entry(name: name, isFile: kind == S_IFREG, size: Int64(status.st_size), changed: changed))
    guard kind == S_IFDIR, depth < ZoneFolder.deepest else { return }
    for inner in ZoneFolder.entries(of: path + "/" + name) {
      let full = name.isEmpty ? inner : name + "/" + inner
      if !ZoneFolder.passedOver.contains(full) { collect(full, depth: depth + 1, into: &found) }
    }
  }

  private static let passedOver: Set = ["right", "posix", "localtime"]

  private static func entries(of directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { raw in
        String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
      }
      // Hidden files and the folder's own names; a dot elsewhere is harmless.
      if !name.hasPrefix("."), names.count < mostFiles { names.append(name) }
    }
    return names
  }

  /// The release that tzdata states, and what its files and folders look like: names, sizes and times, but not their
  /// content, so that it can be taken often (under two milliseconds).
  func fingerprint() -> String {
    var hash = FNV()
    for entry in entries().sorted(by: { $0.name < $1.name }) {
      hash.add(entry.name.utf8)
      hash.add("\u{0}\(entry.size)\u{0}\(entry.changed)\n".utf8)
    }
    let digits = String(hash.value, radix: 16)
    let padded = String(repeating: "0", count: 16 - digits.count) + digits
    return (release() ?? "unknown") + "-" + padded
  }

  /// From the first line of `tzdata.zi` (`# version 2026f`), or from `+VERSION`.
  private func release() -> String? {
    let marked = ZoneFolder.firstLine(of: path + "/tzdata.zi")
    let plain =
      marked?.hasPrefix("# version ") == true
      ? marked?.dropFirst("# version ".count) : ZoneFolder.firstLine(of: path + "/+VERSION")
    guard let plain, !plain.isEmpty else { return nil }
    return printable(String(plain), limit: 16)
  }

  /// The first line of a text file, at most 64 bytes of it.
  static func firstLine(of path: String) -> Substring? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
    guard count > 0 else { return nil }
    return Substring(String(decoding: bytes[..<count].prefix { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self))
  }
}

/// Fowler, Noll and Vo's hash, 64 bits (FNV-1a): the same in every process, unlike Swift's own.
private struct FNV {
  var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      value ^= UInt64(byte)
      value = value &* 0x100_0000_01B3
    }
  }
}

/// A variable of the environment.
func environmentVariable(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}
