import CarillonModel

/// The relay, as far as it can be seen through the broker.
enum RelayInspection {
  static func run(_ target: BrokerTarget, _ probe: BrokerProbe) -> [Finding] {
    [relay(target, probe)] + ones(target, probe) + storeTrouble(probe) + warnings(probe)
  }

  private static func relay(_ target: BrokerTarget, _ probe: BrokerProbe) -> Finding {
    let start = "start it: carillon relay, or systemctl start carillon-relay"
    switch probe.status {
    case "online"?,
      nil where !probe.replies.isEmpty:
      guard let version = probe.state?["version"]?.text else {
        return Finding("relay", .ok, "it answers; its state is not for this login")
      }
      guard version == Carillon.version else {
        return Finding(
          "relay", .warning,
          "it answers and is version \(visible(version)); this program is \(Carillon.version)",
          ["install the same release on both machines"])
      }
      let pending = probe.state?["pending"]?.encodedText ?? "?"
      return Finding("relay", .ok, "it answers, version \(visible(version)), \(pending) pending")
    case "online"?:
      return Finding("relay", .skipped, "it is online, but this login gets no answer; see permissions")
    case "offline"?:
      return Finding("relay", .wrong, "the relay is offline, on purpose or by a fault", [start])
    default:
      return Finding(
        "relay", .wrong,
        "no relay has told of itself on \(target.topics.relayStatus): there is none, or this login may not read that",
        [start, "a relay with another prefix is found with --prefix"])
    }
  }

  /// One relay a broker and prefix, one program a client id.
  private static func ones(_ target: BrokerTarget, _ probe: BrokerProbe) -> [Finding] {
    let relays = probe.instances[target.topics.relayState] ?? []
    var findings: [Finding] = []
    if probe.replies.count > 1 || relays.count > 1 {
      findings.append(
        Finding(
          "one relay", .wrong, "two relays answer under the prefix \(target.topics.prefix)",
          ["stop one of them, or give one a --prefix of its own; each has fired what it has accepted"]))
    } else if probe.statusChanges > 1 {
      findings.append(
        Finding(
          "one relay", .warning, "the relay's status came and went while this listened",
          ["look whether a copy of its store, and so its client id, is in use on another machine"]))
    } else if !probe.replies.isEmpty {
      findings.append(Finding("one relay", .ok, "one relay answers"))
    }
    for (topic, instances) in probe.instances.sorted(by: { $0.key < $1.key })
    where topic != target.topics.relayState && instances.count > 1 {
      findings.append(
        Finding(
          "client id", .wrong, "two companions are the same device: \(visible(topic)) changes",
          ["give one of them another --device NAME"]))
    }
    return findings
  }

  private static func storeTrouble(_ probe: BrokerProbe) -> [Finding] {
    guard let word = probe.state?["store"]?.text, word != "ok" else { return [] }
    return [
      Finding(
        "relay's store", .wrong, "the relay says that its store is \(visible(word))",
        ["run carillon doctor on the relay's machine; its log says more: journalctl -u carillon-relay"])
    ]
  }

  private static func warnings(_ probe: BrokerProbe) -> [Finding] {
    (probe.state?["warnings"]?.elements ?? []).compactMap(\.text).map {
      Finding("relay's warnings", .warning, visible($0))
    }
  }
}
