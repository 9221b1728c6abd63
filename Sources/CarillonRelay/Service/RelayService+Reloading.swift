import CarillonModel
import CarillonStore
import CarillonTime

/// Where the reading anew of the configuration stands.
struct ReloadState {
  var reread: (() throws -> RelayConfiguration)?
  /// Whether it was asked for at a moment at which nothing may change.
  var isDue = false
}

// SIGHUP: other settings while the relay runs. The connection, and all that is under way, stay as they are.
extension RelayService {
  func reload() {
    guard !isStopping, let reread = reloading.reread else { return }
    // What is held is decided on as it came; the tick asks again.
    reloading.isDue = held != nil
    guard !reloading.isDue else { return }
    loop.notifyReloading()
    defer { loop.notifyReloaded() }
    do {
      var new = try reread()
      let fixed = new.keepFixed(of: configuration)
      try use(new)
      log.info("the configuration has been read anew")
      if !fixed.isEmpty {
        log.warning(
          "changed in the configuration, and in force from the next start on: \(fixed.joined(separator: ", "))"
        )
      }
    } catch {
      log.error("the new configuration is not used, the old one stays: \(error)")
    }
  }

  private func use(_ new: RelayConfiguration) throws {
    let moment = now()
    var draft = relay
    let (zone, problem) = try new.defaultZone(in: relay.zones)
    draft.defaultZone = zone
    draft.configuration = new
    if new.ratePerMinute != configuration.ratePerMinute {
      draft.rates = new.ratePerMinute.map { CommandRates(perMinute: $0) }
    }
    try queue.countPublishers(new.publisherLimit != nil)
    let (actions, topics) = try transaction { () throws(StoreError) in try draft.checkWatchesAnew(at: moment)
    }
    relay = draft
    configuration = new
    log.level = new.logLevel
    writtenAhead = WrittenAhead()
    writer = NotificationWriter(storeID: queue.storeID, links: new.links, zones: relay.zones)
    isNextDueKnown = false
    retained.isStateDirty = true
    perform(actions, at: moment)
    unwatch(topics.left)
    watch(topics.joined)
    // The sun may be watched from elsewhere now.
    noticeChanges()
    finish()
    if let problem { log.warning(problem) }
  }
}

extension Relay {
  /// Compares what is watched with what may be now, while there is a connection.
  ///
  /// - Returns: what is to be done, and the topics that are not watched any more and those that are again.
  fileprivate mutating func checkWatchesAnew(at moment: Moment) throws(StoreError)
    -> ([Action], (left: [String], joined: [String]))
  {
    try saveSilences()
    let before = Set(try queue.watchedTopics())
    let beginnings = watches.beginnings
    watches = Watches()
    watches.beginnings = beginnings
    let actions = try checkWatches(at: moment)
    let after = Set(try queue.watchedTopics())
    return (actions, (before.subtracting(after).sorted(), after.subtracting(before).sorted()))
  }
}

extension RelayConfiguration {
  /// The zone of wall times without one of their own, and what is wrong with the machine's.
  ///
  /// - Throws: `invalid` where there is no such zone.
  func defaultZone(in zones: ZoneDatabase) throws(Refusal) -> (zone: Zone, problem: String?) {
    if let name = timezone { return (try zones.zone(named: name), nil) }
    let local = zones.local()
    return (local.zone, local.problem)
  }

  /// Keeps what cannot change while a relay runs.
  ///
  /// - Returns: the keys of it that would have changed.
  mutating func keepFixed(of old: RelayConfiguration) -> [String] {
    var changed: [String] = []
    func keep<Value: Equatable>(_ key: String, _ path: WritableKeyPath<RelayConfiguration, Value>) {
      if self[keyPath: path] != old[keyPath: path] { changed.append(key) }
      self[keyPath: path] = old[keyPath: path]
    }
    keep("broker", \.broker)
    keep("username", \.username)
    keep("passwordFile", \.passwordFile)
    keep("tls", \.tls)
    keep("keepAlive", \.keepAlive)
    keep("prefix", \.topics)
    keep("store", \.store)
    // What was announced would have to be taken back on the way.
    keep("homeAssistant", \.homeAssistant)
    return changed
  }
}
