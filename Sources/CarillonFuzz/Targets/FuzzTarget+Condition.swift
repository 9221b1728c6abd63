import CarillonModel

extension FuzzTarget {
  /// The first line is a condition, the rest a message on the topic that it watches.
  static let condition = FuzzTarget(
    "condition", "conditions, and messages on watched topics", longest: Limits.watched + Limits.expression,
    seeds: [
      #"{"topic":"a/b","equals":"on"}"# + "\non",
      #"{"topic":"a","pointer":"/state/0/~1~0","above":20.5}"# + "\n{\"state\":[{\"/~\":21}]}",
      #"{"topic":"a","matches":"*a*b*c*"}"# + "\naaaabbbbcccc",
      #"{"topic":"a","pointer":"","equals":null}"# + "\nnull",
      #"{"topic":"a","below":"-1e3","for":"10m","delay":5}"# + "\n-1001",
      #"{"topic":"a","silent":"2h"}"# + "\n",
      #"{"device":"tv","presence":"locked"}"# + "\nlocked",
      #"{"device":"tv","status":"online"}"# + "\nonline", #"{"topic":"a","equals":1}"# + "\n1.0",
      #"{"topic":"a/+/#","equals":true}"# + "\ntrue",
      #"{"topic":"a","pointer":"/x","equals":9007199254740993}"# + "\n{\"x\":9007199254740992}",
    ],
    words: [
      "topic", "pointer", "equals", "above", "below", "matches", "silent", "for", "delay", "device", "status",
      "presence", "active",
      "online",
      "offline", "*", "/", "~0", "~1", "~", "\"", "\n", "{", "}", "[", "]", ":", ",", "null", "true", "1e400",
      "-0",
      "9007199254740993", "+", "#", "**", "a*",
    ]
  ) { input throws(Violation) in
    let lines = lines(input, 2)
    guard let json = try? JSON(parsing: Array(lines[0])) else { return .refused }
    let condition: Condition
    do throws(Refusal) { condition = try Condition.read(json, at: "") } catch {
      try demandSound(error, in: json)
      return .refused
    }
    let payload = lines.count > 1 ? Array(lines[1]) : []
    var message = WatchedMessage(payload)
    let first = condition.matches(&message)
    try demand(
      first == condition.matches(&message) && first == condition.matches(payload: payload),
      "it matches now and then")
    if case .matches(let pattern) = condition.test {
      try demand(pattern.matches(pattern.text), "\(pattern.text.debugDescription) does not match itself")
    }
    return .taken
  }
}
