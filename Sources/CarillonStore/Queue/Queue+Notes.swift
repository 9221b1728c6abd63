import CarillonModel

/// That the broker has taken a message of a delivery, before the delivery's row says so.
public struct AcceptanceNote: Hashable, Sendable {
  public var firing: Int64
  public var device: Int64
  /// What is over with that, since nothing answers at the device.
  public var closing: OpenKind
  /// When the firing went out, where its row does not say so.
  public var fired: WallTime?

  public init(firing: Int64, device: Int64, closing: OpenKind, fired: WallTime?) {
    self.firing = firing
    self.device = device
    self.closing = closing
    self.fired = fired
  }
}

extension Queue {
  /// Notes what the broker has taken: one row for any number of messages, where their own rows are two each.
  public func note(_ notes: [AcceptanceNote]) throws(StoreError) {
    guard !notes.isEmpty else { return }
    var writer = JSONWriter(reserving: 48 * notes.count)
    writer.beginArray()
    for note in notes {
      writer.integer(note.firing)
      writer.integer(note.device)
      writer.integer(note.closing.rawValue)
      if let fired = note.fired { writer.integer(fired.milliseconds) } else { writer.null() }
    }
    writer.endArray()
    try database.run("INSERT INTO note(taken) VALUES (?)", .bytes(writer.bytes))
  }

  /// The notes whose rows have not followed, oldest first.
  public func notes() throws(StoreError) -> [AcceptanceNote] {
    var notes: [AcceptanceNote] = []
    for bytes in try database.statement("SELECT taken FROM note ORDER BY row").all([], { $0.bytes(0) }) {
      guard let values = (try? JSON(parsing: bytes))?.elements, values.count % 4 == 0 else {
        throw .corrupt("a note of what the broker has taken cannot be read")
      }
      for start in stride(from: 0, to: values.count, by: 4) {
        guard case .integer(let firing) = values[start], case .integer(let device) = values[start + 1],
          case .integer(let closing) = values[start + 2]
        else { throw .corrupt("a note of what the broker has taken cannot be read") }
        var note = AcceptanceNote(
          firing: firing, device: device, closing: OpenKind(rawValue: closing) ?? .nothing, fired: nil)
        if case .integer(let time) = values[start + 3] { note.fired = WallTime(milliseconds: time) }
        notes.append(note)
      }
    }
    return notes
  }

  /// Forgets the notes: their rows have followed.
  public func forgetNotes() throws(StoreError) {
    try database.run("DELETE FROM note")
  }
}
