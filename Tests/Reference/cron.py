#!/usr/bin/env python3
"""Writes cron.txt: random cron expressions in zones with unusual changes of the clocks, and when they fire.

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install cronsim==2.8
    /tmp/reference/bin/python Tests/Reference/cron.py > Tests/Reference/cron.txt

The firings are those of cronsim, which does as Debian's cron does. As far as fifteen days from the start they are compared
with what clocks show minute by minute. The two differ for some expressions that run through a day on which clocks change
by part of an hour, or at midnight; there the clocks are right, and the line ends with an exclamation mark. The last
expressions are aimed at wall times that clocks skip or show twice, at leap days and at the ends of months: see aim() in
walltime.py.
"""

import random
import sys
from datetime import datetime, timezone
from zoneinfo import ZoneInfo

from cronsim import CronSim

from walltime import DAY, ZONES, aim, changes, fixed_instant, line, reading, release

COUNT = 2600
AIMED = 600
FIRINGS = 6
NAMES = {
    3: "jan feb mar apr may jun jul aug sep oct nov dec".split(),
    4: "sun mon tue wed thu fri sat".split(),
}
RANGES = [(0, 59), (0, 23), (1, 31), (1, 12), (0, 7)]


def value(rng, field, number):
    names, low = NAMES.get(field), RANGES[field][0]
    if names and number - low < len(names) and rng.random() < 0.3:
        return rng.choice([str.lower, str.upper, str.title])(names[number - low])
    return str(number)


def term(rng, field, near):
    low, high = RANGES[field]
    if field == 1 and rng.random() < 0.6:
        high = 4
    kind = rng.random()
    if kind < 0.55:
        number = near if near is not None and rng.random() < 0.5 else rng.randint(low, high)
        return value(rng, field, number)
    first, last = sorted((rng.randint(low, high), rng.randint(low, high)))
    text = value(rng, field, first) + "-" + value(rng, field, last)
    # cronsim takes 5-5/2 for 5/2.
    return text + "/%d" % rng.randint(1, 9) if kind > 0.8 and first < last else text


def field_text(rng, field, near, star):
    kind = rng.random()
    if kind < star:
        return "*"
    if kind < star + (1 - star) * 0.2:
        return "*/%d" % rng.choice([2, 3, 5, 7, 10, 15, 20, 30, 45][: 3 if field in (3, 4) else 9])
    return ",".join(term(rng, field, near) for _ in range(rng.choice([1, 1, 1, 2, 3])))


def expression(rng, at):
    near = [at.minute, at.hour, at.day, at.month, at.isoweekday()]
    stars = [0.12, 0.25, 0.6, 0.75, 0.6]
    return " ".join(field_text(rng, i, near[i], stars[i]) for i in range(5))


def aimed_expression(rng, wall):
    """One that matches a wall time, among others."""
    minute = rng.choice([str(wall.minute)] * 3 + [f"{wall.minute},{(wall.minute + 30) % 60}", f"{wall.minute}-59", "*/15", "*"])
    later = min(wall.hour + 2, 23)
    hour = rng.choice([str(wall.hour)] * 3 + [f"{wall.hour},{(wall.hour + 1) % 24}", f"{wall.hour}-{later}", "*", "*/2"])
    day = rng.choice(["*"] * 3 + [str(wall.day), f"{wall.day},{wall.day % 28 + 1}"])
    month = rng.choice(["*"] * 3 + [str(wall.month)])
    weekday = rng.choice(["*"] * 4 + [str(wall.isoweekday() % 7)])
    return " ".join([minute, hour, day, month, weekday])


def moment(rng, name, found):
    kind = rng.random()
    if kind < 0.65 and found[name]:
        return rng.choice(found[name]) + rng.randint(-2 * DAY, DAY) // 20 * 20
    year = rng.randint(1985, 2060)
    if kind < 0.8:
        day = datetime(rng.randrange(1988, 2060, 4), 2, 27, tzinfo=timezone.utc)
    elif kind < 0.9:
        day = datetime(year, rng.randint(1, 12), rng.choice([1, 28]), tzinfo=timezone.utc)
    else:
        day = datetime(year, rng.randint(1, 12), rng.randint(1, 28), tzinfo=timezone.utc)
    return int(day.timestamp()) + rng.randint(0, 3 * DAY)


class Circle(Exception):
    """cronsim goes round in circles: in some hours that are repeated from a quarter to, or half past, to the next."""


class Simulation(CronSim):
    ticks = 200_000

    def tick(self, *arguments, **named):
        self.ticks -= 1
        if self.ticks < 0:
            raise Circle
        super().tick(*arguments, **named)


def simulated(text, name, start):
    """cronsim loses which pass of a repeated hour it starts in, so what it says of the time before the start is dropped."""
    zone, firings = ZoneInfo(name), []
    for at in Simulation(text, datetime.fromtimestamp(start, zone)):
        second = int(at.timestamp())
        if second > start and (not firings or second > firings[-1]):
            firings.append(second)
        if len(firings) == FIRINGS:
            break
    return firings


def numbers(field, text):
    found = set()
    low, high = RANGES[field]
    for part in text.lower().split(","):
        part, _, step = part.partition("/")
        ends = [low, high] if part == "*" else part.split("-")
        names = NAMES.get(field, [])
        ends = [names.index(e) + low if e in names else int(e) for e in ends]
        found.update(range(ends[0], ends[-1] + 1, int(step or 1)))
    return found


def shown(text, name, start, end):
    """Every firing after the start and up to the end, by what the clocks of the zone show each minute."""
    zone, words = ZoneInfo(name), text.split()
    minutes, hours, days, months, weekdays = (numbers(i, word) for i, word in enumerate(words))
    weekdays = {number % 7 for number in weekdays}
    both = words[2][0] == "*" or words[4][0] == "*"
    throughout = words[0][0] == "*" or words[1][0] == "*"

    def matches(wall):
        on_day = wall.day in days, wall.isoweekday() % 7 in weekdays
        return (
            wall.minute in minutes and wall.hour in hours and wall.month in months
            and (all(on_day) if both else any(on_day))
        )

    if throughout:
        return [s for s in range(start // 60 * 60 + 60, end + 1, 60) if matches(reading(zone, s))]
    # A wall time may be up to two days from the instant that it is written as.
    dates = [reading(timezone.utc, s) for s in range(start // DAY * DAY - 2 * DAY, end + 2 * DAY, DAY)]
    walls = [date.replace(hour=hour, minute=minute) for date in dates for hour in hours for minute in minutes]
    instants = {fixed_instant(zone, wall) for wall in walls if matches(wall)}
    return sorted(s for s in instants if start < s <= end)


def main():
    rng = random.Random(20260101)
    found = {name: changes(name) for name in ZONES}
    lines, differing = [], 0
    while len(lines) < COUNT + AIMED:
        if len(lines) < COUNT:
            name = rng.choice(ZONES)
            start = moment(rng, name, found)
            text = expression(rng, reading(ZoneInfo(name), start))
        else:
            name, wall, start = aim(rng, found)
            text = aimed_expression(rng, wall)
        try:
            firings = simulated(text, name, start)
        except Circle:
            firings = None
        except Exception:
            continue  # Refused, or never.
        seen, mark = [], ""
        if firings is not None:
            end = min(firings[-1] if firings else start, start + 15 * DAY)
            seen = shown(text, name, start, end)[:FIRINGS]
        if firings is None or [s for s in firings if s <= end] != seen:
            if len(seen) < FIRINGS:
                seen = shown(text, name, start, start + 200 * DAY)[:FIRINGS]
            firings, mark, differing = seen, "!", differing + 1
        lines.append(line(name, start, text, firings) + mark)
    print("#", release())
    print("\n".join(lines))
    print(len(lines), "rules,", differing, "by the clocks alone", file=sys.stderr)


main()
