/// A binary min-heap.
struct Heap<Element> {
  private var elements: [Element] = []
  private let precedes: (Element, Element) -> Bool

  init(by precedes: @escaping (Element, Element) -> Bool) {
    self.precedes = precedes
  }

  var first: Element? { elements.first }
  var count: Int { elements.count }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var child = elements.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(elements[child], elements[parent]) else { return }
      elements.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() -> Element? {
    guard let first = elements.first else { return nil }
    let last = elements.removeLast()
    guard !elements.isEmpty else { return first }
    elements[0] = last
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < elements.count && precedes(elements[child], elements[smallest]) {
        smallest = child
      }
      guard smallest != parent else { return first }
      elements.swapAt(parent, smallest)
      parent = smallest
    }
  }

  /// Takes out whatever matches, in linear time.
  mutating func removeAll(where matches: (Element) -> Bool) {
    let kept = elements.filter { !matches($0) }
    guard kept.count < elements.count else { return }
    elements = []
    for element in kept { insert(element) }
  }
}
