/// The folders of the XDG Base Directory Specification, as far as the opening of links needs them.
struct XDGFolders {
  /// Of the user's settings; `nil` where the environment names neither it nor a home.
  let configHome: String?
  let dataHome: String?
  /// Of everybody's, the one that counts first first.
  let configFolders: [String]
  let dataFolders: [String]
  /// What the desktop calls itself, in lower case: files that begin so count before the others.
  let desktops: [String]

  init(_ environment: [String: String]) {
    func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
    func list(_ name: String, default usual: String) -> [String] {
      let text = environment[name].flatMap { $0.isEmpty ? nil : $0 } ?? usual
      return text.split(separator: ":").filter { $0.hasPrefix("/") }.map(String.init)
    }
    let home = absolute("HOME")
    configHome = absolute("XDG_CONFIG_HOME") ?? home.map { $0 + "/.config" }
    dataHome = absolute("XDG_DATA_HOME") ?? home.map { $0 + "/.local/share" }
    configFolders = list("XDG_CONFIG_DIRS", default: "/etc/xdg")
    dataFolders = list("XDG_DATA_DIRS", default: "/usr/local/share:/usr/share")
    desktops = (environment["XDG_CURRENT_DESKTOP"] ?? "").split(separator: ":").map { $0.lowercased() }
      .filter { !$0.contains("/") }
  }

  /// Where desktop entries are, the user's first.
  var applications: [String] { ([dataHome].compactMap { $0 } + dataFolders).map { $0 + "/applications" } }

  /// The files that say which program opens what, the one that counts first first (MIME applications associations 1.0.1).
  var associations: [String] {
    var files: [String] = []
    for folder in [configHome].compactMap({ $0 }) + configFolders + applications {
      files += desktops.map { "\(folder)/\($0)-mimeapps.list" } + ["\(folder)/mimeapps.list"]
    }
    return files + applications.map { $0 + "/defaults.list" }
  }
}
