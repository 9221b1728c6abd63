extension CalendarComponents {
  /// Reads the notation of the command line: `weekday=mon,fri hour=7 minute=30`, components apart by blanks, values by
  /// commas.
  public init(parsing text: String) throws(TextFault) {
    self.init()
    let bytes = Array(text.utf8)
    var given: Set<Name> = []
    var nthSpan: Range<Int>?
    for word in CalendarComponents.split(0..<bytes.count, bytes, at: " \t") where !word.isEmpty {
      let (name, values) = try CalendarComponents.component(word, bytes)
      guard given.insert(name).inserted else {
        throw TextFault(word, "\(name.rawValue) is given twice; list its values with commas")
      }
      if name == .nth { nthSpan = word }
      var numbers: [Int] = []
      for value in CalendarComponents.split(values, bytes, at: ",") {
        guard !value.isEmpty else { throw TextFault(value, "a value of \(name.rawValue) is missing here") }
        switch CalendarComponents.check(name, String(decoding: bytes[value], as: UTF8.self)) {
        case .success(let number): numbers.append(number)
        case .failure(let fault): throw TextFault(value, fault.message)
        }
      }
      set(name, numbers)
    }
    if let nthSpan, weekdays == nil { throw TextFault(nthSpan, ComponentFault.nthAlone.message) }
    if given.isEmpty { throw TextFault(0..<bytes.count, ComponentFault.nothingGiven.message) }
  }

  private static func component(
    _ word: Range<Int>, _ bytes: [UInt8]
  ) throws(TextFault) -> (Name, values: Range<Int>) {
    let sign = bytes[word].firstIndex(of: UInt8(ascii: "=")) ?? word.upperBound
    let text = String(decoding: bytes[word.lowerBound..<sign], as: UTF8.self)
    guard let name = Name(rawValue: text) else {
      let names = Name.allCases.map(\.rawValue)
      let near = nearest(to: text, among: names).map { "; did you mean \($0)?" } ?? ""
      throw TextFault(
        word.lowerBound..<sign,
        "\"\(printable(text))\" is none of \(names.joined(separator: ", "))\(near)")
    }
    guard sign < word.upperBound else {
      throw TextFault(word.upperBound..<word.upperBound, "write \(name.rawValue)=VALUE, without blanks")
    }
    return (name, sign + 1..<word.upperBound)
  }

  /// The parts of a text between separators, which may be empty.
  private static func split(_ range: Range<Int>, _ bytes: [UInt8], at separators: String) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var start = range.lowerBound
    for place in range where separators.utf8.contains(bytes[place]) {
      parts.append(start..<place)
      start = place + 1
    }
    return parts + [start..<range.upperBound]
  }
}
