import CarillonLinks
import CarillonModel

extension FuzzTarget {
  /// The first line is a route's pattern, preceded by `+` where its query is a form's; the second a link to route, and the
  /// last a value to write into one.
  static let route = FuzzTarget(
    "route", "routes' patterns, links matched with them and written by them", longest: 2 * Limits.link + 256,
    seeds: [
      "x://h/:a/:b\nx://h/1/2\nv", "x://h/:a/*b\nx://h/1/2/3//4\na/../b",
      "x://h/*a?b=:b\nx://h/p/q?b=%20+\n%2F",
      "+x://h?a=:a&b=:b\nx://h?b=1+1&a=2%2B2\na b",
      "x://h/p/:a/q?k=1&b=:b&flag\nx://h/p/%C3%BC/q/?flag&k=1&b=\nü",
      "https://bücher.example/straße/:a?größe=:b\nhttps://xn--bcher-kva.example/stra%C3%9Fe/1?gr%C3%B6%C3%9Fe=x\n東",
      "tel::a?b=:b\ntel:+49?b=1\n+49", "tel:*a?b=:b\ntel:1/2?b=\n.", "z:///:a?b=:b\nz:///x?b=y\n\u{0}",
      "X://H:8/:a//:b\nx://h:8/1//2\n..", "x://h/:a\nx://h/--help\n-x", "x://h/*rest\nx://h/\n",
      "x://h/a%2Fb\nx://h/a%2fb\n",
    ], words: linkWords + ["\n", ":a", "*a", ":b", "*b", "x://h/", "\nx://h/", "?a=:a", "&b=:b", "-", "--"]
  ) { input throws(Violation) in
    let lines = lines(input, 3).map { text($0) }
    try look(atLink: lines.count > 1 ? lines[1] : lines[0])
    let pattern: RoutePattern
    do throws(Refusal) {
      let isForm = lines[0].utf8.first == UInt8(ascii: "+")
      pattern = try RoutePattern(parsing: isForm ? String(lines[0].dropFirst()) : lines[0], form: isForm)
    } catch {
      try demandSound(error)
      return .refused
    }
    if lines.count > 1, let link = try? Link(parsing: lines[1]) { try look(at: pattern, matching: link) }
    let value = lines.count > 2 ? lines[2] : "v"
    try look(at: pattern, writing: Dictionary(uniqueKeysWithValues: pattern.parameters.map { ($0, value) }))
    return .taken
  }

  /// What matches a link can write one, and that one gives the same values back.
  private static func look(at pattern: RoutePattern, matching link: Link) throws(Violation) {
    let values: [String: String]?
    do throws(Refusal) { values = try pattern.match(link) } catch { return try demandSound(error) }
    guard let values else { return }
    try demand(Set(values.keys) == Set(pattern.parameters), "\(pattern.text) binds \(values) in \(link)")
    try look(at: pattern, writing: values)
  }

  private static func look(at pattern: RoutePattern, writing values: [String: String]) throws(Violation) {
    let link: Link
    do throws(Refusal) { link = try pattern.link(for: values) } catch { return try demandSound(error) }
    guard let back = try? pattern.match(link) else {
      throw Violation("\(pattern.text) writes \(link), which it misses")
    }
    try demand(
      back.count == values.count && back.allSatisfy { values[$0.key]?.isIdentical(to: $0.value) ?? false },
      "\(pattern.text) writes \(values) as \(link) and reads \(back)")
    if let problem = problem(of: link, given: link.text) { throw Violation(problem) }
  }

  /// Neither the number of arguments changes, nor does an option appear that the route has not.
  private static func look(atLink text: String) throws(Violation) {
    guard let link = try? Link(parsing: text) else { return }
    let navigation: Navigation?
    do throws(Refusal) { navigation = try router.resolve(link) } catch { return try demandSound(error) }
    for step in navigation?.steps ?? [] {
      let command = step.command ?? []
      try demand(command.count == run.count && command.first == "show", "\(link) runs \(command)")
      for index in [1, 3, 5] {
        try demand(
          command[index].utf8.first != UInt8(ascii: "-"), "\(link) makes an option of \(command[index])")
      }
      try demand(command.allSatisfy { !$0.utf8.contains(0) }, "\(link) puts NUL into \(command)")
      try demand(command[8].isIdentical(to: link.text), "\(link) is handed on as \(command[8])")
    }
  }

  private static let run = ["show", "{a}", "-x", "{b}{a}", "q={a}", "{step}", "--", "{b}", "{url}", ""]

  private static let router: Router = {
    let arguments = JSON.array(run.map { .string($0) })
    let routes: [JSON] = [
      ["link": "x://h/:a/*b", "navigate": ["/", "{b}"], "run": arguments],
      ["link": "x://h?a=:a&b=:b", "form": true, "navigate": ["{a}"], "run": arguments],
      ["link": "tel:*a?b=:b", "navigate": ["{a}", "x{b}"], "run": arguments],
    ]
    return (try? Router(reading: ["routes": .array(routes)])) ?? Router()
  }()
}
