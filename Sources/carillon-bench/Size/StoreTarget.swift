/// What a store may take on disk.
enum StoreTarget {
  private static let most = 450.0

  /// - Parameter bytes: of each pending request.
  static func bytes(_ bytes: Double) -> Report.Target {
    .init("store ≤ \(Int(most)) B a request", bytes <= most)
  }
}
