import CarillonModel
import CarillonTestSupport
import Testing

/// Relay, companion and command line at a broker that speaks TLS.
@Suite("TLS", .onOwnThread)
struct SecureTests {
  private let certificates: Certificates
  private let folder: TemporaryDirectory

  init() throws {
    certificates = try Certificates()
    folder = try TemporaryDirectory(inMemory: true)
  }

  private var store: [String] { ["--store", "sqlite:\(folder.file("relay.db"))"] }

  @Test("With client certificates, from the files and from the options")
  func certificatesOfClients() throws {
    try certificates.make("broker")
    for name in ["relay", "desk"] { try certificates.make(name, for: "DNS:\(name)") }
    let broker = try SecureBroker(certificates, "broker", "require_certificate true")
    func file(_ name: String) throws -> String {
      // From the file's own folder.
      try certificates.directory.write(
        "\(name).json5",
        "{ broker: '\(broker.url)', tls: { ca: 'ca.crt', cert: '\(name).crt', key: '\(name).key' } }")
    }
    let relay = try Program(["relay", "--config", try file("relay")] + store)
    let companion = try Program(["companion", "--config", try file("desk"), "--device", "desk", "--json"])
    for program in [relay, companion] {
      try program.wait(for: "the connection", on: .errors) { $0.contains("connected to \(broker.url)") }
    }
    let options = [
      "--broker", broker.url, "--tls-ca", certificates.ca, "--tls-cert", certificates.file("desk.crt"),
    ]
    let key = ["CARILLON_TLS_KEY": certificates.file("desk.key")]
    let run = try Run(
      ["schedule", "--title", "Tea", "--id", "tea", "--to", "desk"] + options, environment: key)
    #expect(run.status == .exited(0), "\(run.text)")
    try companion.event("notification", "tea")
    // A companion's file is enough for the verbs.
    let listed = try Run(["pending", "--config", certificates.file("desk.json5")])
    #expect(listed.status == .exited(0), "\(listed.text)")
    let without = try Run(["pending", "--broker", broker.url, "--tls-ca", certificates.ca])
    #expect(without.status == .exited(69))
    #expect(without.text.contains("wants a client certificate"), "\(without.text)")
    let unknown = try Run(["pending", "--broker", broker.url])
    #expect(unknown.status == .exited(69))
    #expect(unknown.text.contains("not known here") && unknown.text.contains("--tls-ca"), "\(unknown.text)")
    let insecure = try Run(["pending", "--tls-insecure", "--broker", broker.url])
    #expect(insecure.errors.first?.contains("tls.insecure is set") == true, "\(insecure.text)")
    try relay.stop()
    try companion.stop()
  }

  @Test(
    "A fault is told once, and a certificate that becomes valid needs nobody; insecure is told at each start")
  func faults() throws {
    try certificates.make("soon", from: 5)
    let broker = try SecureBroker(certificates, "soon")
    let arguments = ["--broker", broker.url, "--tls-ca", certificates.ca]
    let relay = try Program(["relay"] + arguments + store)
    let companion = try Program(["companion", "--device", "desk"] + arguments)
    for program in [relay, companion] {
      try program.wait(for: "the connection", within: .seconds(30), on: .errors) {
        $0.contains("connected to")
      }
      let told = program.lines(.errors).filter { $0.contains("not valid yet") }
      #expect(told.count == 1, "\(program.lines(.errors))")
      #expect(told.first?.contains(broker.url) == true)
      try program.stop()
    }
    let insecure = try Program(["relay", "--broker", broker.url, "--tls-insecure", "--log", "error"] + store)
    try insecure.wait(for: "the warning", on: .errors) { $0.contains("tls.insecure is set") }
    try insecure.stop()
  }

  @Test(
    "Settings that cannot work end each program with 78 and their place",
    arguments: [
      ("mqtt://localhost", "ca: 'x'", "tls: is for a broker at mqtts://"),
      ("mqtts://localhost", "ca: 'missing.crt'", "tls.ca"), ("mqtts://localhost", "cert: 'a'", "tls.key"),
      ("mqtts://localhost", "cert: 'a', key: 'b'", "tls.ca"),
      ("mqtts://localhost", "cafile: 'x'", "tls.cafile"),
    ])
  func settings(broker: String, tls: String, message: String) throws {
    let file = try folder.write("c.json5", "{ broker: '\(broker)', tls: { \(tls) } }")
    for verb in ["relay", "companion", "pending"] {
      let run = try Run([verb, "--config", file], environment: ["STATE_DIRECTORY": folder.path])
      #expect(run.status == .exited(78), "\(verb): \(run.text)")
      #expect(run.text.contains(message), "\(verb): \(run.text)")
      if tls.contains("missing") {
        #expect(run.text.contains("\(folder.path)/missing.crt cannot be read"), "\(run.text)")
      }
    }
  }
}
