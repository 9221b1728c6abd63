/// A time as a publisher wrote it: an instant where it has an offset or counts seconds since 1970, otherwise a reading of
/// the clock that some zone makes an instant.
public enum WrittenTime: Hashable, Sendable {
  case instant(WallTime)
  case local(CivilTime)
}

extension WrittenTime: CustomStringConvertible {
  /// RFC 3339, without an offset where the time has none. Reading it gives the same time.
  public var description: String {
    switch self {
    case .instant(let time): time.description
    case .local(let time): time.description
    }
  }
}
