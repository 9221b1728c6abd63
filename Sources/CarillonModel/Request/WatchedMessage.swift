/// The payload of a message that conditions are compared with: read once, however many they are.
public struct WatchedMessage: Sendable {
  private let payload: [UInt8]
  private var readJSON: JSON??
  private var readText: String??

  public init(_ payload: [UInt8]) {
    self.payload = payload
  }

  /// Whether it is larger than anything that matches.
  var isTooLarge: Bool { payload.count > Limits.watched }

  /// What it is as JSON; `nil` where it is none.
  var json: JSON? {
    mutating get {
      if let readJSON { return readJSON }
      let value = try? JSON(parsing: payload)
      readJSON = .some(value)
      return value
    }
  }

  /// What it is as text; `nil` where it is no UTF-8.
  var text: String? {
    mutating get {
      if let readText { return readText }
      let value = String(validating: payload, as: UTF8.self)
      readText = .some(value)
      return value
    }
  }
}
