import Glibc

/// Who has started whom, as /proc tells (proc(5)).
public enum ProcessTree {
  /// One process.
  public struct Entry: Hashable, Sendable {
    public var pid: pid_t
    public var parent: pid_t
    /// `Z` for a zombie.
    public var state: Character
  }

  /// All processes that this one may see.
  public static func entries() -> [Entry] {
    names(in: "/proc").compactMap { pid_t($0) }.compactMap(entry)
  }

  /// The processes that one has started, and those that they have started.
  public static func descendants(of pid: pid_t) -> [Entry] {
    let all = entries()
    var found: [Entry] = []
    var parents: Set<pid_t> = [pid]
    while !parents.isEmpty {
      let children = all.filter { parents.contains($0.parent) }
      found += children
      parents = Set(children.map(\.pid))
    }
    return found
  }

  /// Whether a process is there, as a zombie too.
  public static func exists(_ pid: pid_t) -> Bool { entry(pid) != nil }

  /// Where a process is, for the message of a test that waited for it in vain: its state, its times, and the call it is in.
  static func place(of pid: pid_t) -> String {
    let parts = ["stat", "wchan", "syscall"].map { "\($0): \(text(of: "/proc/\(pid)/\($0)") ?? "-")" }
    return "; " + parts.joined(separator: "; ").replacing("\n", with: "")
  }

  /// The name of a program may hold blanks and brackets; what follows the last bracket is well formed.
  private static func entry(_ pid: pid_t) -> Entry? {
    guard let text = text(of: "/proc/\(pid)/stat"), let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 2, let state = fields[0].first, let parent = pid_t(fields[1]) else { return nil }
    return Entry(pid: pid, parent: parent, state: state)
  }

  private static func text(of path: String) -> String? {
    let fd = open(path, O_RDONLY | O_CLOEXEC)
    guard fd >= 0 else { return nil }
    defer { close(fd) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = read(fd, &buffer, buffer.count)
    return count > 0 ? String(decoding: buffer.prefix(count), as: UTF8.self) : nil
  }

  private static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      names.append(
        withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) })
    }
    return names
  }
}
