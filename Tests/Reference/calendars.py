#!/usr/bin/env python3
"""Writes calendars.txt: random calendar components in zones with unusual changes of the clocks, and when they match.

    python3 Tests/Reference/calendars.py > Tests/Reference/calendars.txt

Days are tried one by one, and within them every time of day, or every minute that the zone's clocks show: see walltime.py.
The last of them are aimed at wall times that clocks skip or show twice, at leap days and at the ends of months: see aim()
there.
"""

import json
import random
import sys
from calendar import monthrange
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from walltime import DAY, ZONES, aim, changes, fixed_instant, line, reading, release

COUNT = 1900
AIMED = 600
FIRINGS = 6
NAMES = "mon tue wed thu fri sat sun".split()
UNITS = ["year", "month", "day", "hour", "minute", "second"]


def one_or_more(rng, near, low, high, most=3):
    values = [near if rng.random() < 0.5 else rng.randint(low, high) for _ in range(rng.randint(1, most))]
    values = list(dict.fromkeys(values))
    return values if len(values) > 1 else values[0]


def components(rng, at):
    """Of a random kind, often such that it matches near a wall time."""
    kind, given = rng.random(), {}
    if kind < 0.25:
        if rng.random() < 0.7:
            given["minute"] = one_or_more(rng, at.minute, 0, 59)
        if rng.random() < 0.4 or not given:
            given["second"] = one_or_more(rng, 0, 0, 59)
        return given
    if rng.random() < 0.1:
        given["year"] = one_or_more(rng, at.year, at.year, at.year + 12)
    if rng.random() < 0.3:
        given["month"] = one_or_more(rng, at.month, 1, 12)
    if rng.random() < 0.35:
        given["day"] = one_or_more(rng, at.day, 1, 31)
    if rng.random() < 0.4:
        days = list(dict.fromkeys(rng.choice(NAMES) for _ in range(rng.randint(1, 3))))
        given["weekday"] = days if len(days) > 1 else days[0]
        if rng.random() < 0.5:
            given["nth"] = one_or_more(rng, rng.choice([-1, 1, 5]), 1, 5, 2)
    if rng.random() < 0.8 or not given:
        given["hour"] = one_or_more(rng, rng.randint(0, 4), 0, 23)
    if rng.random() < 0.6:
        given["minute"] = one_or_more(rng, rng.choice([0, 15, 30]), 0, 59)
    if rng.random() < 0.15:
        given["second"] = one_or_more(rng, 30, 0, 59)
    return given


def aimed_components(rng, wall):
    """Components that match a wall time, among others."""
    if rng.random() < 0.15:
        return {"minute": wall.minute if rng.random() < 0.5 else [wall.minute, (wall.minute + 30) % 60]}
    given = {}
    kind = rng.random()
    if kind < 0.2:
        given["day"] = wall.day if rng.random() < 0.5 else [wall.day, wall.day % 28 + 1]
    elif kind < 0.35:
        given["month"], given["day"] = wall.month, wall.day
    elif kind < 0.6:
        given["weekday"] = NAMES[wall.weekday()]
        if rng.random() < 0.5:
            last = wall.day + 7 > monthrange(wall.year, wall.month)[1]
            given["nth"] = -1 if last and rng.random() < 0.5 else (wall.day - 1) // 7 + 1
    given["hour"] = wall.hour if rng.random() < 0.7 else [wall.hour, (wall.hour + 1) % 24]
    if wall.minute or rng.random() < 0.5:
        given["minute"] = wall.minute if rng.random() < 0.7 else [wall.minute, (wall.minute + 30) % 60]
    return given


def listed(given, name):
    value = given[name]
    return value if isinstance(value, list) else [value]


def allowed(given, unit, least, most):
    """The values of a unit: as given, else all where it is larger than all that is given, else the least."""
    if unit in given:
        return set(listed(given, unit))
    held = [u for u in UNITS if u in given or u == "day" and "weekday" in given]
    return set(range(least, most + 1)) if UNITS.index(unit) < UNITS.index(held[0]) else {least}


def matches(given, day):
    if "year" in given and day.year not in listed(given, "year"):
        return False
    if day.month not in allowed(given, "month", 1, 12):
        return False
    if "weekday" not in given:
        return day.day in allowed(given, "day", 1, 31)
    if "day" in given and day.day not in listed(given, "day"):
        return False
    if NAMES[day.weekday()] not in listed(given, "weekday"):
        return False
    before = (day.day - 1) // 7 + 1
    after = (monthrange(day.year, day.month)[1] - day.day) // 7 + 1
    return "nth" not in given or any(n in (before, -after) for n in listed(given, "nth"))


def firings(given, name, start):
    zone, found = ZoneInfo(name), []
    minutes, seconds = allowed(given, "minute", 0, 59), sorted(allowed(given, "second", 0, 59))
    if not set(given) - {"minute", "second"}:
        minute = start // 60 * 60
        while len(found) < FIRINGS:
            if reading(zone, minute).minute in minutes:
                found += [minute + second for second in seconds if minute + second > start]
            minute += 60
        return found[:FIRINGS]
    times = [(h, m, s) for h in sorted(allowed(given, "hour", 0, 23)) for m in sorted(minutes) for s in seconds]
    day = reading(timezone.utc, start).date() - timedelta(days=3)
    last, instants = day + timedelta(days=13 * 366), set()
    # Clocks may be set back by a day, so what a day brings is certain only three days later.
    sure = None
    while day < last and (sure is None or day < sure):
        if matches(given, day):
            for time in times:
                at = fixed_instant(zone, datetime(day.year, day.month, day.day, *time))
                if at > start:
                    instants.add(at)
            if sure is None and len(instants) >= FIRINGS:
                sure = day + timedelta(days=3)
        day += timedelta(days=1)
    return sorted(instants)[:FIRINGS]


def main():
    rng = random.Random(20260202)
    found = {name: changes(name) for name in ZONES}
    lines = []
    while len(lines) < COUNT + AIMED:
        if len(lines) >= COUNT:
            name, wall, start = aim(rng, found)
            given = aimed_components(rng, wall)
            lines.append(line(name, start, json.dumps(given, separators=(",", ":")), firings(given, name, start)))
            continue
        name = rng.choice(ZONES)
        if rng.random() < 0.7 and found[name]:
            start = rng.choice(found[name]) + rng.randint(-2 * DAY, DAY) // 20 * 20
        else:
            day = datetime(rng.randint(1985, 2060), rng.choice([1, 2, 2, 12]), 27, tzinfo=timezone.utc)
            start = int(day.timestamp()) + rng.randint(0, 3 * DAY)
        given = components(rng, reading(ZoneInfo(name), start))
        when = firings(given, name, start)
        # A set that is often never matched says little, so few of them are kept.
        if when or rng.random() < 0.2:
            lines.append(line(name, start, json.dumps(given, separators=(",", ":")), when))
    print("#", release())
    print("\n".join(lines))
    sys.stdout.flush()


main()
