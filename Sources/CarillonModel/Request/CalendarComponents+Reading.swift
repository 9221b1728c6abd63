extension CalendarComponents {
  /// Reads the `calendar` field of a trigger: each component is a value or a list of values.
  ///
  /// Whole numbers may also come as text, because templating publishers send text.
  /// - Throws: `invalid` or `unknown-field`, with the place (`trigger.calendar.hour`, `trigger.calendar.hour[1]`).
  public static func read(_ value: JSON, at path: String) throws(Refusal) -> CalendarComponents {
    let fields = try Fields(value, at: path)
    try fields.allow(only: Set(Name.allCases.map(\.rawValue)))
    var components = CalendarComponents()
    for name in Name.allCases {
      guard let value = fields[name.rawValue] else { continue }
      components.set(name, try numbers(name, value, at: fields.place(name.rawValue)))
    }
    if components.nths != nil, components.weekdays == nil {
      throw fields.refusal("nth", ComponentFault.nthAlone.message)
    }
    guard components != CalendarComponents() else {
      throw Refusal(.invalid, at: path, ComponentFault.nothingGiven.message)
    }
    return components
  }

  /// A component's value, or the list of them, in the order given.
  static func numbers(_ name: Name, _ value: JSON, at place: String) throws(Refusal) -> [Int] {
    guard case .array(let elements) = value else { return [try read(name, value, at: place)] }
    guard !elements.isEmpty else { throw Refusal(.invalid, at: place, "an empty list never matches") }
    var numbers: [Int] = []
    for (index, element) in elements.enumerated() {
      numbers.append(try read(name, element, at: "\(place)[\(index)]"))
    }
    return numbers
  }

  private static func read(_ name: Name, _ value: JSON, at place: String) throws(Refusal) -> Int {
    let result: Result<Int, ComponentFault>
    switch value {
    case .integer(let number): result = check(name, number)
    case .number(let number):
      guard let whole = Int64(exactly: number) else {
        throw Refusal(.invalid, at: place, "\(name.rawValue) is a whole number, not \(number)")
      }
      result = check(name, whole)
    case .string(let text): result = check(name, text)
    default:
      let expected = name == .weekday ? "the name of a weekday" : "a whole number"
      throw Refusal(.invalid, at: place, "expected \(expected) or a list of them, got \(value.kind)")
    }
    switch result {
    case .success(let number): return number
    case .failure(let fault): throw Refusal(.invalid, at: place, fault.message)
    }
  }
}

extension CalendarComponents {
  /// As the field is written, with a list only where there is more than one value.
  public var json: JSON {
    var object = JSONObject()
    func add(_ name: Name, _ values: [JSON]?) {
      guard let values, let first = values.first else { return }
      object.append(name.rawValue, values.count == 1 ? first : .array(values))
    }
    func add(_ name: Name, _ numbers: [Int]?) { add(name, numbers?.map { JSON.integer(Int64($0)) }) }
    add(.year, years)
    add(.month, months)
    add(.day, days)
    add(.weekday, weekdays?.map { JSON.string($0.shortName) })
    add(.nth, nths)
    add(.hour, hours)
    add(.minute, minutes)
    add(.second, seconds)
    return .object(object)
  }
}
