import CarillonModel
import CarillonTestSupport

/// Changes one place of a JSON value and leaves it JSON.
struct JSONChanger {
  let words: [String]

  mutating func changed(_ value: JSON, using random: inout SplitMix) -> JSON {
    var countdown = Int.random(in: 0..<value.size, using: &random)
    return changed(value, &countdown, &random)
  }

  /// Goes through the values until the countdown is over, and changes the one there.
  private func changed(_ value: JSON, _ countdown: inout Int, _ random: inout SplitMix) -> JSON {
    if countdown == 0 {
      countdown = -1
      return other(value, &random)
    }
    countdown -= 1
    switch value {
    case .array(var elements):
      for index in elements.indices where countdown >= 0 {
        elements[index] = changed(elements[index], &countdown, &random)
      }
      return .array(elements)
    case .object(let object):
      var members = object.members
      for index in members.indices where countdown >= 0 {
        members[index].value = changed(members[index].value, &countdown, &random)
      }
      return .object(JSONObject(members))
    default: return value
    }
  }

  private func other(_ value: JSON, _ random: inout SplitMix) -> JSON {
    if random.isTrue(in: 4) { return any(&random) }
    switch value {
    case .object(let object): return .object(other(object, &random))
    case .array(let elements): return .array(other(elements, &random))
    case .string(let text): return .string(other(text, &random))
    case .integer(let number):
      return random.isTrue(in: 2) ? .integer(number &+ (random.isTrue(in: 2) ? 1 : -1)) : any(&random)
    default: return any(&random)
    }
  }

  /// A value of any kind.
  private func any(_ random: inout SplitMix) -> JSON {
    switch Int.random(in: 0..<10, using: &random) {
    case 0: .null
    case 1: .bool(random.isTrue(in: 2))
    case 2, 3: (try? JSON(parsing: Array(random.number().utf8))) ?? .string(random.number())
    case 4: .string(random.number())
    case 5: .array([])
    case 6: ["": .string(word(&random))]
    case 7: random.isTrue(in: 8) ? nested(&random) : .string(word(&random))
    default: .string(word(&random))
    }
  }

  private func nested(_ random: inout SplitMix) -> JSON {
    var value: JSON = .string(word(&random))
    for _ in 0..<Int.random(in: 1...66, using: &random) {
      value = random.isTrue(in: 2) ? [value] : .object([word(&random): value])
    }
    return value
  }

  private func word(_ random: inout SplitMix) -> String { random.element(of: words) ?? "" }

  private func other(_ text: String, _ random: inout SplitMix) -> String {
    var scalars = Array(text.unicodeScalars)
    let place = Int.random(in: 0...scalars.count, using: &random)
    switch Int.random(in: 0..<7, using: &random) {
    case 0: scalars.removeSubrange(place...)
    case 1: scalars.insert(contentsOf: word(&random).unicodeScalars, at: place)
    case 2: scalars.insert(contentsOf: random.number().unicodeScalars, at: place)
    case 3: if place < scalars.count { scalars.remove(at: place) }
    case 4:
      let odd: [Unicode.Scalar] = [
        "\0", "\n", "\"", "{", "}", "\u{7F}", "\u{85}", "\u{202E}", "\u{301}", "\u{1F600}", ":", "-",
      ]
      scalars.insert(random.element(of: odd) ?? " ", at: place)
    case 5:
      let count = min(1 << Int.random(in: 0...16, using: &random), 70_000 / max(scalars.count, 1))
      if random.isTrue(in: 8) { scalars = (0..<count).flatMap { _ in scalars } }
    default: return word(&random)
    }
    return String(String.UnicodeScalarView(scalars))
  }

  private func other(_ elements: [JSON], _ random: inout SplitMix) -> [JSON] {
    var elements = elements
    let place = Int.random(in: 0...elements.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: if place < elements.count { elements.remove(at: place) }
    case 1: elements.insert(any(&random), at: place)
    case 2: elements.insert(elements.randomElement(using: &random) ?? .null, at: place)
    case 3:
      guard random.isTrue(in: 8) else { break }
      let element = elements.randomElement(using: &random) ?? .null
      let count = 1 << Int.random(in: 0...14, using: &random)
      elements += (0..<count).map { element.numbered($0) }
    default: elements.reverse()
    }
    return elements
  }

  private func other(_ object: JSONObject, _ random: inout SplitMix) -> JSONObject {
    var object = object
    let name = object.members.randomElement(using: &random)?.name ?? ""
    switch Int.random(in: 0..<5, using: &random) {
    case 0: object[name] = nil
    case 1, 2: object[word(&random)] = any(&random)
    case 3:
      let value = object[name] ?? .null
      object[name] = nil
      object[random.isTrue(in: 2) ? word(&random) : other(name, &random)] = value
    default:
      guard random.isTrue(in: 8) else { break }
      for index in 0..<(1 << Int.random(in: 0...9, using: &random)) {
        object["\(name)\(index)"] = .integer(Int64(index))
      }
    }
    // A name with NUL is no member that can be read.
    return JSONObject(object.members.filter { !$0.name.utf8.contains(0) })
  }
}

extension JSON {
  /// How many values it is made of.
  fileprivate var size: Int {
    switch self {
    case .array(let elements): elements.reduce(1) { $0 + $1.size }
    case .object(let object): object.members.reduce(1) { $0 + $1.value.size }
    default: 1
    }
  }

  /// The same with a number behind its text, so that no two are alike.
  fileprivate func numbered(_ number: Int) -> JSON {
    if case .string(let text) = self { .string(text + String(number)) } else { self }
  }
}
