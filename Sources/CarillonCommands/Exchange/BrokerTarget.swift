import CarillonMQTT
import CarillonModel

/// Which broker a call talks to, as whom, and under which topics.
struct BrokerTarget {
  let address: BrokerAddress
  let username: String?
  let passwordFile: String?
  let tls: TLSConfiguration
  let topics: Topics
  /// The name that the broker knows this publisher by; nil for the bare command topic.
  let publisher: Name?

  static let defaultAddress = BrokerAddress(host: "localhost")

  /// - Throws: `Failure`: 64 for a bad option, 78 for a bad variable or file, 65 for a bad publisher's name.
  init(_ call: Invocation) throws {
    let settings = call.settings
    address = try settings["broker"].map(BrokerTarget.address) ?? BrokerTarget.defaultAddress
    username = settings.text("username") ?? address.username
    passwordFile = settings.text("password-file") ?? call.surroundings.passwordCredential
    tls = try BrokerTarget.tls(call, address)
    topics = try settings["prefix"].map(BrokerTarget.topics) ?? .standard
    publisher = try settings["publisher"].map(BrokerTarget.publisher)
  }

  private static func address(_ setting: Setting) throws -> BrokerAddress {
    do { return try BrokerAddress(parsing: setting.value) } catch { throw setting.failure(error.description) }
  }

  /// - Throws: `Failure` (78) where the settings or their files cannot be used.
  private static func tls(_ call: Invocation, _ address: BrokerAddress) throws -> TLSConfiguration {
    let settings = call.settings
    if let value = settings.configuration.object["tls"], value != .null {
      do { try Fields(value, at: "tls").allow(only: ["ca", "cert", "key", "insecure"]) } catch {
        throw settings.configuration.failure(error)
      }
    }
    // A broker that is named here and now is none that a file's settings are about.
    let options = ["tls-ca", "tls-cert", "tls-key", "tls-insecure"].compactMap { settings[$0] }
    if !address.isSecure, settings["broker"]?.source.isNear == true, !options.contains(where: \.source.isNear)
    {
      return TLSConfiguration()
    }
    let tls = TLSConfiguration(
      ca: settings.text("tls-ca"), cert: settings.text("tls-cert"), key: settings.text("tls-key"),
      isInsecure: settings.has("tls-insecure"))
    do { try tls.check(with: address) } catch {
      let near = settings["tls-\(error.key)"]
      throw near?.failure(error.description, .configuration)
        ?? Failure(.configuration, "tls\(error.key.isEmpty ? "" : ".\(error.key)"): \(error)")
    }
    if let warning = tls.warning(for: address) { call.console.say("carillon \(call.verb.name): \(warning)") }
    return tls
  }

  private static func topics(_ setting: Setting) throws -> Topics {
    do { return try Topics(prefix: setting.value) } catch { throw setting.failure(error.message) }
  }

  private static func publisher(_ setting: Setting) throws -> Name {
    do { return try Name(setting.value) } catch { throw setting.failure(error.message, .data) }
  }

  var commandTopic: String { publisher.map { topics.command(from: $0) } ?? topics.command }

  /// A topic for one call's replies, under the only place where the relay answers this publisher (protocol
  /// §6).
  func replyTopic(_ call: String) -> String {
    ([topics.reply] + (publisher.map { [$0.text] } ?? []) + ["cli-\(call)"]).joined(separator: "/")
  }

  /// As messages name it.
  var description: String { "\(address)" }
}

extension Surroundings {
  /// The password that systemd hands to a service (`LoadCredential=carillon-password:…`).
  var passwordCredential: String? {
    guard let folder = environment["CREDENTIALS_DIRECTORY"], !folder.isEmpty else { return nil }
    let file = folder + "/carillon-password"
    return isReadable(file) ? file : nil
  }
}
