import CarillonLoop
import CarillonModel
import Glibc

extension ApplicationHub {
  /// Someone has connected.
  func take(_ descriptor: Int32) {
    let connection = ApplicationConnection(
      deadline: SystemClock.elapsedMilliseconds + patience.attaching)
    do throws(LoopError) {
      connection.stream = try LineStream(
        descriptor, loop: loop, lineLimit: ApplicationLine.limit, outputLimit: ApplicationHub.outputLimit
      ) { [weak self, weak connection] event in
        guard let self, let connection else { return }
        handle(event, connection)
      }
    } catch { return log.limited("applications", error.description) }
    let user = UnixSocket.peer(of: descriptor)
    guard let user, admits(user) else {
      log.limited(
        "applications",
        "refused a program of user \(user.map { "\($0)" } ?? "unknown"): the socket is for its own user")
      return turnAway(connection, "this companion belongs to another user")
    }
    guard connections.count < ApplicationHub.connectionsLimit else {
      log.limited("applications", "refused a program: \(connections.count) are connected already")
      return turnAway(connection, "\(connections.count) programs are connected already; try again later")
    }
    connections.append(connection)
    setTimer()
  }

  /// It was not let in.
  private func turnAway(_ connection: ApplicationConnection, _ reason: String) {
    refuse(connection, reason)
    connection.stream?.close()
  }

  func refuse(_ connection: ApplicationConnection, _ reason: String) {
    connection.stream?.send(ApplicationLine.refused(reason))
  }

  private func handle(_ event: LineStream.Event, _ connection: ApplicationConnection) {
    guard !isClosed else { return }
    switch event {
    case .line(let line): take(line, connection)
    case .ended(let ending):
      if let application = connection.application, ending != .closed {
        let reason = ending == .notRead ? "it does not read what it is told" : "it sent too long a line"
        log.limited("applications", "application \(application.name) is dropped: \(reason)")
      }
      drop(connection)
    }
  }

  private func take(_ line: [UInt8], _ connection: ApplicationConnection) {
    // An empty line is none.
    guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { return }
    do throws(Refusal) {
      try take(ApplicationMessage(parsing: line), connection)
    } catch {
      refuse(connection, error.description)
      if connection.application == nil { drop(connection) }
    }
  }

  private func take(
    _ message: ApplicationMessage, _ connection: ApplicationConnection
  ) throws(Refusal) {
    switch message {
    case .attach(let schemes, let name):
      guard connection.application == nil else { throw Refusal(.invalid, "this program is attached already") }
      lastNumber += 1
      let application = Application(number: lastNumber, name: name, schemes: schemes)
      connection.application = application
      log.info("application \(name) is attached for \(schemes.sorted().joined(separator: ", "))")
      connection.stream?.send(ApplicationLine.attached(device))
      setTimer()
      handler(.attached(application))
    case .reloadAuthorization:
      handler(.authorizationChanged)
      connection.stream?.send(ApplicationLine.reloaded("authorization"))
    case .answer(let answer):
      guard let application = connection.application else { throw Refusal(.invalid, "attach comes first") }
      take(answer, application, connection)
    }
  }

  /// It has gone, or has to. What it was asked is answered with nothing.
  func drop(_ connection: ApplicationConnection) {
    connection.stream?.close()
    connections.removeAll { $0 === connection }
    guard !isClosed else { return }
    if let application = connection.application {
      let unanswered = questions.filter { $0.application == application }
      questions.removeAll { $0.application == application }
      log.info("application \(application.name) has left")
      for question in unanswered {
        handler(.presentation(application, delivery: question.delivery, nil))
      }
      handler(.detached(application))
    }
    if !isClosed { setTimer() }
  }
}
