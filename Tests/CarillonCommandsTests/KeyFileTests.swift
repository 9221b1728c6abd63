import Testing

@testable import CarillonCommands

/// What the user's list of programs keeps of itself when one is put into it, and taken out again.
@Suite struct KeyFileTests {
  private static let group = "Default Applications"
  private static let key = "x-scheme-handler/home"
  private static let element = "carillon.desktop"

  /// A file, and what it is with the element in it.
  static let files: [(String, String)] = [
    ("", "[Default Applications]\nx-scheme-handler/home=carillon.desktop\n"),
    ("# mine", "# mine\n\n[Default Applications]\nx-scheme-handler/home=carillon.desktop\n"),
    (
      "[Default Applications]\ntext/html=b.desktop",
      "[Default Applications]\ntext/html=b.desktop\nx-scheme-handler/home=carillon.desktop\n"
    ),
    (
      "[Default Applications]\n\n# x\na=b;\n\n[Added Associations]\nx-scheme-handler/home=a\n",
      "[Default Applications]\n\n# x\na=b;\nx-scheme-handler/home=carillon.desktop\n\n[Added Associations]\nx-scheme-handler/home=a\n"
    ),
    (
      "[Default Applications]\nx-scheme-handler/home=old.desktop\n",
      "[Default Applications]\nx-scheme-handler/home=carillon.desktop;old.desktop\n"
    ),
    (
      " [Default Applications]\t\r\n x-scheme-handler/home =  old.desktop ; b ;\r\n",
      " [Default Applications]\t\r\n x-scheme-handler/home =  carillon.desktop;old.desktop ; b ;\r\n"
    ),
    (
      "[Default Applications]\n#x-scheme-handler/home=a\nx-scheme-handler/homes=b\nX-scheme-handler/home=c\n",
      "[Default Applications]\n#x-scheme-handler/home=a\nx-scheme-handler/homes=b\nX-scheme-handler/home=c\nx-scheme-handler/home=carillon.desktop\n"
    ),
    (
      "[Default Applications]\nx-scheme-handler/home=a\nx-scheme-handler/home=b\n",
      "[Default Applications]\nx-scheme-handler/home=carillon.desktop;a\nx-scheme-handler/home=carillon.desktop;b\n"
    ),
    (
      "[Default Applications]\n[x]\n[Default Applications]\na=b\n",
      "[Default Applications]\n[x]\n[Default Applications]\na=b\nx-scheme-handler/home=carillon.desktop\n"
    ),
    (
      "broken\n[\n]\n=\n[Default Applications\n",
      "broken\n[\n]\n=\n[Default Applications\n\n[Default Applications]\nx-scheme-handler/home=carillon.desktop\n"
    ),
  ]

  @Test(arguments: files) func anElementIsPutInFrontAndNothingElseChanges(_ before: String, _ after: String) {
    var file = KeyFile(Array(before.utf8))
    #expect(file.bytes == Array(before.utf8))
    file.prepend(Self.element, to: Self.key, in: Self.group)
    #expect(String(decoding: file.bytes, as: UTF8.self) == after)
    #expect(KeyFile(file.bytes).list(Self.key, in: Self.group).first == Self.element)
  }

  @Test(arguments: files) func takenOutAgainTheOtherLinesAreAsBefore(_ before: String, _ after: String) {
    var file = KeyFile(Array(after.utf8))
    file.remove(Self.element, from: Self.key, in: Self.group)
    // A headline that had to be made stays, and a last line has an end.
    let text = String(decoding: file.bytes, as: UTF8.self)
    #expect(text.hasPrefix(before))
    #expect(
      ["", "\n", "[Default Applications]\n", "\n\n[Default Applications]\n", "\n[Default Applications]\n"]
        .contains(String(text.dropFirst(before.count))), "\(text)")
    let bytes = file.bytes
    file.remove(Self.element, from: Self.key, in: Self.group)
    #expect(file.bytes == bytes)
  }

  @Test func bytesThatAreNoTextStay() {
    let bytes: [UInt8] =
      Array("[Default Applications]\n#".utf8) + [0xFF, 0xFE, 0x0A, 0x00] + Array("=\n".utf8)
    var file = KeyFile(bytes)
    file.prepend(Self.element, to: Self.key, in: Self.group)
    file.remove(Self.element, from: Self.key, in: Self.group)
    #expect(file.bytes == bytes)
  }

  @Test func anEmptyValueIsNobodys() {
    var file = KeyFile(Array("[Default Applications]\nx-scheme-handler/home= ;\n".utf8))
    #expect(file.list(Self.key, in: Self.group) == [])
    file.remove(Self.element, from: Self.key, in: Self.group)
    #expect(
      String(decoding: file.bytes, as: UTF8.self) == "[Default Applications]\nx-scheme-handler/home= ;\n")
  }
}
