/// The least number of steps, from 0 on, after which a value that begins at 0 and grows by `step` lies between two bounds,
/// modulo a number; `nil` where it never does.
///
/// As in Euclid's algorithm, each question is led back to one of a smaller modulus, so it takes no more turns than the
/// modulus has binary digits, however many steps it is.
///
/// - Parameters:
///   - step: from 0 to less than the modulus, which is below 2^31.
///   - bounds: within 0 to less than the modulus, the ends included.
func firstStep(of step: Int, modulo modulus: Int, into bounds: ClosedRange<Int>) -> Int? {
  var (low, high) = (bounds.lowerBound, bounds.upperBound)
  if low == 0 { return 0 }
  if step == 0 { return nil }
  var step = step
  // Backwards by the rest is the same, seen from the other end.
  if step > modulus - step { (step, low, high) = (modulus - step, modulus - high, modulus - low) }
  let steps = (low + step - 1) / step
  if steps * step <= high { return steps }
  // How often the modulus is passed until a multiple of the step lies between the bounds.
  guard
    let laps = firstStep(
      of: modulus % step, modulo: step, into: (step - high % step)...(step - low % step))
  else { return nil }
  return (low + laps * modulus + step - 1) / step
}
