import CarillonLinks

// SIGHUP: other settings and routes while the companion runs. The connection, and what is on the screen, stay.
extension Companion {
  func reload(_ reread: () throws -> (CompanionConfiguration, Router)) {
    guard !isStopping else { return }
    loop.notifyReloading()
    defer { loop.notifyReloaded() }
    do {
      var (new, router) = try reread()
      let fixed = new.keepFixed(of: configuration)
      state.opener = try LinkOpener(router: router, links: new.links)
      state.configuration = new
      log.level = new.logLevel
      log.info("the configuration has been read anew")
      if !fixed.isEmpty {
        log.warning(
          "changed in the configuration, and in force from the next start on: \(fixed.joined(separator: ", "))"
        )
      }
    } catch {
      log.error("the new configuration is not used, the old one stays: \(error)")
      return
    }
    navigator.execute = configuration.execute
    introduce()
    reloadAuthorization()
  }
}

extension CompanionConfiguration {
  /// Keeps what cannot change while a companion runs.
  ///
  /// - Returns: the keys of it that would have changed.
  mutating func keepFixed(of old: CompanionConfiguration) -> [String] {
    var changed: [String] = []
    func keep<Value: Equatable>(_ key: String, _ path: WritableKeyPath<CompanionConfiguration, Value>) {
      if self[keyPath: path] != old[keyPath: path] { changed.append(key) }
      self[keyPath: path] = old[keyPath: path]
    }
    keep("broker", \.broker)
    keep("username", \.username)
    keep("passwordFile", \.passwordFile)
    keep("tls", \.tls)
    keep("keepAlive", \.keepAlive)
    keep("prefix", \.topics)
    keep("device", \.device)
    keep("desktop", \.desktop)
    keep("state", \.state)
    return changed
  }
}
