import CarillonLinks
import CarillonModel

/// The routes file of a call: the one that is named, or the one beside the configuration files.
struct RoutesFile {
  static let option = Option(
    "routes", "FILE", path: true, "The routes file. Default: routes.json5 in the configuration folders.")

  let file: ConfigurationFile

  /// - Parameter path: the one that an operand names, before every setting.
  /// - Returns: nil where none is named and none is found.
  /// - Throws: `Failure` (78) where it is named and missing, or is not JSON5.
  init?(_ call: Invocation, path: String? = nil) throws {
    if let path = path ?? call.settings.text(RoutesFile.option.name) {
      guard let file = try ConfigurationFile(path: path) else {
        throw Failure(.configuration, "there is no routes file \(printable(path, limit: 256))")
      }
      self.file = file
      return
    }
    for folder in call.surroundings.configurationFolders {
      if let file = try ConfigurationFile(path: folder + "/routes.json5") {
        self.file = file
        return
      }
    }
    return nil
  }

  /// - Throws: `Failure` (78) with the file, the line and the remedy.
  func router() throws -> Router {
    do { return try Router(reading: .object(file.object)) } catch { throw file.failure(error) }
  }

  static let none = Failure(
    .configuration, "there is no routes file; name one, or write routes.json5 in a configuration folder")
}
