import CarillonModel
import CarillonRelay

/// Which file the relay's store is.
enum RelayStore {
  static let option = Option(
    "store", "sqlite:PATH", "Where the queue is kept. Default: relay.db in the state folder.")

  /// As the relay finds it: the option, the environment, its configuration file, the state folder.
  ///
  /// - Throws: `Failure` for a value that names none, and where there is no state folder.
  static func path(_ call: Invocation) throws -> String {
    guard let setting = call.settings["store"] else { return try defaultPath(call, makes: false) }
    do throws(Refusal) {
      return try RelayConfiguration.storePath(setting.value, at: "store")
    } catch { throw setting.failure(error.message) }
  }

  /// `relay.db` in the state folder.
  ///
  /// - Parameter makes: whether the folder is made where it is not there.
  static func defaultPath(_ call: Invocation, makes: Bool = true) throws -> String {
    let remedy = "name a store with --store sqlite:PATH"
    if makes { return try Service.state(nil, call, remedy: remedy, default: "") + "/relay.db" }
    guard let folder = call.surroundings.stateFolder else {
      throw Failure(
        .configuration,
        "there is no state folder: neither STATE_DIRECTORY, XDG_STATE_HOME nor HOME is set; \(remedy)")
    }
    return folder + "/relay.db"
  }
}
