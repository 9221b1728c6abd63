#!/usr/bin/env python3
"""Writes rrule.txt: random recurrence rules in zones with unusual changes of the clocks, and when they fire.

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install python-dateutil==2.9.0.post0
    /tmp/reference/bin/python Tests/Reference/rrule.py > Tests/Reference/rrule.txt

Which wall times a rule means is what dateutil says. The instants are what clocks show: a rule of fixed times fires at the
first instant at which a clock shows the wall time, or, where it is skipped, anything later; a rule of HOURLY or finer
fires at every instant at which a clock shows one of its wall times. Each line has the zone, the instant from which firings
are looked for, start and rule, and the firings; a full stop where these are the last. Behind the random rules are some that
are aimed at wall times that clocks skip or show twice, at leap days and at the ends of months: see aim() in walltime.py.

Left out is what dateutil has opinions of its own about: BYDAY with and without numbers at once, which never matches there.
A weekly rule with BYSETPOS starts on the first day of a week, because dateutil takes the first week to begin with the
start. Rules of weeks 52 and 53 have no days in January, since dateutil 2.9 takes 1994-01-01 for a day of week 53; the last
lines hold rules of single weeks instead, by Python's own date.isocalendar.
"""

import random
import sys
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import dateutil.rrule
from dateutil.rrule import rrulestr

from walltime import DAY, ZONES, aim, changes, fixed_instant, line, offset, reading, release

COUNT = 2400
AIMED = 600
FIRINGS = 8
WEEKDAYS = "MO TU WE TH FR SA SU".split()
# How far a rule is followed, and how long before the firings it may start, in days.
REACH = {"YEARLY": 22000, "MONTHLY": 14000, "WEEKLY": 5000, "DAILY": 3000, "HOURLY": 90, "MINUTELY": 6, "SECONDLY": 0.4}
BACK = {"YEARLY": 12000, "MONTHLY": 9000, "WEEKLY": 3000, "DAILY": 1500, "HOURLY": 60, "MINUTELY": 2, "SECONDLY": 0.1}


class TooLong(Exception):
    """dateutil walks through days, hours, minutes and seconds that do not match, to the year 9999 if need be."""


class Steps:
    left = 0


def counted(dayset):
    def count(*arguments):
        Steps.left -= 1
        if Steps.left < 0:
            raise TooLong
        return dayset(*arguments)
    return count


for kind in ("ydayset", "mdayset", "wdayset", "ddayset"):
    setattr(dateutil.rrule._iterinfo, kind, counted(getattr(dateutil.rrule._iterinfo, kind)))


def some(rng, values, most):
    return rng.sample(values, rng.randint(1, most))


def joined(name, values):
    return name + "=" + ",".join(map(str, values))


def day_parts(rng, freq, parts):
    sparse = freq in ("HOURLY", "MINUTELY", "SECONDLY")
    if rng.random() < (0.1 if sparse else 0.35):
        parts.append(joined("BYMONTH", some(rng, range(2 if freq == "YEARLY" else 1, 13), 4)))
    if freq != "WEEKLY" and rng.random() < (0.1 if sparse else 0.35):
        days = [-31, -30, -29, -28, -15, -2, -1, 1, 2, 13, 15, 28, 29, 30, 31]
        parts.append(joined("BYMONTHDAY", some(rng, days, 5)))
    if freq == "YEARLY" and rng.random() < 0.15:
        parts.append(joined("BYYEARDAY", some(rng, [-366, -365, -306, -1, 1, 59, 60, 61, 200, 365, 366], 5)))
    weeks = freq == "YEARLY" and rng.random() < 0.25
    if weeks:
        numbers = some(rng, [-10, -2, -1, 1, 2, 20, 51, 52, 53], 3)
        parts.append(joined("BYWEEKNO", numbers))
        if set(numbers) & {-2, 52, 53} and not any(p.startswith("BYMONTH=") for p in parts):
            parts.append(joined("BYMONTH", range(2, 13)))
    if rng.random() < (0.1 if sparse else 0.5):
        numbered = freq in ("MONTHLY", "YEARLY") and not weeks and rng.random() < 0.6
        within_year = freq == "YEARLY" and not any(p.startswith("BYMONTH=") for p in parts)
        numbers = [1, 2, 3, 4, 5, -1, -2, -5] + ([20, 52, 53, -20, -53] if within_year else [])
        days = some(rng, WEEKDAYS, 3)
        parts.append(joined("BYDAY", [f"{rng.choice(numbers)}{d}" if numbered else d for d in days]))


def time_parts(rng, freq, parts, at):
    fine = ["DAILY", "HOURLY", "MINUTELY", "SECONDLY"].index(freq) if freq in BACK and freq not in (
        "YEARLY", "MONTHLY", "WEEKLY") else 0
    hours = [0, 1, 2, 3, 23, at.hour, (at.hour + 1) % 24]
    if rng.random() < (0.3, 0.3, 0.3, 0.5)[fine]:
        parts.append(joined("BYHOUR", sorted(set(some(rng, hours, 4)))))
    if rng.random() < (0.2, 0.4, 0.4, 0.5)[fine]:
        parts.append(joined("BYMINUTE", sorted(set(some(rng, [0, 1, 15, 29, 30, 45, 59, at.minute], 3)))))
    if rng.random() < (0.05, 0.1, 0.3, 0.4)[fine]:
        parts.append(joined("BYSECOND", sorted(set(some(rng, [0, 1, 20, 30, 59], 2)))))


def rule(rng, at):
    freq = rng.choice(["YEARLY"] * 4 + ["MONTHLY"] * 4 + ["WEEKLY"] * 3 + ["DAILY"] * 3 + ["HOURLY"] * 2
                      + ["MINUTELY"] * 2 + ["SECONDLY"])
    parts = []
    if rng.random() < 0.45:
        parts.append(f"INTERVAL={rng.choice([2, 3, 4, 5, 7, 12, 13, 25, 45, 90])}")
    day_parts(rng, freq, parts)
    time_parts(rng, freq, parts, at)
    chosen = any(p.startswith("BY") for p in parts) and rng.random() < 0.25
    if chosen:
        parts.append(joined("BYSETPOS", some(rng, [1, 2, 3, 5, -1, -2, -4], 2)))
    start, first = at, WEEKDAYS.index("MO")
    if rng.random() < 0.35:
        first = rng.randrange(7)
        parts.append("WKST=" + WEEKDAYS[first])
    if freq == "WEEKLY" and chosen:
        start -= timedelta(days=(start.weekday() - first) % 7)
    if rng.random() < 0.12:
        parts.append(f"COUNT={rng.randint(1, 12)}")
    elif rng.random() < 0.12:
        until = start + timedelta(days=rng.uniform(0, BACK[freq] + REACH[freq] / 20))
        parts.append("UNTIL=" + until.strftime("%Y%m%dT%H%M%S"))
    if rng.random() < 0.8:
        return ";".join(["FREQ=" + freq] + parts), start
    rng.shuffle(parts)
    return ";".join(parts + ["FREQ=" + freq]), start


def aimed_rule(rng, wall):
    """A rule that matches a wall time, among others, and its start."""
    freq = rng.choice(["YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"])
    interval, back = rng.choice([1, 1, 2, 3, 10]), rng.randint(0, 30)
    parts, start = [f"INTERVAL={interval}"] if interval > 1 else [], wall
    nth = rng.choice([f"BYMONTHDAY={wall.day}", f"BYDAY={(wall.day - 1) // 7 + 1}{WEEKDAYS[wall.weekday()]}"])
    if freq == "YEARLY":
        parts = [f"BYMONTH={wall.month}", nth]
        start -= timedelta(days=back * 300)
    elif freq == "MONTHLY":
        last = wall + timedelta(days=1)
        parts = ["BYMONTHDAY=-1" if last.day == 1 and rng.random() < 0.7 else nth]
        start -= timedelta(days=back * 40)
    else:
        units = {"WEEKLY": "weeks", "DAILY": "days", "HOURLY": "hours", "MINUTELY": "minutes"}
        start -= timedelta(**{units[freq]: interval * back})
    if freq in ("YEARLY", "MONTHLY", "WEEKLY", "DAILY") and rng.random() < 0.4:
        parts += [f"BYHOUR={wall.hour}", f"BYMINUTE={wall.minute}"]
        start = start.replace(hour=0, minute=rng.randrange(60))
    return ";".join(["FREQ=" + freq] + parts), start


def walls(text, start, after, zone, reach):
    """The wall times that may fire after an instant: all from three days before it, and whether these are the last."""
    earliest = reading(zone, after) - timedelta(days=3)
    end = earliest + timedelta(days=reach + 3)
    Steps.left = 12000
    found = []
    for wall in rrulestr(text, dtstart=start):
        if wall > end or len(found) == 6000:
            return found, False
        if wall >= earliest:
            found.append(wall)
    return found, True


def instants(text, found, zone, after):
    """When wall times fire. Only those whose instants are sure to be before what is not in the list."""
    fixed = not any("FREQ=" + f in text for f in ("HOURLY", "MINUTELY", "SECONDLY"))
    seconds = set()
    for wall in found:
        if fixed:
            second = int(wall.replace(tzinfo=zone).timestamp())
            if reading(zone, second) != wall:
                second = fixed_instant(zone, wall)
            if second > after:
                seconds.add(second)
        else:
            about = int(wall.replace(tzinfo=timezone.utc).timestamp())
            # Every offset that the zone has around that time.
            offsets = {offset(zone, about + hours * 3600) for hours in range(-30, 31, 6)}
            for shift in offsets:
                second = about - int(shift.total_seconds())
                if second > after and reading(zone, second) == wall:
                    seconds.add(second)
        if len(seconds) > FIRINGS + 60:
            break
    return sorted(seconds)[:FIRINGS]


def single_weeks(number):
    """Days of one week of each year, at noon in UTC."""
    start, zone = datetime(1990, 1, 1, 12), timezone.utc
    days = [start + timedelta(days=n) for n in range(366 * 40)]
    after = int(start.replace(tzinfo=zone).timestamp())
    found = [int(d.replace(tzinfo=zone).timestamp()) for d in days if d.isocalendar()[1] == number]
    text = f"1990-01-01T12:00:00 FREQ=YEARLY;BYWEEKNO={number}"
    return line("Etc/UTC", after, text, [s for s in found if s > after][:200])


def moment(rng, name, found):
    kind = rng.random()
    if kind < 0.5 and found[name]:
        return rng.choice(found[name]) + rng.randint(-2 * DAY, DAY) // 60 * 60
    year = rng.randint(1985, 2040)
    if kind < 0.7:
        day = datetime(rng.randrange(1988, 2040, 4), 2, 27, tzinfo=timezone.utc)
    elif kind < 0.85:
        day = datetime(year, rng.randint(1, 12), rng.choice([1, 28]), tzinfo=timezone.utc)
    else:
        day = datetime(year, rng.randint(1, 12), rng.randint(1, 28), tzinfo=timezone.utc)
    return int(day.timestamp()) + rng.randint(0, 3 * DAY)


def main():
    rng = random.Random(20260102)
    found = {name: changes(name, 1985, 2045) for name in ZONES}
    lines = []
    while len(lines) < COUNT + AIMED:
        is_aimed = len(lines) >= COUNT
        if is_aimed:
            name, wall, after = aim(rng, found)
            text, start = aimed_rule(rng, wall)
            zone = ZoneInfo(name)
        else:
            name = rng.choice(ZONES)
            zone, after = ZoneInfo(name), moment(rng, name, found)
            text, start = rule(rng, reading(zone, after))
        freq = next(p[5:] for p in text.split(";") if p.startswith("FREQ="))
        if is_aimed:
            pass
        elif rng.random() < 0.6:
            back = timedelta(seconds=rng.uniform(0, BACK[freq] * DAY))
            start -= timedelta(days=back.days // 7 * 7) if BACK[freq] > 999 else timedelta(seconds=back.seconds)
        elif freq == "WEEKLY":
            after -= 7 * DAY
        try:
            wall_times, are_all = walls(text, start, after, zone, REACH[freq])
        except (TooLong, ValueError):  # Never, or not within reach.
            continue
        firings = instants(text, wall_times, zone, after)
        if len(firings) < FIRINGS and not are_all or not firings and rng.random() < 0.8:
            continue
        lines.append(line(name, after, start.strftime("%Y-%m-%dT%H:%M:%S") + " " + text, firings)
                     + (" ." if len(firings) < FIRINGS else ""))
    lines += [single_weeks(number) for number in (1, 2, 51, 52, 53)]
    print("#", release())
    print("\n".join(lines))
    print(len(lines), "rules", file=sys.stderr)


main()
