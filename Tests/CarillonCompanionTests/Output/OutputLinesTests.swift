import CarillonLoop
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCompanion

@Suite("Lines on a descriptor")
struct OutputLinesTests {
  @Test("A reader that does not read holds nothing up, and gets every line in order once it does")
  func slowReader() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let loop = try EventLoop()
    let output = OutputLines(loop: loop, descriptor: ends[1])
    let count = 20_000
    for number in 0..<count { output.write(Array("line \(number)".utf8)) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let expected = (0..<count).map { "line \($0)\n" }.joined()
    while bytes.count < expected.utf8.count {
      let read = read(ends[0], &buffer, buffer.count)
      bytes += buffer.prefix(max(read, 0))
      while try loop.turn(waiting: .zero) {}
    }
    #expect(String(decoding: bytes, as: UTF8.self) == expected)
    #expect(output.dropped == 0)
    close(ends[1])
  }

  @Test("A reader that has gone is noticed")
  func gone() throws {
    // Otherwise the write would end this process.
    _ = signal(SIGPIPE, SIG_IGN)
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    close(ends[0])
    defer { close(ends[1]) }
    let output = OutputLines(loop: try EventLoop(), descriptor: ends[1])
    output.write(Array("x".utf8))
    #expect(output.isClosed)
  }

  @Test("What nobody reads takes so much memory and no more")
  func limit() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let output = OutputLines(loop: try EventLoop(), descriptor: ends[1])
    let line = [UInt8](repeating: UInt8(ascii: "x"), count: 1024 * 1024)
    for _ in 1...10 { output.write(line) }
    #expect(output.dropped == 2 || output.dropped == 3)
  }

  @Test("A file takes all at once")
  func file() throws {
    let folder = try TemporaryDirectory()
    let descriptor = open(folder.file("out"), O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    let output = OutputLines(loop: try EventLoop(), descriptor: descriptor)
    for number in 0..<3000 { output.write(Array("line \(number)".utf8)) }
    #expect(folder.read("out") == (0..<3000).map { "line \($0)\n" }.joined())
  }
}
