"""Starts a real Home Assistant beside a relay, and uses what it finds there.

    python drive.py FOLDER PORT PACKAGE

FOLDER is for its configuration, PORT the broker's on this machine, PACKAGE the example package. Needs homeassistant 2025.4.4
and paho-mqtt 2.1.0 under Python 3.13, and a relay at that broker without devices. Prints a line for each thing that works,
and ends with 1 at the first that does not.
"""

import asyncio
import json
import shutil
import sys
import tempfile
import types
from pathlib import Path

import paho.mqtt.client as mqtt

CONFIGURATION = """
homeassistant:
  time_zone: Europe/Berlin
  packages:
    carillon: !include carillon.yaml
logger:
  default: error
automation:
  - alias: Tea is asked for
    triggers:
      - trigger: event
        event_type: tea_wanted
    actions:
      - action: script.carillon_notify
        data:
          message: Tea?
          target: desk
          data: { tag: tea, actions: [{ action: "yes", title: "Yes" }] }
          timeout: "00:00:20"
        response_variable: answer
      - event: tea_answered
        event_data: { said: "{{ answer }}" }
"""


def pages():
    """Home Assistant does not start without its pages, which nothing here looks at."""
    folder = Path(tempfile.mkdtemp())
    for name in ["static", "frontend_latest", "frontend_es5"]:
        (folder / name).mkdir()
    for name in ["robots.txt", "onboarding.html", "authorize.html", "index.html", "service_worker.js"]:
        (folder / name).touch()
    module = types.ModuleType("hass_frontend")
    module.where = lambda: folder
    sys.modules.setdefault("hass_frontend", module)
    return folder


class Desk:
    """A device that answers."""

    def __init__(self, port):
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id="carillon-device-desk")
        self.client.on_message = self.notified
        self.client.connect("127.0.0.1", port)
        self.client.subscribe("carillon/device/desk/notification", 1)
        self.client.publish("carillon/device/desk/profile", json.dumps({"name": "desk", "version": "9.9"}), 1, True)
        self.client.publish("carillon/device/desk/status", "online", 1, True)
        self.client.loop_start()

    def notified(self, _client, _data, message):
        notification = json.loads(message.payload)
        if notification["kind"] != "notification":
            return
        self.say(notification, event="received")
        if notification["id"] == "tea":
            self.say(notification, event="acted", action="yes")

    def say(self, notification, **members):
        members.update(delivery=notification["delivery"], id=notification["id"])
        self.client.publish("carillon/device/desk/response", json.dumps(members), 1)


async def until(what, condition):
    for _ in range(300):
        if condition():
            print("ok", what, flush=True)
            return
        await asyncio.sleep(0.1)
    sys.exit(f"not ok {what}")


async def main(folder, port, package):
    from homeassistant import bootstrap, runner
    from homeassistant.components.device_automation import DeviceAutomationType, async_get_device_automations
    from homeassistant.helpers import device_registry

    shutil.copy(package, folder / "carillon.yaml")
    (folder / "configuration.yaml").write_text(CONFIGURATION)
    hass = await bootstrap.async_setup_hass(
        runner.RuntimeConfig(config_dir=str(folder), skip_pip=True, log_no_color=True))
    await hass.async_start()

    def state(entity):
        found = hass.states.get(entity)
        return found.state if found else None

    async def call(domain, service, entity=None, **data):
        if entity:
            data["entity_id"] = entity
        await hass.services.async_call(domain, service, data, blocking=True)

    async def send(**members):
        await call("mqtt", "publish", topic="carillon/command/homeassistant", payload=json.dumps(members))

    flow = await hass.config_entries.flow.async_init("mqtt", context={"source": "user"})
    await hass.config_entries.flow.async_configure(flow["flow_id"], {"broker": "127.0.0.1", "port": port})
    await until("the relay's entities", lambda: state("sensor.carillon_relay_pending") == "0")
    await until("it is connected", lambda: state("binary_sensor.carillon_relay_connected") == "on")
    desk = Desk(port)
    await until("a device's entities", lambda: state("binary_sensor.carillon_desk_online") == "on")
    await until("its switch", lambda: state("switch.carillon_desk_focus") == "off")

    devices = {device.name: device for device in device_registry.async_get(hass).devices.values()}
    assert devices["desk"].via_device_id == devices["Carillon"].id
    assert devices["desk"].sw_version == "9.9"
    triggers = await async_get_device_automations(hass, DeviceAutomationType.TRIGGER, [devices["desk"].id])
    kinds = {one["type"] for one in triggers[devices["desk"].id] if one["domain"] == "mqtt"}
    assert kinds == {"opened", "acted"}, kinds
    print("ok its place and its triggers")

    await call("notify", "send_message", "notify.carillon_desk_notify", message='Hi "there" {{ 1 }}')
    await until("its notification", lambda: (state("sensor.carillon_desk_last") or "").startswith('Hi "there"'))
    await call("switch", "turn_on", "switch.carillon_desk_focus")
    await until("do not disturb", lambda: state("switch.carillon_desk_focus") == "on")

    await send(message="A", target="desk", data={"tag": "a", "url": "/lovelace/0"}, trigger={"after": "1h"})
    await send(message="B", target="desk", data={"tag": "b"}, trigger={"after": "2h"})
    await until("two that are pending", lambda: state("sensor.carillon_relay_pending") == "2")
    assert state("sensor.carillon_relay_next").startswith("20")
    await call("button", "press", "button.carillon_relay_fire_next")
    await until("fire next", lambda: state("sensor.carillon_desk_last") == "A")
    await call("button", "press", "button.carillon_relay_cancel_all")
    await until("cancel all", lambda: state("sensor.carillon_relay_pending") == "0")

    await send(message="TTS")
    await until("the last error", lambda: "TTS" in (state("sensor.carillon_relay_last_error") or ""))

    answers = []
    hass.bus.async_listen("tea_answered", lambda event: answers.append(event.data["said"]))
    hass.bus.async_fire("tea_wanted")
    await until("an automation that waits for the answer", lambda: answers)
    assert answers[0]["answered"] is True and answers[0]["action"] == "yes", answers
    assert answers[0]["device"] == "desk", answers
    event = hass.states.get("event.carillon_desk_event")
    assert event.attributes["event_type"] == "acted" and event.attributes["id"] == "tea", event
    print("ok the event")

    desk.client.publish("carillon/device/desk/profile", b"", 1, True)
    await until("a forgotten device is gone", lambda: hass.states.get("switch.carillon_desk_focus") is None)
    desk.client.loop_stop()
    await hass.async_stop(force=True)


if __name__ == "__main__":
    place = pages()
    try:
        asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]))
    finally:
        shutil.rmtree(place)
