/// A binary min-heap of values by their keys. Only the small keys are moved about; equal keys come in any order.
struct Heap<Key: Comparable, Element> {
  private struct Node {
    var key: Key
    var place: Int
  }

  private var nodes: [Node] = []
  private var elements: [Element?] = []
  private var free: [Int] = []

  var first: (key: Key, element: Element)? {
    guard let node = nodes.first, let element = elements[node.place] else { return nil }
    return (key: node.key, element: element)
  }

  var firstKey: Key? { nodes.first?.key }
  var count: Int { nodes.count }

  mutating func insert(_ element: Element, by key: Key) {
    let place: Int
    if let last = free.popLast() {
      place = last
      elements[place] = element
    } else {
      place = elements.count
      elements.append(element)
    }
    nodes.append(Node(key: key, place: place))
    var child = nodes.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard nodes[child].key < nodes[parent].key else { return }
      nodes.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() -> Element? {
    guard let first = nodes.first else { return nil }
    let last = nodes.removeLast()
    if !nodes.isEmpty {
      nodes[0] = last
      siftDown()
    }
    let element = elements[first.place]
    if nodes.isEmpty {
      self = Heap()
    } else {
      elements[first.place] = nil
      free.append(first.place)
    }
    return element
  }

  private mutating func siftDown() {
    var parent = 0
    while true {
      var smallest = parent
      let left = 2 * parent + 1
      if left < nodes.count, nodes[left].key < nodes[smallest].key { smallest = left }
      if left + 1 < nodes.count, nodes[left + 1].key < nodes[smallest].key { smallest = left + 1 }
      guard smallest != parent else { return }
      nodes.swapAt(parent, smallest)
      parent = smallest
    }
  }

  /// Takes out whatever matches, in n log n.
  mutating func removeAll(where matches: (Element) -> Bool) {
    var kept = Heap()
    for node in nodes {
      if let element = elements[node.place], !matches(element) { kept.insert(element, by: node.key) }
    }
    self = kept
  }
}
