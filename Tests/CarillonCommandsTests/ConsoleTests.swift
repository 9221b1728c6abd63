import Testing

@testable import CarillonCommands

@Suite struct ConsoleTests {
  @Test func columnsStandUnderEachOtherAndGrowFromPageToPage() {
    var table = Table(["ID", "TITLE"])
    #expect(table.page([["a", "x"], ["long", ""]]) == ["ID    TITLE", "a     x", "long  -"])
    #expect(table.page([["longer", "y"]]) == ["longer  y"])
    #expect(table.page([]) == [])
    #expect(table.page([["b", "z"]]) == ["b       z"])
  }

  @Test func cellsAreCutAndFreedOfControlCharacters() {
    var table = Table(["A", "B"])
    let lines = table.page([[String(repeating: "x", count: 60), "\u{1B}[31m\n"]])
    #expect(lines[1] == String(repeating: "x", count: 47) + "…  \\u{1b}[31m\\u{a}")
  }

  @Test func nothingWrittenCanSteerATerminal() {
    var written: [UInt8] = []
    let console = Console { _, bytes in
      written += bytes
      return true
    }
    console.print("a\u{9B}b\u{202E}c\u{7F}\r")
    #expect(String(decoding: written, as: UTF8.self) == "a\\u{9b}b\\u{202e}c\\u{7f}\\u{d}\n")
  }

  @Test func theCaretStandsUnderItsPlaceInLongLines() throws {
    let line = String(repeating: "a", count: 100) + "X" + String(repeating: "b", count: 100)
    let lines = Caret.lines(line, column: 101)
    let place = try #require(lines[1].firstIndex(of: "^"))
    let offset = lines[1].distance(from: lines[1].startIndex, to: place)
    #expect(Array(lines[0])[offset] == "X")
    #expect(lines[0].count <= 78)
    #expect(Caret.lines("", column: 5) == ["  ", "  ^"])
  }
}
