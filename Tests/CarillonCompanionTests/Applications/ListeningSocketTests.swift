import CarillonLoop
import CarillonModel
import CarillonTestSupport
import Glibc
import Testing

@testable import CarillonCompanion

@Suite("The companion's socket")
struct ListeningSocketTests {
  let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory(inMemory: true) }

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
  }

  @Test("Folder and socket are for their user alone, and the socket goes with the companion")
  func permissions() throws {
    let path = folder.file("a/b/desk.sock")
    let socket = try ListeningSocket(path)
    #expect(mode(folder.file("a/b")) == 0o700)
    #expect(mode(path) == 0o600)
    socket.close()
    #expect(access(path, F_OK) != 0)
  }

  @Test("The socket of a companion that was killed is taken over, that of one that lives is not")
  func takeover() throws {
    let path = folder.file("desk.sock")
    let killed = try UnixSocket.listen(at: path)
    #expect(throws: SocketFault.self) { try ListeningSocket(path) }
    close(killed)
    let socket = try ListeningSocket(path)
    let fault = #expect(throws: SocketFault.self) { try ListeningSocket(path) }
    #expect(fault?.description == "another companion listens at \(path)")
    close(try UnixSocket.connect(to: path))
    socket.close()
  }

  @Test("What another companion has put there since is left")
  func replaced() throws {
    let path = folder.file("desk.sock")
    let socket = try ListeningSocket(path)
    rename(path, folder.file("old.sock"))
    let other = try ListeningSocket(path)
    socket.close()
    close(try UnixSocket.connect(to: path))
    other.close()
  }

  @Test("A file of another kind is left, and named")
  func inTheWay() throws {
    let path = try folder.write("desk.sock", "precious")
    let fault = #expect(throws: SocketFault.self) { try ListeningSocket(path) }
    #expect(fault?.description == "\(path) is in the way and is no socket; remove it")
    #expect(folder.read("desk.sock") == "precious")
  }

  @Test("A folder in which others may write is refused")
  func openFolder() throws {
    mkdir(folder.file("open"), 0o700)
    chmod(folder.file("open"), 0o777)
    #expect(throws: SocketFault.self) { try ListeningSocket(folder.file("open/desk.sock")) }
  }

  @Test("A folder of another user is refused", .enabled(if: geteuid() == 0))
  func foreignFolder() throws {
    mkdir(folder.file("foreign"), 0o700)
    chown(folder.file("foreign"), 65_534, 65_534)
    let fault = #expect(throws: SocketFault.self) { try ListeningSocket(folder.file("foreign/desk.sock")) }
    #expect(fault?.description == "the folder \(folder.file("foreign")) belongs to another user")
  }

  @Test("A path that is too long for the system is refused before anything is made")
  func longPath() throws {
    let path = folder.file(String(repeating: "x", count: 100) + "/desk.sock")
    let fault = #expect(throws: SocketFault.self) { try ListeningSocket(path) }
    #expect(fault?.description.contains("and the system takes 107") == true)
    #expect(access(folder.file(String(repeating: "x", count: 100)), F_OK) != 0)
  }

  @Test("The place follows the runtime folder, and the state folder where there is none")
  func place() throws {
    let desk = try Name("desk")
    let standard = folder.file("\(geteuid())")
    func place(_ variables: [String: String], _ state: String? = "/s") -> String? {
      SocketPlace.path(device: desk, environment: variables, state: state, runtimeFolders: folder.path)
    }
    #expect(place(["XDG_RUNTIME_DIR": "/r"]) == "/r/carillon/desk.sock")
    #expect(place([:]) == "/s/desk.sock")
    #expect(place(["XDG_RUNTIME_DIR": "r"]) == "/s/desk.sock")
    #expect(place([:], nil) == nil)
    mkdir(standard, 0o700)
    #expect(place([:]) == "\(standard)/carillon/desk.sock")
  }
}
