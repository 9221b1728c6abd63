import CarillonLoop
import CarillonMQTT
import CarillonModel

/// The broker, this login's permissions, and the relay behind it.
///
/// A broker may grant a subscription and withhold its messages, and acknowledge what it throws away. So one command goes
/// the whole way, and what comes back counts; what does not is told apart by what else is seen.
enum BrokerInspection {
  static func run(_ site: Site) -> [Finding] {
    guard let call = site.client else {
      return [Finding("broker", .skipped, "its settings cannot be read")]
    }
    do {
      let target = try BrokerTarget(call)
      let probe = try BrokerProbe(target, wait: try wait(call))
      let version: Int
      do { version = try probe.connect() } catch let failure as Failure {
        return [Finding("broker", failure, remedies(target))]
      }
      probe.ask()
      probe.close()
      return [connected(target, version), security(target)] + permissions(target, probe)
        + RelayInspection.run(target, probe)
    } catch let failure as Failure {
      return [Finding("broker", failure)]
    } catch {
      return [Finding("broker", .wrong, "\(error)")]
    }
  }

  private static func wait(_ call: Invocation) throws -> Duration {
    call.settings.has("wait") ? try Sending.wait(call) : .seconds(5)
  }

  private static func remedies(_ target: BrokerTarget) -> [String] {
    [
      "systemctl status mosquitto on \(target.address.host) says whether a broker runs there; "
        + "mosquitto_sub -h \(target.address.host) -p \(target.address.port) -t test tries it without Carillon"
    ]
  }

  private static func connected(_ target: BrokerTarget, _ version: Int) -> Finding {
    let whom = target.username.map { "as \(visible($0))" } ?? "without a login"
    guard version >= 5 else {
      return Finding(
        "broker", .warning,
        "\(target) speaks MQTT 3.1.1 only, \(whom): old messages do not expire by themselves",
        ["take a broker that speaks MQTT 5, such as Mosquitto 2"])
    }
    return Finding("broker", .ok, "\(target) speaks MQTT 5, \(whom)")
  }

  /// Whether others on the way can read along.
  private static func security(_ target: BrokerTarget) -> Finding {
    let host = target.address.host
    if target.tls.isInsecure {
      return Finding(
        "TLS", .warning, "whoever answers is taken for the broker (tls insecure)",
        ["give the broker's authority with --tls-ca FILE, and remove insecure"])
    }
    if target.address.isSecure {
      return Finding("TLS", .ok, "the broker has shown that it is \(visible(host))")
    }
    let isHere = host == "localhost" || host.hasPrefix("127.") || host == "::1"
    guard !isHere, target.username != nil else {
      return Finding("TLS", .skipped, isHere ? "the broker is on this machine" : "not in use")
    }
    return Finding(
      "TLS", .warning, "the password for \(visible(host)) travels as it is",
      ["let the broker listen with TLS, and write --broker mqtts://\(visible(host))"])
  }

  /// What one command and its reply prove, and what their lack points at.
  private static func permissions(_ target: BrokerTarget, _ probe: BrokerProbe) -> [Finding] {
    let (command, reply) = (target.commandTopic, "\(probe.replyRoot)/#")
    if !probe.replies.isEmpty {
      return [
        Finding("permissions", .ok, "commands on \(command) arrive, and replies under \(reply) come back")
      ]
    }
    guard probe.status == "online" else {
      return [
        Finding(
          "permissions", .skipped, "nobody is there to answer a command on \(command)",
          probe.status == nil ? ["see relay"] : [])
      ]
    }
    let user = target.username.map(visible) ?? "(no login)"
    return [
      Finding(
        "permissions", .wrong,
        "the relay is online, but a command on \(command) got no reply under \(reply): the broker lets \(user) "
          + "not write the one or not read the other",
        [
          "in the broker's ACL: pattern write \(target.topics.command)/%u and pattern read \(target.topics.reply)/%u/#, "
            + "and ask as that publisher: --publisher \(target.username.map(visible) ?? "NAME")"
        ] + probe.hints)
    ]
  }
}
