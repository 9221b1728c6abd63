import CarillonLinks
import CarillonModel
import Testing

@Suite("A hostile link")
struct HostileLinkTests {
  @Test(
    "is refused when it is read",
    arguments: [
      // No scheme, or one that is none.
      "", "/x", "//evil.example/x", "x", "--manual", "-x://y", "1x://y", "://x", ":x", "x y://z", "ä://x",
      "{id}://x", "java%73cript:x", "?x://y",
      // Blanks and control characters, anywhere.
      " javascript:x", "java\tscript:x", "https://ok.example/ ", "https://ok.example/a\nb",
      "https://ok.example/\u{0}",
      "https://ok.example/\u{7f}", "https://ok.example/\u{85}", "https://ok.example/?q=\u{9f}", "x://h/#\r",
      // Escapes that are none.
      "myapp://p/100%", "myapp://p/%4", "myapp://p/%zz", "myapp://p?q=%", "myapp://p#%g0", "tel:%",
      // User-info.
      "https://ok.example@evil.example/", "https://ok.example:443@evil.example/", "https://@evil.example/",
      "myapp://user:secret@host/x", "https://ok.example@ev\u{ef}l.example/",
      "https://ok.example%40@evil.example/",
      // Dot segments in every disguise.
      "https://ok.example/a/../b", "https://ok.example/.", "https://ok.example/a/./b",
      "https://ok.example/%2e%2E/b",
      "https://ok.example/.%2e", "https://ok.example/%2E.", "https://ok.example/%2e",
      "home://chores/x/%2E%2E",
      "x:../y", "x:a/..", "tel:.",
      // Backslashes, which browsers read as slashes.
      "https://ok.example\\@evil.example/", "https:\\\\evil.example/", "https://ok.example/..\\..\\x",
      "https://ok.example/%2e%2e\\x",
      // Hosts that are none.
      "https://{bad.example/", "https://", "https:///x", "https:x", "https:/x", "http:", "https://a..b/",
      "https://.example/", "https://ok.example,evil.example/", "https://ok%2Eexample/",
      "https://%65vil.example/",
      "https://b%C3%BCcher.example/", "https://ok.example\u{ff0f}evil.example/", "https://xn--a/",
      "https://xn--\u{fc}/", "https://ok\u{2024}\u{2024}example/", "https://a<b/", "https://::1/",
      "https://[::1/",
      "https://[::1]x/", "https://[fe80::1%25eth0]/", "https://[1::2::3]/", "https://[1:2:3:4:5:6:7]/",
      "https://[1:2:3:4:5:6:7:8:9]/", "https://[12345::]/", "https://[::1.2.3]/", "https://[::1.2.3.256]/",
      "https://[1.2.3.4::]/", "https://[v1.x]/", "https://[]/", "https://[:::]/", "myapp://[x]/",
      // Characters that UTS 46 maps to what a host cannot hold, or that STD 3 excludes.
      "https://ok\u{ff20}evil.example/", "https://ok\u{ff1a}80.example/", "https://ok\u{ff05}41.example/",
      "https://a\u{2474}b.example/", "https://\u{2100}.example/", "https://a\u{2260}b.example/",
      "https://\u{fc}_a.example/", "https://a\u{ff3f}\u{fc}.example/", "https://o\u{ff1f}k.example/",
      "https://\u{200b}/", "https://\u{fc}..a/", "https://\u{fc}-.example/", "https://a\u{200d}b/",
      "myapp://\u{ad}/x",
      // Addresses in disguise.
      "https://2130706433/", "https://0x7f000001/", "https://0x7f.1/", "https://127.1/",
      "https://127.000.000.001/",
      "https://256.1.1.1/", "https://1.2.3.4.5/", "https://0x/",
      // Ports that are none.
      "https://ok.example:65536/", "https://ok.example:x/", "https://ok.example:-1/",
      "https://ok.example:1:2/",
      "https://ok.example:99999999999999999999/", "https://ok.example:+80/",
    ])
  func isInvalid(text: String) {
    let refusal = #expect(throws: Refusal.self) { try Link(parsing: text) }
    #expect(refusal?.code == .invalid)
    #expect(refusal?.message.contains("secret") == false)
  }

  @Test(
    "of a denied scheme is forbidden by the relay, however it is spelt",
    arguments: [
      "javascript:alert(1)", "JaVaScript:alert(1)", "javascript://ok.example/%0aalert(1)",
      "file://localhost/secret.txt",
      "FILE:///etc/passwd", "data:text/html,x", "smb://host/x", "vbscript:x", "ftp://h/x", "ssh://h",
      "about:config",
      "blob:https://ok.example/x", "view-source:https://ok.example/",
    ])
  func isForbidden(text: String) throws {
    let link = try Link(parsing: text)
    let refusal = #expect(throws: Refusal.self) { try LinkPolicy.relayDefault.check(link) }
    #expect(refusal?.code == .forbidden)
  }

  @Test(
    "passes neither reading nor a companion's policy",
    arguments: [
      "javascript:alert(1)", "JaVaScript:alert(1)", " javascript:x", "java\tscript:x",
      "file://localhost/secret.txt",
      "data:text/html,x", "smb://host/x", "https://ok.example@evil.example/", "//evil.example/x",
      "https://\u{430}\u{440}\u{440}\u{4cf}\u{435}.example/",
    ])
  func isStoppedAtLaunch(text: String) throws {
    let router = try Router(reading: [
      "routes": [
        ["link": "https://apple.example/a", "navigate": ["/"]], ["link": "myapp://x", "navigate": ["/"]],
      ]
    ])
    #expect(throws: Refusal.self) { try router.policy.check(try Link(parsing: text)) }
  }
}
