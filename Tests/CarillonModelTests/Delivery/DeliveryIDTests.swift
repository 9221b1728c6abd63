import CarillonModel
import Testing

@Suite struct DeliveryIDTests {
  @Test(arguments: [
    DeliveryID(store: "0123abcd", sequence: 1, stamp: 1_796_000_000_000),
    DeliveryID(store: "0123abcd", sequence: .max, stamp: 0, counter: 7),
  ])
  func `What is printed is read back`(id: DeliveryID) {
    #expect(DeliveryID(parsing: id.text) == id)
  }

  @Test(arguments: [
    "", "a", "a-b-c", "a-1", "a-1-2-0", "a-1-2--3", "a-01-2", "a-+1-2", "a-1-2-3-4",
    "a-1-99999999999999999999",
    String(repeating: "a", count: 100) + "-1-2",
  ])
  func `Anything else is no delivery`(text: String) {
    #expect(DeliveryID(parsing: text) == nil)
  }
}
