/// What the clocks of a zone show from 1970 to 2100, as two other implementations say: `Tests/Reference/zones.py`.
public struct ReferenceZone: Sendable {
  /// What sets its clocks apart from UTC for a while.
  public struct Offset: Hashable, Sendable {
    /// East of Greenwich.
    public var seconds: Int
    public var abbreviation: String
    public var isDaylight: Bool

    public init(seconds: Int, abbreviation: String, isDaylight: Bool) {
      (self.seconds, self.abbreviation, self.isDaylight) = (seconds, abbreviation, isDaylight)
    }
  }

  public struct Stretch: Sendable {
    /// In seconds of POSIX time.
    public var start: Int64
    public var offset: Offset
  }

  public var name: String
  /// What they showed in the year 1800, before any region had a common time.
  public var longAgo: Offset
  /// Ascending; the first begins with 1970, the last ends with 2100. Neighbours differ.
  public var stretches: [Stretch]

  /// A compiled zone whose clocks show this.
  public var file: TZifFile {
    var offsets = [longAgo]
    for stretch in stretches where !offsets.contains(stretch.offset) { offsets.append(stretch.offset) }
    var file = TZifFile(kinds: [], characters: "", footer: "")
    for offset in offsets {
      file.kinds.append(
        TZifFile.Kind(
          seconds: Int32(offset.seconds), isDaylight: offset.isDaylight ? 1 : 0,
          abbreviation: UInt8(file.characters.utf8.count)))
      file.characters += offset.abbreviation + "\u{0}"
    }
    file.transitions = stretches.enumerated().map { place, stretch in
      (time: place == 0 ? -1 : stretch.start, kind: UInt8(offsets.firstIndex(of: stretch.offset) ?? 0))
    }
    return file
  }
}
