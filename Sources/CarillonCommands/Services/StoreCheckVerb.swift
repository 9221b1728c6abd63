import CPOSIX
import CarillonRelay
import CarillonStore
import Glibc

/// `carillon store check`: reads a store or an inbox whole and says whether it is sound. A relay runs it beside itself
/// where the store is large; no list of verbs names it.
enum StoreCheckVerb {
  static let verb = CommandLineVerb(
    "store check", "Read a store whole and say whether it is sound", forms: ["FILE"],
    operands: .init("FILE", 1...2), configuration: .nothing, groups: [],
    discussion:
      "Changes nothing, and may run beside a relay. Prints sound, or damaged with the first finding, and ends "
      + "with 65 then. With a process's number behind FILE it works while that one is idle, and ends with it.",
    examples: [.init("Check a backup:", "carillon store check relay.db")], run: run)

  private static func run(_ call: Invocation) throws -> ExitStatus {
    if call.operands.count > 1 {
      guard let parent = Int32(call.operands[1]) else {
        throw Failure.usage("\"\(call.operands[1])\" is no process's number")
      }
      guard carillon_stay_behind(parent) == 0 else { return .temporary }
    }
    let path = call.operands[0]
    do throws(StoreError) {
      let finding = try RelayService.finding(inStore: path)
      call.console.print(finding ?? "sound")
      return finding == nil ? .done : .data
    } catch {
      throw Failure(error == .busy ? .temporary : .failure, "\(path): \(error)")
    }
  }
}
