import CarillonModel

// The settings of what is done with a notification.
extension CompanionConfiguration {
  mutating func setManners(_ fields: Fields) throws(Refusal) {
    if let rules = try fields.object("presentation") { presentation = try PresentationRules(reading: rules) }
    presentation.open = try fields.choice("open", OpenedBy.self)
    if let rules = try fields.object("authorization") { authorization = try Authorization(reading: rules) }
    for (index, element) in (try fields.list("applications") ?? []).enumerated() {
      let place = fields.place("applications[\(index)]")
      applications.append(try ApplicationSetting(reading: try Fields(element, at: place)))
    }
    desktop = try fields.bool("desktop") ?? desktop
    images = try fields.strings("images") ?? images
    for folder in images where !folder.hasPrefix("/") {
      throw fields.refusal("images", "\"\(printable(folder))\" is no absolute path of a folder")
    }
  }
}
