/// First in, first out, with room for the one that leaves early. Taking from the front does not move the rest.
struct Queue<Element> {
  private var elements: [Element?] = []
  private var head = 0

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    while head < elements.count {
      let element = elements[head]
      elements[head] = nil
      head += 1
      trim()
      if let element { return element }
    }
    return nil
  }

  /// Takes out the first element that matches.
  mutating func remove(where matches: (Element) -> Bool) -> Element? {
    for index in elements[head...].indices {
      guard let element = elements[index], matches(element) else { continue }
      elements[index] = nil
      return element
    }
    return nil
  }

  /// Gives back the room of what was taken once it is the larger half.
  private mutating func trim() {
    guard head > 32, head * 2 > elements.count else { return }
    elements.removeFirst(head)
    head = 0
  }
}
