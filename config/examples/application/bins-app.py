#!/usr/bin/env python3
"""An application for Carillon's companion: it shows the screens of links such as home://chores/bins.

It attaches itself to the companion's socket, is asked how notifications are presented, and takes the steps of a link one
after another. Whether it was running when somebody tapped makes no difference. Nothing but Python is needed.
"""

import json
import os
import socket
import sys
import time


def socket_path():
    """The companion's socket. One that has started this program tells where it is."""
    if path := os.environ.get("CARILLON_SOCKET"):
        return path
    device = sys.argv[1] if len(sys.argv) > 1 else socket.gethostname().split(".")[0]
    runtime = os.environ.get("XDG_RUNTIME_DIR") or f"/run/user/{os.getuid()}"
    if os.path.isdir(runtime):
        return f"{runtime}/carillon/{device}.sock"
    state = os.environ.get("XDG_STATE_HOME") or os.path.expanduser("~/.local/state")
    return f"{state}/carillon/{device}.sock"


def show(kind, text):
    """One line on the screen. Texts come from anywhere: nothing in them may steer the terminal."""
    print(kind, "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text), flush=True)


def answer(event):
    """What the companion is told in return; None for what needs no answer."""
    kind = event.get("event")
    if kind == "notification":
        title = event.get("title") or event.get("body") or event["id"]
        show("held" if event.get("held") else "notification", title)
        if event.get("held"):
            return None
        # The screen is this program's own, so no banner covers it.
        return {"answer": "present", "delivery": event["delivery"], "presentation": ["list"]}
    if kind == "navigate":
        # The step is acknowledged once its screen is there; only then comes the next.
        show("screen", event["to"])
        return {"answer": "done", "delivery": event["delivery"], "step": event["step"]}
    if kind in ("withdrawn", "expired"):
        show(kind, event["id"])
    elif kind == "refused":
        show("refused", event.get("reason", ""))
    elif kind == "attached":
        show("attached", event["device"])
    return None


def converse(path):
    """One connection, until the companion goes."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        with connection.makefile("rw", encoding="utf-8", newline="\n") as lines:

            def send(message):
                lines.write(json.dumps(message) + "\n")
                lines.flush()

            send({"attach": ["home"], "name": "bins-app"})
            for line in lines:
                reply = answer(json.loads(line))
                if reply:
                    send(reply)


def main():
    path = socket_path()
    while True:
        try:
            converse(path)
        except (FileNotFoundError, ConnectionError):
            pass
        # No companion, or it is being restarted.
        time.sleep(0.2)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        pass
