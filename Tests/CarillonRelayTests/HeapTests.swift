import CarillonTestSupport
import Testing

@testable import CarillonRelay

@Suite struct HeapTests {
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `It gives what a sorted list gives, whatever is put in and taken out between`(seed: UInt64) {
    var random = SplitMix(seed: seed)
    var heap = Heap<Int, String>()
    var list: [Int] = []
    for step in 0..<5000 {
      if Int.random(in: 0..<10, using: &random) < 6 {
        let key = Int.random(in: 0..<500, using: &random)
        heap.insert("\(key)", by: key)
        list.append(key)
      } else {
        list.sort()
        let expected = list.isEmpty ? nil : list.removeFirst()
        #expect(heap.firstKey == expected)
        #expect(heap.removeFirst() == expected.map { "\($0)" })
      }
      if step % 1000 == 999 {
        heap.removeAll { $0.hasSuffix("7") }
        list.removeAll { $0 % 10 == 7 }
      }
      #expect(heap.count == list.count)
    }
    while let element = heap.removeFirst() {
      list.sort()
      #expect(element == "\(list.removeFirst())")
    }
    #expect(list.isEmpty)
  }
}
