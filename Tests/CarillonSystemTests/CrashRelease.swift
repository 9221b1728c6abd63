import CarillonTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Looks into a release build where there is one; it is not built for this.
struct CrashRelease {
  private static var binary: String? {
    guard let debug = try? Program.carillon() else { return nil }
    let folders = debug.split(separator: "/").map(String.init).dropLast(2)
    let path = "/" + (folders + ["release", "carillon"]).joined(separator: "/")
    return access(path, R_OK) == 0 ? path : nil
  }

  @Test(.enabled(if: CrashRelease.binary != nil))
  func theReleaseBuildHoldsNoFaultPoints() throws {
    let bytes = try #require(CrashRelease.binary.flatMap { FileManager.default.contents(atPath: $0) })
    for text in ["CARILLON_FAULT", "fault point "] {
      #expect(!bytes.contains(text), "\(text)")
    }
  }

  @Test func theDebugBuildHoldsThem() throws {
    let bytes = try #require(FileManager.default.contents(atPath: try Program.carillon()))
    #expect(bytes.contains("CARILLON_FAULT"))
  }
}

extension Data {
  fileprivate func contains(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    return withUnsafeBytes { bytes in
      var start = 0
      while let found = memchr(bytes.baseAddress! + start, Int32(wanted[0]), bytes.count - start) {
        let place = bytes.baseAddress!.distance(to: UnsafeRawPointer(found))
        guard place + wanted.count <= bytes.count else { return false }
        if memcmp(found, wanted, wanted.count) == 0 { return true }
        start = place + 1
      }
      return false
    }
  }
}
