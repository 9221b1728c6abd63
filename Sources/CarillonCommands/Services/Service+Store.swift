import CarillonStore

extension Service {
  /// The failure that a store is which a service cannot run on.
  ///
  /// - Parameters:
  ///   - path: the store's file.
  ///   - option: how another one is named.
  static func failure(_ error: StoreError, store path: String, option: String) -> Failure {
    switch error {
    case .alreadyOpen: Failure(.temporary, "\(error)")
    // It may be another the next time.
    case .busy, .full: Failure(.temporary, "\(path): \(error)")
    case .corrupt:
      Failure(
        .configuration,
        "\(path): \(error). Put a backup in its place, or move it and \(path)-wal away to start with an empty one; "
          + "nothing has been deleted")
    case .readOnly:
      Failure(.configuration, "\(path): \(error). Let this user write both, or name another with \(option)")
    case .newerSchema: Failure(.configuration, "\(path): \(error)")
    case .foreign, .cannotOpen: Failure(.configuration, "\(error); \(option) names another")
    case .failed: Failure(.failure, "\(path): \(error)")
    }
  }
}
