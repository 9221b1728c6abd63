extension String {
  /// The text as it may be shown to a person: it cannot steer a terminal nor a notification service, cannot turn the
  /// direction of what stands around it, and is not endless. Joiners, which scripts and emoji need, stay.
  ///
  /// - Parameters:
  ///   - limit: in Unicode scalars; what is longer is cut, with `…` in the last place.
  ///   - keepsLines: true: line feeds stay, and other line ends become line feeds; false: they become blanks.
  public func shown(limit: Int, keepsLines: Bool = false) -> String {
    if utf8.count <= limit, utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return self }
    var result = String.UnicodeScalarView()
    var count = 0
    var isAfterReturn = false
    for scalar in unicodeScalars {
      defer { isAfterReturn = scalar == "\r" }
      if scalar == "\n", isAfterReturn, keepsLines { continue }
      if count == limit {
        result.removeLast()
        result.append("…")
        break
      }
      result.append(scalar.shown(keepsLines: keepsLines))
      count += 1
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  fileprivate func shown(keepsLines: Bool) -> Unicode.Scalar {
    switch properties.generalCategory {
    case _ where self == "\n" || self == "\r": keepsLines ? "\n" : " "
    case _ where self == "\t": " "
    case .format where self == "\u{200C}" || self == "\u{200D}": self
    case .lineSeparator, .paragraphSeparator: keepsLines ? "\n" : "\u{FFFD}"
    case .control, .format: "\u{FFFD}"
    // They stand for no character, and some libraries take them for broken UTF-8.
    case _ where properties.isNoncharacterCodePoint: "\u{FFFD}"
    default: self
    }
  }
}
