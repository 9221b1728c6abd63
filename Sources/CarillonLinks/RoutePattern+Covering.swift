extension RoutePattern {
  /// Whether every link that `other` matches is matched by this pattern too, so that `other` after it never gets one.
  func covers(_ other: RoutePattern) -> Bool {
    scheme == other.scheme && host == other.host && port == other.port && coversPath(of: other)
      && coversQuery(of: other)
  }

  private func coversPath(of other: RoutePattern) -> Bool {
    let fits =
      rest == nil
      ? other.rest == nil && other.segments.count == segments.count : other.segments.count >= segments.count
    guard fits else { return false }
    return zip(segments, other.segments).allSatisfy { mine, theirs in
      switch (mine, theirs) {
      case (.parameter, _): true
      case (.literal(_, let mine), .literal(_, let theirs)): mine == theirs
      case (.literal, .parameter): false
      }
    }
  }

  private func coversQuery(of other: RoutePattern) -> Bool {
    // Where the two read a plus differently, texts that look alike are not.
    if !query.isEmpty, form != other.form { return false }
    return query.allSatisfy { mine in
      guard let theirs = other.query.first(where: { $0.name == mine.name }) else { return false }
      switch (mine.value, theirs.value) {
      case (.parameter, _): return true
      case (.literal(_, let mine), .literal(_, let theirs)): return mine == theirs
      case (.literal, .parameter): return false
      }
    }
  }
}
