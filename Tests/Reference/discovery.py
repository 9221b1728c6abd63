"""What Home Assistant takes by MQTT discovery: writes discovery.txt.

Run with the Python of an environment in which homeassistant 2025.4.4 is installed:

    python Tests/Reference/discovery.py > Tests/Reference/discovery.txt

One line a member: component, member, whether it must be there, and what it holds. A component without a platform of that
name is a part of all of them: device, origin, availability.
"""

import importlib

import voluptuous as vol
from homeassistant.components.mqtt import device_trigger, schemas
from homeassistant.const import __version__
from homeassistant.helpers import config_validation as cv

KINDS = {
    cv.string: "text", cv.template: "text", cv.icon: "text", cv.url: "text", cv.configuration_url: "text",
    cv.boolean: "boolean", cv.positive_int: "number", str: "text", int: "number", bool: "boolean",
}
NAMES = {
    "valid_subscribe_topic": "filter", "valid_publish_topic": "topic", "ensure_list": "list",
    "boolean": "boolean", "positive_int": "number", "string": "text", "template": "text",
}


def kind(validator):
    """What a member holds: text, boolean, number, list, topic, object, or one of some words."""
    if validator in (schemas.MQTT_ENTITY_DEVICE_INFO_SCHEMA, schemas.MQTT_ORIGIN_INFO_SCHEMA):
        return "object"
    if isinstance(validator, type) and hasattr(validator, "__members__"):
        return "/".join(member.value for member in validator)
    if isinstance(validator, vol.Any):
        kinds = {kind(one) for one in validator.validators if one is not None}
        return kinds.pop() if len(kinds) == 1 else "text"
    if isinstance(validator, vol.All):
        found = [kind(one) for one in validator.validators]
        words = [one for one in found if "/" in one]
        return words[0] if words else next((one for one in found if one != "text"), "text")
    if isinstance(validator, vol.Coerce):
        return kind(validator.type)
    if isinstance(validator, vol.In):
        return "/".join(str(one) for one in validator.container)
    if isinstance(validator, list):
        return "list"
    if isinstance(validator, (dict, vol.Schema)):
        return "object"
    if isinstance(validator, str):
        return validator
    try:
        if validator in KINDS:
            return KINDS[validator]
    except TypeError:
        pass
    return NAMES.get(getattr(validator, "__name__", ""), "text")


def schema(validator):
    """The dictionary at the heart of a schema."""
    if isinstance(validator, vol.All):
        return next(found for one in validator.validators if (found := schema(one)))
    if isinstance(validator, vol.Schema):
        validator = validator.schema
    return validator if isinstance(validator, dict) else None


def tell(component, validator):
    for key, value in sorted(schema(validator).items(), key=lambda item: str(item[0])):
        need = "required" if isinstance(key, vol.Required) else "optional"
        print(component, key, need, "number" if str(key) == "qos" else kind(value))


print("# homeassistant", __version__)
tell("device", schemas.MQTT_ENTITY_DEVICE_INFO_SCHEMA)
tell("origin", schemas.MQTT_ORIGIN_INFO_SCHEMA)
for platform in ["binary_sensor", "button", "event", "notify", "sensor", "switch"]:
    module = importlib.import_module(f"homeassistant.components.mqtt.{platform}")
    tell(platform, module.DISCOVERY_SCHEMA)
tell("device_automation", device_trigger.TRIGGER_DISCOVERY_SCHEMA)
