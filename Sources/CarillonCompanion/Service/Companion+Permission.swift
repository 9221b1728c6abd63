import CarillonDesktop
import CarillonModel

// Who may show notifications, and the question where nobody has said so yet.
extension Companion {
  /// Reads what the device's person has said; the settings come after it.
  func loadAuthorization() {
    state.authorization = configuration.authorization
    do throws(AuthorizationFault) {
      state.authorization = configuration.authorization.overruled(by: try permissions.load())
    } catch {
      log.error("\(error); the settings alone count until then")
    }
  }

  func reloadAuthorization() {
    loadAuthorization()
    introduceAgain()
    let asked = prompts
    prompts = []
    for publisher in asked { desktop?.close(BubbleKey.prompt(publisher: publisher).stored) }
    happened(.reconsider)
  }

  /// Asks once for a publisher, until somebody decides.
  func ask(_ publisher: String?) {
    guard prompts.insert(publisher).inserted else { return }
    let name = publisher.map { "\"\(printable($0))\"" } ?? "a publisher without a name"
    log.info(
      "\(name) wants to show notifications: carillon device authorize or deny, with --publisher "
        + "'\(publisher ?? "")'")
    prompt(publisher)
  }

  func prompt(_ publisher: String?) {
    let name = publisher ?? "A publisher without a name"
    desktop?.show(
      Bubble(
        asking: publisher, title: "\(name) wants to show notifications",
        body: "Its notifications wait until you choose. carillon device changes it later."))
  }

  /// A person has pressed a button of the question.
  func decided(_ publisher: String?, allows: Bool, action: String?) {
    guard action != nil, prompts.contains(publisher) else { return }
    do throws(AuthorizationFault) {
      try permissions.decide(.init(publisher: publisher ?? "", standing: allows ? .authorized : .denied))
    } catch { log.error("what was chosen is not kept: \(error)") }
    reloadAuthorization()
  }
}
