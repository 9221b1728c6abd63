import CarillonModel

/// A route as people write it, and a link that it takes.
struct RouteSample {
  let json: JSON
  let link: String
  /// The last step of the link's way.
  let target: String

  /// - Parameter number: decides which; neighbours are of different kinds, and eight in turn share scheme and host.
  init(_ number: Int) {
    let origin = ["home://house", "app://shop.example", "https://www.example.org"][number / 8 % 3]
    let place = "\(origin)/go/place\(number)"
    let pattern: String
    switch number % 4 {
    case 0:
      pattern = place
      link = place
      target = "/place\(number)"
    case 1:
      pattern = "\(place)/:item/details"
      link = "\(place)/green%20bins/details"
      target = "/place\(number)/green bins"
    case 2:
      pattern = "\(place)?item=:item&from=:from"
      link = "\(place)?from=kitchen&colour=red&item=bins"
      target = "/place\(number)/bins/kitchen"
    default:
      pattern = "\(place)/*rest"
      link = "\(place)/a/b/c?x=y#top"
      target = "/place\(number)/a/b/c"
    }
    let steps: [JSON] = [
      "/", .string("/place\(number)" + ["", "/{item}", "/{item}/{from}", "/{rest}"][number % 4]),
    ]
    json = ["link": .string(pattern), "navigate": .array(steps), "run": ["kiosk-show", "{step}"]]
  }
}
