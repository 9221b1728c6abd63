#!/usr/bin/env python3
"""Writes zones.txt: what local clocks show, 1970 to 2100, by Python's zoneinfo and the installed tzdata.

    python3 Tests/Reference/zones.py > Tests/Reference/zones.txt

One line a zone: the name, its offsets as SECONDS/DAYLIGHT/ABBREVIATION separated by commas, then for each stretch of time the
index of its offset as a letter and, in base 36, the seconds since the stretch before (the first: since 1970-01-01T00:00:00Z).
Transitions are found by comparing instants twelve hours apart and halving, so nothing of the files' own tables is used.
"""

import sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

ZONES = """
Africa/Abidjan Africa/Cairo Africa/Casablanca Africa/El_Aaiun Africa/Monrovia Africa/Windhoek America/Anchorage America/Asuncion
America/Caracas America/Chicago America/Havana America/Miquelon America/New_York America/Nuuk America/Santiago America/Scoresbysund
America/St_Johns Antarctica/Troll Asia/Amman Asia/Beirut Asia/Gaza Asia/Jerusalem Asia/Kathmandu Asia/Kolkata Asia/Pyongyang
Asia/Tehran Asia/Tokyo Atlantic/Azores Australia/Lord_Howe Australia/Melbourne Australia/Sydney EST5EDT Etc/GMT+12 Etc/UTC
Europe/Berlin Europe/Chisinau Europe/Dublin Europe/Istanbul Europe/Kyiv Europe/Lisbon Europe/London Europe/Moscow Europe/Volgograd
Pacific/Apia Pacific/Auckland Pacific/Chatham Pacific/Easter Pacific/Fiji Pacific/Kiritimati Pacific/Kwajalein Pacific/Norfolk
""".split()

END = int(datetime(2101, 1, 1, tzinfo=timezone.utc).timestamp())
STEP = 12 * 3600
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def state(zone, second):
    local = datetime.fromtimestamp(second, zone)
    return int(local.utcoffset().total_seconds()), int(bool(local.dst())), local.tzname()


def stretches(zone):
    start, current = 0, state(zone, 0)
    yield 0, current
    while start < END:
        after = start + STEP
        if state(zone, after) != current:
            low, high = start, after
            while high - low > 1:
                middle = (low + high) // 2
                if state(zone, middle) == current:
                    low = middle
                else:
                    high = middle
            current = state(zone, high)
            yield high, current
            start = high
        else:
            start = after


def base36(number):
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return text or "0"


def main():
    with open("/usr/share/zoneinfo/tzdata.zi") as release:
        print("#", release.readline().split()[-1])
    for name in ZONES:
        kinds, words, last = [], [], 0
        for start, kind in stretches(ZoneInfo(name)):
            if kind not in kinds:
                kinds.append(kind)
            words.append(chr(ord("A") + kinds.index(kind)) + base36(start - last))
            last = start
        print(name, ",".join("%d/%d/%s" % kind for kind in kinds), *words)
    sys.stdout.flush()


main()
