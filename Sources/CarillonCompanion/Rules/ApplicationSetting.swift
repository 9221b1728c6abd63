import CarillonLinks
import CarillonModel

/// One of the settings under `applications`: a program that attaches to the companion and takes links itself.
public struct ApplicationSetting: Hashable, Sendable {
  /// The schemes of the links that it takes, in lower case.
  public var schemes: Set<String>
  /// The program that is started where it is not attached, and its arguments; nil: it is waited for.
  public var run: [String]?

  public init(schemes: Set<String>, run: [String]? = nil) {
    self.schemes = schemes
    self.run = run
  }

  /// - Throws: `unknown-field` or `invalid`, with the place.
  public init(reading fields: Fields) throws(Refusal) {
    try fields.allow(only: ["schemes", "run"])
    let names = try fields.strings("schemes") ?? []
    guard !names.isEmpty else {
      throw fields.refusal("schemes", "is missing: name the schemes that it takes")
    }
    schemes = Set(names.map { $0.lowercased() })
    run = try fields.strings("run")
    guard run?.first?.isEmpty != true, run?.isEmpty != true else {
      throw fields.refusal("run", "is a program and its arguments")
    }
  }
}
