import CPOSIX
import CarillonModel
import Glibc

/// One command line, read against a verb's table.
struct ParsedWords {
  /// The options in the order given; switches have no value.
  var options: [(option: Option, value: String?)] = []
  var operands: [String] = []

  func has(_ name: String) -> Bool { options.contains { $0.option.name == name } }
}

/// Reads the words of a command line through glibc's `getopt_long`, with the options of a table.
///
/// Names must be whole: a beginning that is unambiguous today would break with the next option that is added.
struct OptionParser {
  let table: [Option]
  /// Whether the first word that is no option ends the reading.
  var leading = false

  /// - Throws: `Failure` (usage) that names the word at fault and the option it resembles.
  func parse(_ words: [String]) throws -> ParsedWords {
    var parsed = ParsedWords()
    try withFindings(words) { finding in
      switch finding.kind {
      case CARILLON_OPTION_SET:
        let value = finding.text.map { String(cString: $0) }
        parsed.options.append((table[Int(finding.index)], value))
      case CARILLON_OPTION_OPERAND: parsed.operands.append(text(finding))
      case CARILLON_OPTION_UNKNOWN: throw unknown(text(finding))
      case CARILLON_OPTION_NO_ARGUMENT:
        throw Failure.usage("\(table[Int(finding.index)].signature) needs an argument")
      default: throw Failure.usage("--\(table[Int(finding.index)].name) takes no argument")
      }
    }
    return parsed
  }

  private func text(_ finding: carillon_option_finding) -> String {
    finding.text.map { String(cString: $0) } ?? ""
  }

  private func unknown(_ word: String) -> Failure {
    let name = String(word.prefix { $0 != "=" })
    let near = nearest(to: name, among: table.map { "--\($0.name)" })
    let begun = table.filter { name.count > 3 && "--\($0.name)".hasPrefix(name) }
    let meant = near ?? (begun.count == 1 ? "--\(begun[0].name)" : nil)
    return .usage("there is no option \(printable(name))" + (meant.map { "; did you mean \($0)?" } ?? ""))
  }

  /// The findings point into the words, which live until `body` has seen them all.
  private func withFindings(_ words: [String], _ body: (carillon_option_finding) throws -> Void) throws {
    var pointers: [UnsafeMutablePointer<CChar>?] = (["carillon"] + words).map { strdup($0) } + [nil]
    let copies = pointers
    let names = table.map { strdup($0.name) }
    defer {
      for copy in copies + names { free(copy) }
    }
    let options = zip(table, names).map {
      carillon_option(name: $1, takes_argument: $0.argument == nil ? 0 : 1)
    }
    var findings = [carillon_option_finding](repeating: carillon_option_finding(), count: pointers.count)
    let count = carillon_getopt(
      Int32(words.count + 1), &pointers, options, Int32(options.count), leading ? 1 : 0, &findings)
    for finding in findings.prefix(Int(count)) { try body(finding) }
  }
}
