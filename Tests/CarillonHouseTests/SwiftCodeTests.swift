import Testing

/// The house's own reading of Swift: what it overlooks, no rule can hold.
@Suite struct SwiftCodeTests {
  @Test(arguments: [
    ("import Glibc", ["Glibc"]), ("  import Glibc", ["Glibc"]),
    ("@testable import CarillonLinks", ["CarillonLinks"]),
    ("public import CarillonModel // why", ["CarillonModel"]),
    ("@preconcurrency private import Foundation", ["Foundation"]),
    ("import struct Foundation.URL", ["Foundation"]), ("import Foundation.NSString", ["Foundation"]),
    ("// import Foundation", []), ("/* import Foundation */", []), ("/*\nimport Foundation\n*/", []),
    ("let text = \"import Foundation\"", []), ("\"\"\"\nimport Foundation\n\"\"\"", []),
    ("let important = 1", []),
    ("import A\nimport B", ["A", "B"]),
  ])
  func importsAreFound(_ text: String, _ imports: [String]) {
    #expect(SwiftCode(text).imports == imports)
  }

  @Test(arguments: [
    ("let a = try! b()", "try!", true), ("let a = try b()", "try!", false), ("b as! C", "as!", true),
    ("alias!.count", "as!", false), ("// try! it", "try!", false), ("print(\"try! it\")", "try!", false),
    ("print(\"a \\\" b\"); try! c()", "try!", true), ("let now = Date()", "Date()", true),
    ("wallDate()", "Date()", false), ("f(\"mqtt://x\"); fatalError()", "fatalError(", true),
  ])
  func constructsAreFoundInCodeAlone(_ text: String, _ word: String, _ isThere: Bool) {
    #expect(SwiftCode.has(word, in: SwiftCode(text).lines[0]) == isThere)
  }
}
