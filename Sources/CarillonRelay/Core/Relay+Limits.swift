import CarillonModel
import CarillonStore

// What is refused because there is too much of it.
extension Relay {
  /// Why a request may not be added: too many are pending, of all publishers or of this one. What takes the place of a
  /// pending request adds nothing.
  func whyTooManyPending(replacing existing: StoredRequest?, _ publisher: Name?) throws(StoreError)
    -> Refusal?
  {
    let isListed = existing?.state.isListed == true
    if !isListed, queue.counters.pending >= configuration.pendingLimit {
      let remedy = "cancel some, or wait until some have fired"
      return Refusal(
        .limit, "\(configuration.pendingLimit) requests are pending, which is the limit; \(remedy)")
    }
    guard let limit = configuration.publisherLimit, !isListed || existing?.publisher != publisher,
      try queue.pending(of: publisher) >= limit
    else { return nil }
    let remedy = "cancel some of them, or wait until some have fired"
    return Refusal(
      .limit,
      "\(Relay.described(publisher)) has \(limit) requests pending, which is the limit of a publisher; \(remedy)"
    )
  }

  /// Why a command may not be carried out now: its publisher sends more than it may. What the broker kept while the relay
  /// was away does not count: when it was sent nobody knows.
  mutating func whyTooFast(_ arrival: Arrival, _ context: CommandContext) -> Refusal? {
    guard rates != nil, !arrival.isBacklog,
      let wait = rates?.take(context.publisher, at: context.moment.elapsed)
    else { return nil }
    let time = Duration.seconds((wait + 999) / 1000).written
    return Refusal(
      .limit,
      "\(Relay.described(context.publisher)) sends more than \(rates?.perMinute ?? 0) commands a minute, which is the limit; try again in \(time)"
    )
  }

  static func described(_ publisher: Name?) -> String {
    publisher.map { "publisher \($0)" } ?? "whoever publishes without a name"
  }
}
