import CarillonModel
import Testing

@Suite("What a device tells about itself")
struct ProfileTests {
  @Test("A profile comes back as it was written")
  func roundTrip() throws {
    let profile = Profile(
      name: "desk", authorization: "authorized", focus: true, presentation: ["list"], presence: .idle,
      schemes: ["home", "https"], version: "1", instance: "ab")
    #expect(try Profile(parsing: profile.encoded) == profile)
    #expect(
      String(decoding: profile.encoded, as: UTF8.self)
        == #"{"name":"desk","authorization":"authorized","focus":true,"presentation":["list"],"#
        + #""presence":"idle","schemes":["home","https"],"version":"1","instance":"ab"}"#)
  }

  @Test("A newer companion's presence is unknown, its new fields are ignored")
  func newer() throws {
    let profile = try Profile(parsing: Array(#"{"name":"desk","presence":"dancing","shoes":2}"#.utf8))
    #expect(profile == Profile(name: "desk"))
  }

  @Test("A profile over 4 KiB is refused by the reader and never written")
  func size() throws {
    let schemes = (0..<1000).map { "scheme\($0)" }
    let profile = Profile(name: "desk", schemes: schemes, version: "1", instance: "ab")
    #expect(profile.encoded.count <= Profile.limit)
    #expect(try Profile(parsing: profile.encoded).instance == "ab")
    let padding = String(repeating: " ", count: Profile.limit)
    #expect(throws: Refusal.self) { try Profile(parsing: Array(("{\"name\":\"desk\"}" + padding).utf8)) }
  }

  @Test("A profile that is no profile is refused", arguments: ["", "[]", "{}", #"{"name":1}"#])
  func mistakes(text: String) {
    #expect(throws: Refusal.self) { try Profile(parsing: Array(text.utf8)) }
  }

  @Test("A status is one of two words and nothing else", arguments: ["", "Online", "online ", "{}"])
  func status(text: String) {
    #expect(DeviceStatus(payload: Array(text.utf8)) == nil)
    #expect(DeviceStatus(payload: DeviceStatus.online.encoded) == .online)
    #expect(DeviceStatus(payload: DeviceStatus.offline.encoded) == .offline)
  }
}
