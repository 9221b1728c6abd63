import Glibc

@main
enum Main {
  static func main() {
    exit(FuzzProgram.run(Array(CommandLine.arguments.dropFirst())))
  }
}
