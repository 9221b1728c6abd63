import CarillonModel

/// What holds for every refusal: it says something, nothing in it can disturb a terminal or a log, and it points into what
/// was refused.
func demandSound(_ refusal: Refusal) throws(Violation) {
  try demand(!refusal.message.isEmpty, "a refusal without a word")
  for text in [refusal.message, refusal.path] {
    try demand(text.utf8.count <= 2000, "a refusal of \(text.utf8.count) bytes")
    try demand(
      !text.unicodeScalars.contains { $0.properties.generalCategory == .control },
      "a control character in a refusal, \(text.debugDescription)")
  }
}

/// The same for one that a JSON text got: all that its path leads through is there; only its last step may be missing.
func demandSound(_ refusal: Refusal, in json: JSON) throws(Violation) {
  try demandSound(refusal)
  // A field's name is shown as far as it is fit to print.
  guard refusal.code != .unknownField, refusal.path.utf8.contains(where: isSeparator) else { return }
  var (place, value) = (refusal.path[...], json)
  while let name = nextStep(of: &place), !place.isEmpty {
    guard let inner = name.isIndex ? value.element(name.text) : value[name.text] else {
      throw Violation("a refusal at \(refusal.path.debugDescription), which is not there")
    }
    value = inner
  }
}

/// The same for the fault of a text: it lies inside it.
func demandSound(_ fault: TextFault, in text: String) throws(Violation) {
  try demandSound(fault.refusal(at: ""))
  try demand(
    fault.offset >= 0 && fault.length >= 0 && fault.offset + fault.length <= text.utf8.count,
    "a fault at \(fault.offset)+\(fault.length) in \(text.utf8.count) bytes")
}

private func isSeparator(_ byte: UInt8) -> Bool { byte == UInt8(ascii: ".") || byte == UInt8(ascii: "[") }

/// The first step of a path such as `actions[2].url`, which is taken away from it.
private func nextStep(of path: inout Substring) -> (text: String, isIndex: Bool)? {
  guard let first = path.first else { return nil }
  if first == "[" {
    let index = path.dropFirst().prefix { $0 != "]" }
    path = path.dropFirst(index.count + 2)
    return (String(index), true)
  }
  if first == "." { path = path.dropFirst() }
  let name = path.prefix { $0 != "." && $0 != "[" }
  path = path.dropFirst(name.count)
  return (String(name), false)
}

extension JSON {
  fileprivate func element(_ index: String) -> JSON? {
    guard let index = Int(index), let elements, elements.indices.contains(index) else { return nil }
    return elements[index]
  }
}
