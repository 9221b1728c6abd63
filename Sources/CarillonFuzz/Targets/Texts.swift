import CarillonModel
import CarillonTime

/// An input as text, as it reaches a reader of texts: what is no UTF-8 is replaced, since JSON lets none through.
func text(_ input: some Collection<UInt8>) -> String { String(decoding: input, as: UTF8.self) }

/// The lines of an input, at most so many; the last one holds the rest.
func lines(_ input: [UInt8], _ count: Int) -> [ArraySlice<UInt8>] {
  input.split(separator: UInt8(ascii: "\n"), maxSplits: count - 1, omittingEmptySubsequences: false)
}

/// Zones in which wall time is not simple: none of its own; gaps and overlaps; half an hour of it; changes by moon; a day
/// left out.
let zones: [Zone] = {
  let installed = ZoneDatabase(directory: ZoneDatabase.systemDirectory)
  let names = ["America/New_York", "Australia/Lord_Howe", "Africa/El_Aaiun", "Pacific/Apia"]
  return [.utc] + names.compactMap { try? installed.zone(named: $0) }
}()

/// The same zone for the same input.
func someZone(for input: [UInt8]) -> Zone {
  zones[Int(input.reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1) } % UInt64(zones.count))]
}
