import Glibc

/// What a process takes, as the kernel counts it (proc(5)).
struct ProcessUsage {
  let pid: pid_t

  /// Processor time in seconds, since it was started.
  var processor: Double { Double(text("schedstat").split(separator: " ").first ?? "").map { $0 / 1e9 } ?? 0 }

  /// Bytes written to files and sockets, since it was started.
  var written: Double { number("io", "wchar: ") }

  /// Resident memory, in bytes.
  var resident: Double { number("status", "VmRSS:") * 1024 }

  /// The most that it ever was, in bytes.
  var peak: Double { number("status", "VmHWM:") * 1024 }

  private func number(_ file: String, _ beginning: String) -> Double {
    let line = text(file).split(separator: "\n").first { $0.hasPrefix(beginning) } ?? ""
    return Double(line.filter(\.isNumber)) ?? 0
  }

  private func text(_ name: String) -> String {
    guard let file = fopen("/proc/\(pid)/\(name)", "r") else { return "" }
    defer { fclose(file) }
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = fread(&buffer, 1, buffer.count, file)
    return String(decoding: buffer.prefix(count), as: UTF8.self)
  }
}
