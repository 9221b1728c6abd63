import CarillonModel
import Glibc

/// The folders from which a notification's image may come. An image is never fetched.
struct ImageFolders {
  let folders: [String]

  /// - Returns: an icon's name, or the path of a file in one of the folders; nil for everything else.
  func icon(for image: String?) -> String? {
    guard let image, !image.isEmpty else { return nil }
    guard image.hasPrefix("/") else {
      let isName = image.utf8.allSatisfy { Name.isAllowed($0) || $0 == UInt8(ascii: "+") }
      return isName && !image.hasPrefix(".") ? image : nil
    }
    // Links and dots are followed first: the file itself must be inside.
    guard let path = real(image) else { return nil }
    let isInside = folders.contains { folder in real(folder).map { path.hasPrefix($0 + "/") } ?? false }
    return isInside ? path : nil
  }

  private func real(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(validatingCString: resolved)
  }
}
