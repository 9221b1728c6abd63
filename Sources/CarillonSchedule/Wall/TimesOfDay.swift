/// A set of times of day, in whole seconds since midnight as clocks show them.
public enum TimesOfDay: Hashable, Sendable {
  /// Every time whose hour, minute and second are each in their set.
  case matching(hours: UnitSet, minutes: UnitSet, seconds: UnitSet)
  /// Listed, ascending and each once.
  case listed([Int])

  /// Any times, in any order; those that no clock shows are left out.
  public init(_ seconds: some Sequence<Int>) {
    self = .listed(Set(seconds.filter { (0..<TimesOfDay.day).contains($0) }).sorted())
  }

  static let day = 86_400

  /// The first time at or after another one; `nil` where none is left that day.
  func first(from second: Int) -> Int? {
    guard second < TimesOfDay.day else { return nil }
    switch self {
    case .listed(let times):
      let place = times.place(of: second)
      return place < times.count ? times[place] : nil
    case .matching(let hours, let minutes, let seconds):
      guard let least = minutes.first, let leastSecond = seconds.first else { return nil }
      let (hour, minute) = (second / 3600, second / 60 % 60)
      guard let foundHour = hours.first(from: hour) else { return nil }
      if foundHour > hour { return (foundHour * 60 + least) * 60 + leastSecond }
      if minutes.contains(minute), let found = seconds.first(from: second % 60) {
        return (hour * 60 + minute) * 60 + found
      }
      if let found = minutes.first(from: minute + 1) { return (hour * 60 + found) * 60 + leastSecond }
      return hours.first(from: hour + 1).map { ($0 * 60 + least) * 60 + leastSecond }
    }
  }

  /// How many times there are in a day.
  var count: Int { count(before: TimesOfDay.day) }

  /// The time of a place from 0; `nil` where there are not so many.
  func time(at place: Int) -> Int? {
    switch self {
    case .listed(let times): return times.indices.contains(place) ? times[place] : nil
    case .matching(let hours, let minutes, let seconds):
      guard !minutes.isEmpty, !seconds.isEmpty else { return nil }
      let (left, second) = place.quotientAndRemainder(dividingBy: seconds.count)
      let (hour, minute) = left.quotientAndRemainder(dividingBy: minutes.count)
      guard let hour = hours.number(at: hour), let minute = minutes.number(at: minute),
        let second = seconds.number(at: second)
      else { return nil }
      return (hour * 60 + minute) * 60 + second
    }
  }

  /// How many times lie before another one.
  func count(before second: Int) -> Int {
    switch self {
    case .listed(let times): return times.place(of: second)
    case .matching(let hours, let minutes, let seconds):
      let (hour, minute) = (second / 3600, second / 60 % 60)
      let perHour = minutes.count * seconds.count
      var count = hours.count(before: hour) * perHour
      guard hours.contains(hour) else { return count }
      count += minutes.count(before: minute) * seconds.count
      if minutes.contains(minute) { count += seconds.count(before: second % 60) }
      return count
    }
  }
}

extension [Int] {
  /// The place of the first element that is not less than another, in an ascending array.
  func place(of value: Int) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle] < value { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
