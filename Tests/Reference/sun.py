#!/usr/bin/env python3
"""Writes sun.txt: when the sun rises, sets, stands highest, or is 6 degrees under the horizon, at places between the poles.

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install astral==3.2
    /tmp/reference/bin/python Tests/Reference/sun.py > Tests/Reference/sun.txt

The times are astral's, which computes by the formulae of NOAA. Each line has the place, its zone, a date, and for dawn,
sunrise, noon, sunset and dusk the minutes from 12:00 UTC on that date, or a dash on days without. Times of a date are those
of its noon: the last dawn before it, the first dusk after it. Left out (a question mark) is what comes within 3 degrees of
happening not at all: there the sun runs along the horizon, and a hundredth of a degree is a minute.
"""

from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo

from astral import Observer, SunDirection
from astral.sun import SUN_APPARENT_RADIUS, elevation, noon, time_of_transit

PLACES = [
    (52.52, 13.40, "Europe/Berlin"), (64.15, -21.94, "Atlantic/Reykjavik"), (69.65, 18.96, "Europe/Oslo"),
    (78.22, 15.65, "Arctic/Longyearbyen"), (60.17, 24.94, "Europe/Helsinki"), (-13.83, -171.76, "Pacific/Apia"),
    (1.87, -157.43, "Pacific/Kiritimati"), (27.72, 85.32, "Asia/Kathmandu"), (-34.93, 138.60, "Australia/Adelaide"),
    (47.56, -52.71, "America/St_Johns"), (-0.18, -78.47, "America/Guayaquil"), (-54.80, -68.30, "America/Argentina/Ushuaia"),
    (-77.85, 166.67, "Antarctica/McMurdo"), (-43.95, -176.56, "Pacific/Chatham"), (64.73, 177.51, "Asia/Anadyr"),
    (28.20, -177.38, "Pacific/Midway"), (43.82, 87.60, "Asia/Shanghai"), (40.71, -74.01, "America/New_York"),
]
EVENTS = [
    ("dawn", 96.0, SunDirection.RISING), ("sunrise", 90.0 + SUN_APPARENT_RADIUS, SunDirection.RISING), ("noon", None, None),
    ("sunset", 90.0 + SUN_APPARENT_RADIUS, SunDirection.SETTING), ("dusk", 96.0, SunDirection.SETTING),
]


def transit(observer, day, zenith, direction):
    try:
        return time_of_transit(observer, day, zenith, direction, with_refraction=zenith < 96)
    except ValueError:
        return None


def happening(observer, highest, zenith, direction):
    """The last one before a noon, or the first after it."""
    found = [transit(observer, highest.date() + timedelta(days=n), zenith, direction) for n in range(-2, 3)]
    if direction == SunDirection.RISING:
        return max((t for t in found if t and highest - timedelta(hours=13) < t < highest), default=None)
    return min((t for t in found if t and highest < t < highest + timedelta(hours=13)), default=None)


def noon_of(observer, day, zone):
    for shift in range(-2, 3):
        highest = noon(observer, day + timedelta(days=shift))
        if highest.astimezone(zone).date() == day:
            return highest
    return None


def value(observer, zone, day, highest, name, zenith, direction):
    if name == "noon":
        return highest
    lowest, height = elevation(observer, highest + timedelta(hours=12)), elevation(observer, highest)
    wanted = 90 - zenith
    if min(abs(lowest - wanted), abs(height - wanted)) < 3:
        return "?"
    return happening(observer, highest, zenith, direction) if lowest < wanted < height else None


def minutes(moment, day):
    base = datetime.combine(day, time(12), timezone.utc)
    return "%.1f" % ((moment - base).total_seconds() / 60)


def main():
    for number, (latitude, longitude, name) in enumerate(PLACES):
        observer, zone = Observer(latitude, longitude, 0), ZoneInfo(name)
        day = date(2026, 1, 1) + timedelta(days=number)
        while day.year < 2031:
            highest = noon_of(observer, day, zone)
            values = [value(observer, zone, day, highest, *event) for event in EVENTS]
            texts = [v if v == "?" else minutes(v, day) if v else "-" for v in values]
            print("|".join([f"{latitude} {longitude}", name, str(day), " ".join(texts)]))
            day += timedelta(days=19)


main()
