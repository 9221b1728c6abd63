import CSystemd

extension EventLoop {
  /// Lets the loop do what a connection with D-Bus (an `sd_bus`) has to do: read, write, and watch its timeouts. The
  /// connection's callbacks run like every other handler. It stays attached until it is closed.
  package func attach(bus: OpaquePointer) throws(LoopError) {
    try LoopError.check(
      sd_bus_attach_event(bus, event, Int32(SD_EVENT_PRIORITY_NORMAL)),
      "cannot attach a D-Bus connection to the event loop")
  }
}
