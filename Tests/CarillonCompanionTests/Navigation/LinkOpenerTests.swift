import CarillonLinks
import CarillonModel
import Testing

@testable import CarillonCompanion

@Suite("Whether a link may be opened")
struct LinkOpenerTests {
  private let opener: LinkOpener

  init() throws {
    let routes: JSON = [
      "routes": [
        ["link": "myapp://offer", "navigate": ["sheet:offer"]],
        [
          "link": "https://example.jp/hogehoge", "navigate": ["modal:hogehoge"],
          "run": ["xdg-open", "{url}"],
        ],
        ["link": "myapp://note/:title", "navigate": ["/{title}"], "run": ["note", "{title}"]],
      ]
    ]
    opener = LinkOpener(router: try Router(reading: routes))
  }

  @Test(
    "A link with a route leads somewhere",
    arguments: ["myapp://offer", "MYAPP://OFFER/", "https://example.jp/hogehoge"])
  func opens(url: String) throws {
    #expect(try opener.navigation(to: url).steps.count == 1)
    #expect(opener.refusal(of: url) == nil)
  }

  @Test("A link without a route is told so", arguments: ["myapp://elsewhere", "https://example.jp/other"])
  func noRoute(url: String) {
    #expect(opener.refusal(of: url) == "no route")
  }

  @Test(
    "What is not allowed is refused here again, in every disguise",
    arguments: [
      "javascript:alert(1)", "JaVaScript:alert(1)", " javascript:x", "java\tscript:x",
      "file://localhost/secret.txt",
      "data:text/html,x", "smb://host/x", "https://ok.example@evil.example/", "//evil.example/x",
      "https://evil.example/hogehoge", "myapp://note/--help", "",
    ])
  func refused(url: String) throws {
    let reason = try #require(opener.refusal(of: url))
    #expect(reason.hasPrefix("forbidden") || reason.hasPrefix("invalid"), "\(reason)")
  }
}

extension LinkOpener {
  /// Why a link would not be opened; nil where it would.
  fileprivate func refusal(of url: String) -> String? {
    do {
      _ = try navigation(to: url)
      return nil
    } catch { return error.description }
  }
}
