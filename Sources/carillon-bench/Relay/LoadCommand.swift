/// Commands of 300 bytes, each with a number that its notification shows, for 100 devices in turn.
enum LoadCommand {
  static let topic = "carillon/command"
  /// Where their notifications go.
  static let notifications = "carillon/device/+/notification"
  static let size = 300

  /// - Parameters:
  ///   - due: in milliseconds of POSIX time; nil: at once.
  ///   - device: nil: one of the hundred.
  static func encoded(_ number: Int, due: Int64? = nil, to device: String? = nil) -> [UInt8] {
    var text =
      #"{"id":"load-\#(number)","to":["\#(device ?? "d\(number % 100)")"],"title":"~\#(number)~","#
      + #""url":"home://item/\#(number)?from=load","#
    if let due { text += #""trigger":{"at":\#(due / 1000).\#(String(due % 1000 + 1000).dropFirst())},"# }
    text += #""body":""#
    return Array((text + String(repeating: "x", count: max(0, size - text.utf8.count - 2)) + #""}"#).utf8)
  }
}
