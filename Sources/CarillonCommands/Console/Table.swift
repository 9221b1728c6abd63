/// A table in text: columns as wide as what stands in them, two blanks between, the last one ragged.
///
/// Rows are printed a page at a time, since a list may be longer than memory is for; the widths of one page
/// carry over to the next, so that columns only ever grow.
struct Table {
  private let titles: [String]
  private var widths: [Int]
  private var hasTitles = false

  /// The widest that a column but the last becomes; longer cells are cut.
  static let widest = 48

  init(_ titles: [String]) {
    self.titles = titles
    widths = titles.map(\.count)
  }

  /// The lines of one page; the titles stand above the first.
  mutating func page(_ rows: [[String]]) -> [String] {
    let cells = rows.map { row in row.map { visible($0.isEmpty ? "-" : $0) } }
    for row in cells {
      for (column, cell) in row.enumerated() {
        widths[column] = max(widths[column], min(cell.count, Table.widest))
      }
    }
    let head = hasTitles || rows.isEmpty ? [] : [line(titles)]
    hasTitles = hasTitles || !rows.isEmpty
    return head + cells.map(line)
  }

  private func line(_ cells: [String]) -> String {
    var result = ""
    for (column, cell) in cells.enumerated() {
      guard column < cells.count - 1 else { return result + cell }
      let cut = cell.count > Table.widest ? String(cell.prefix(Table.widest - 1)) + "…" : cell
      result += cut + String(repeating: " ", count: widths[column] - cut.count + 2)
    }
    return result
  }
}
