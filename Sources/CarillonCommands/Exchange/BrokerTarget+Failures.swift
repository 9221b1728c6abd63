import CarillonMQTT

extension BrokerTarget {
  /// A failed connection, with the settings that may help.
  func failure(_ failure: SessionFailure) -> Failure {
    let told = "\(failure)".contains("\(address)") ? "\(failure)" : "\(address): \(failure)"
    if failure.concernsLogin {
      let asWhom = username.map { "as \"\(visible($0))\"" } ?? "without a user name"
      return Failure(
        .unavailable,
        "\(told) (\(asWhom)); set username and passwordFile (--username, --password-file, CARILLON_USERNAME, CARILLON_PASSWORD_FILE)"
      )
    }
    switch failure {
    case .passwordFileUnreadable: return Failure(.configuration, "passwordFile: \(failure)")
    case .nameNotResolved, .unreachable, .noAnswer:
      return Failure(.unavailable, "\(told); is it running? --broker or CARILLON_BROKER names another")
    case .tls(.unknownAuthority, _):
      return Failure(.unavailable, "\(told) (--tls-ca, CARILLON_TLS_CA)")
    case .tls(.certificateWanted, _):
      return Failure(.unavailable, "\(told) (--tls-cert, --tls-key)")
    default: return Failure(.unavailable, told)
    }
  }
}

extension BrokerTarget: CustomStringConvertible {}
