import CarillonTestSupport
import Glibc

/// A page in Prometheus's text format, read as strictly as the format is written down (0.0.4).
struct PrometheusPage {
  let text: String
  private var values: [String: String] = [:]

  subscript(sample: String) -> String? { values[sample] }

  /// - Throws: at the first line that is none of the format, and where help, type or order of a family is wrong.
  init(_ text: String) throws {
    self.text = text
    guard text.hasSuffix("\n") else { throw TestFailure("the page does not end with a line feed") }
    var (family, kind, helped) = ("", "", "")
    var families: Set<String> = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      let words = line.split(separator: " ", maxSplits: 3).map(String.init)
      if line.hasPrefix("# HELP ") {
        guard words.count == 4, families.insert(words[2]).inserted else { throw TestFailure("\(line)") }
        helped = words[2]
      } else if line.hasPrefix("# TYPE ") {
        guard words.count == 4, words[2] == helped, ["counter", "gauge", "histogram"].contains(words[3])
        else {
          throw TestFailure("\(line)")
        }
        (family, kind) = (words[2], words[3])
        guard (kind == "counter") == family.hasSuffix("_total") else { throw TestFailure("\(line)") }
      } else {
        let end = line.lastIndex(of: " ") ?? line.startIndex
        let (sample, value) = (String(line[..<end]), String(line[line.index(after: end)...]))
        let name = String(sample.prefix { $0 != "{" })
        let names = kind == "histogram" ? ["_bucket", "_sum", "_count"].map { family + $0 } : [family]
        guard names.contains(name), Double(value) != nil, values.updateValue(value, forKey: sample) == nil
        else {
          throw TestFailure("\(line)")
        }
        let labels = sample.dropFirst(name.count)
        guard labels.isEmpty || labels.hasPrefix("{") && labels.hasSuffix("\"}") else {
          throw TestFailure("\(line)")
        }
      }
    }
    try checkHistograms()
  }

  /// Buckets only ever grow, and the last is the count.
  private func checkHistograms() throws {
    var last: [String: Int] = [:]
    for line in text.split(separator: "\n") where line.contains("_bucket{le=") {
      let name = String(line.prefix { $0 != "{" })
      let value = Int(line.split(separator: " ").last ?? "") ?? -1
      guard value >= last[name] ?? 0 else { throw TestFailure("\(line)") }
      last[name] = value
    }
    for (name, value) in last {
      guard values[name.replacing("_bucket", with: "_count")] == "\(value)" else { throw TestFailure(name) }
    }
  }

  /// Lets Prometheus's own tool judge, where it is installed.
  static func judge(_ text: String) throws {
    guard access("/usr/bin/promtool", X_OK) == 0 else { return }
    let tool = try Program(["check", "metrics"], executable: "/usr/bin/promtool", takesInput: true)
    for line in text.split(separator: "\n") { try tool.send(String(line)) }
    tool.closeInput()
    guard try tool.waitForExit() == .exited(0) else {
      throw TestFailure(tool.lines(.errors).joined(separator: "\n"))
    }
  }
}
