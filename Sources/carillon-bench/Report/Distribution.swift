/// How values are spread, in the unit of the values.
struct Distribution {
  /// Ascending.
  private let values: [Double]

  init(_ values: [Double]) { self.values = values.sorted() }

  var count: Int { values.count }
  var median: Double { quantile(0.5) }
  var p99: Double { quantile(0.99) }
  var max: Double { values.last ?? 0 }

  /// The least value that so large a part of all does not exceed; 0 where there is none.
  func quantile(_ part: Double) -> Double {
    guard !values.isEmpty else { return 0 }
    let place = Int((part * Double(values.count)).rounded(.up)) - 1
    return values[Swift.min(Swift.max(place, 0), values.count - 1)]
  }
}
