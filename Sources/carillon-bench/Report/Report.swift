import CarillonModel

/// Prints tables: for people, or as one JSON object a row.
struct Report {
  private let measurement: String
  private let isJSON: Bool

  init(_ measurement: String, isJSON: Bool) {
    self.measurement = measurement
    self.isJSON = isJSON
  }

  /// A value of a row.
  enum Cell {
    case count(Int)
    /// Digits behind the point are as many as the size deserves.
    case number(Double)
    case text(String)
    case none
  }

  struct Column {
    /// Over the column, and the name of the JSON member, which also has the unit.
    var name: String
    var unit = ""

    init(_ name: String, _ unit: String = "") {
      self.name = name
      self.unit = unit
    }

    var heading: String { unit.isEmpty ? name : "\(name)/\(unit)" }
    var member: String { unit.isEmpty ? name : "\(name)_\(unit == "µs" ? "us" : unit)" }
  }

  /// What a row is measured against.
  struct Target {
    var text: String
    var isMet: Bool

    init(_ text: String, _ isMet: Bool) {
      self.text = text
      self.isMet = isMet
    }
  }

  struct Row {
    var name: String
    var cells: [Cell]
    var target: Target?

    init(_ name: String, _ cells: [Cell], _ target: Target? = nil) {
      self.name = name
      self.cells = cells
      self.target = target
    }
  }

  /// Prints a table.
  ///
  /// - Parameters:
  ///   - title: of one word, which is a member of each JSON object too.
  ///   - note: how it was measured, for people.
  func table(_ title: String, _ note: String, _ columns: [Column], _ rows: [Row]) {
    if isJSON {
      for row in rows { print(json(title, columns, row)) }
    } else {
      for line in text(title, note, columns, rows) { print(line) }
    }
  }

  private func json(_ title: String, _ columns: [Column], _ row: Row) -> String {
    var object: JSONObject = [
      "measurement": .string(measurement), "table": .string(title), "name": .string(row.name),
    ]
    for (column, cell) in zip(columns, row.cells) {
      switch cell {
      case .count(let count): object[column.member] = .integer(Int64(count))
      case .number(let number): object[column.member] = .number(number)
      case .text(let text): object[column.member] = .string(text)
      case .none: object[column.member] = .null
      }
    }
    if let target = row.target {
      object["target"] = .string(target.text)
      object["met"] = .bool(target.isMet)
    }
    return String(decoding: JSON.object(object).encoded, as: UTF8.self)
  }

  private func text(_ title: String, _ note: String, _ columns: [Column], _ rows: [Row]) -> [String] {
    let hasTargets = rows.contains { $0.target != nil }
    var table = [[""] + columns.map(\.heading) + (hasTargets ? ["target"] : [])]
    for row in rows {
      let target = row.target.map { "\($0.text): \($0.isMet ? "met" : "MISSED")" } ?? ""
      table.append([Report.shortened(row.name)] + row.cells.map(Report.text) + (hasTargets ? [target] : []))
    }
    let widths = table[0].indices.map { column in table.map { $0[column].count }.max() ?? 0 }
    let isText = table[0].indices.map { column in
      column == 0 || column > columns.count
        || rows.contains { if case .text = $0.cells[column - 1] { true } else { false } }
    }
    let lines = table.map { line in
      var text = ""
      for (column, cell) in line.enumerated() {
        let blanks = String(repeating: " ", count: widths[column] - cell.count)
        text += (column == 0 ? "" : "  ") + (isText[column] ? cell + blanks : blanks + cell)
      }
      return String(text.reversed().drop { $0 == " " }.reversed())
    }
    return ["", "\(measurement) \(title): \(note)"] + lines
  }

  private static func text(_ cell: Cell) -> String {
    switch cell {
    case .count(let count): "\(count)"
    case .number(let number): decimal(number)
    case .text(let text): shortened(text)
    case .none: "-"
    }
  }

  /// Programs get texts whole.
  private static func shortened(_ text: String) -> String {
    text.count > widest ? text.prefix(widest - 1) + "…" : text
  }

  private static let widest = 56

  /// Three digits that matter, as far as there are so many behind the point.
  private static func decimal(_ number: Double) -> String {
    let places = abs(number) >= 100 ? 0 : abs(number) >= 10 ? 1 : 2
    let scale = [1.0, 10, 100][places]
    guard let whole = Int64(exactly: (abs(number) * scale).rounded()) else { return "\(number)" }
    let digits = String(whole)
    let sign = number < 0 && whole > 0 ? "-" : ""
    if places == 0 { return sign + digits }
    let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
    return sign + padded.dropLast(places) + "." + padded.suffix(places)
  }
}
