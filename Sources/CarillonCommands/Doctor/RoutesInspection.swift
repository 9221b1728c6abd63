import CarillonLinks
import CarillonModel

/// The routes, and which links of other programs come to them.
enum RoutesInspection {
  static func run(_ site: Site) -> [Finding] {
    guard let call = site.companion else {
      return [Finding("routes", .skipped, "the companion's settings cannot be read")]
    }
    do {
      guard let routes = try RoutesFile(call) else {
        return [Finding("routes", .skipped, "there is no routes file: links are shown and lead nowhere")]
      }
      let report = Router.check(
        .object(routes.file.object), inspecting: ProgramSearch(call.surroundings.environment).fault)
      let faults = report.faults.map { fault in
        Finding(
          "routes", fault.isFatal ? .wrong : .warning,
          routes.file.failure(Refusal(fault.code, at: fault.path, fault.message)).message, [fault.remedy])
      }
      let sound = Finding(
        "routes", .ok, "\(visible(routes.file.path)): \(report.examples.count) routes, nothing wrong")
      return (faults.isEmpty ? [sound] : faults) + [handlers(call)]
    } catch let failure as Failure {
      return [Finding("routes", failure)]
    } catch {
      return [Finding("routes", .wrong, "\(error)")]
    }
  }

  private static func handlers(_ call: Invocation) -> Finding {
    do {
      let handlers = try SchemeHandlers(call.surroundings.environment)
      let schemes = try handlers.installed()
      guard !schemes.isEmpty else {
        return Finding(
          "link handler", .skipped, "links of other programs do not come here; carillon routes install SCHEME"
        )
      }
      let lost = try schemes.filter { try !handlers.isDefault($0) }
      return lost.isEmpty
        ? Finding(
          "link handler", .ok, "the desktop opens \(schemes.joined(separator: ", ")) through the routes")
        : Finding(
          "link handler", .warning, "another program opens \(lost.joined(separator: ", "))",
          ["carillon routes install \(lost.joined(separator: " ")) --force"])
    } catch let failure as Failure {
      return Finding("link handler", .skipped, failure.message)
    } catch {
      return Finding("link handler", .wrong, "\(error)")
    }
  }
}
