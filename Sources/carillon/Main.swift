import CarillonCommands
import Glibc

@main
enum Main {
  static func main() {
    exit(Carillon.main())
  }
}
