import CarillonModel

/// A companion's routes (protocol §7): which way a link goes.
public struct Router: Sendable {
  /// What scheme, host and port a link must have to be looked at by a route.
  private struct Origin: Hashable {
    let scheme: String
    let host: String?
    let port: UInt16?
  }

  /// In the order of the file, which decides where several match.
  public let routes: [Route]
  /// The routes of each origin, by their place in `routes`.
  private let indices: [Origin: RouteIndex]

  /// Reads the routes and checks them.
  ///
  /// - Parameter file: a routes file, `{ routes: [ … ] }`. No routes at all is allowed: then no link has a way.
  /// - Throws: the first fault that makes the file useless, with its place and remedy; `check` tells them all.
  public init(reading file: JSON) throws(Refusal) {
    let reader = RouteReader(file)
    if let fault = reader.faults.first(where: \.isFatal) { throw fault.refusal }
    self.init(reader.entries.map(\.route))
  }

  /// A router without routes.
  public init() { self.init([]) }

  private init(_ routes: [Route]) {
    self.routes = routes
    var indices: [Origin: RouteIndex] = [:]
    for (place, route) in routes.enumerated() {
      let pattern = route.pattern
      let origin = Origin(scheme: pattern.scheme, host: pattern.host, port: pattern.port)
      indices[origin, default: RouteIndex()].add(pattern, place: place)
    }
    self.indices = indices
  }

  /// The navigation to a link; `nil` where no route matches.
  ///
  /// The first matching route decides alone: where it refuses the link, no later one is asked. A path that ends in a
  /// slash is looked up as if it did not; only if nothing matches so does the empty segment after the slash count.
  ///
  /// - Throws: with the place, such as `routes[2].run[1]`: `invalid` where a parameter is no UTF-8 once decoded or holds
  ///   NUL, `forbidden` where an argument would become an option because of the link.
  public func resolve(_ link: Link) throws(Refusal) -> Navigation? {
    let origin = Origin(scheme: link.scheme, host: link.host, port: link.effectivePort)
    guard let index = indices[origin] else { return nil }
    let split = SplitLink(link)
    if let place = first(in: index, for: split, split.segments.count) {
      return try navigation(place, link, split)
    }
    guard split.trailing != nil, let place = first(in: index, for: split, split.segments.count + 1)
    else { return nil }
    return try navigation(place, link, split)
  }

  private func first(in index: RouteIndex, for split: SplitLink, _ count: Int) -> Int? {
    index.first(RouteIndex.Hashes(split, count)) { routes[$0].pattern.fits(split, count) }
  }

  private func navigation(_ place: Int, _ link: Link, _ split: SplitLink) throws(Refusal) -> Navigation {
    do throws(Refusal) {
      let parameters = try routes[place].pattern.bind(split)
      return try routes[place].navigation(to: link, binding: parameters)
    } catch { throw error.below("routes[\(place)]") }
  }
}

extension Router {
  /// Everything that is wrong with a routes file, and an example link for each route that can be read.
  ///
  /// - Parameter inspect: what is wrong with a program that a route runs, as far as the caller can tell; `nil` where
  ///   nothing is. It does not keep a companion from starting, since programs come and go.
  public static func check(
    _ file: JSON, inspecting inspect: @escaping (String) -> ProgramFault? = { _ in nil }
  ) -> RoutesReport {
    let reader = RouteReader(file, inspecting: inspect)
    var report = RoutesReport()
    report.faults = reader.faults
    for entry in reader.entries {
      let pattern = entry.route.pattern
      // The names are short words, so only a pattern at the very limit of length has no example.
      let names = Dictionary(pattern.parameters.map { ($0, $0) }) { first, _ in first }
      guard let link = try? pattern.link(for: names) else { continue }
      report.examples.append(RoutesReport.Example(path: entry.path, route: pattern.text, link: link))
    }
    return report
  }
}
