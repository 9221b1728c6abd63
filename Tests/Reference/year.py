#!/usr/bin/env python3
"""Writes year.txt: a thousand requests in zones with unusual changes of the clocks, and all that they fire in 2027.

    python3 -m venv /tmp/reference && /tmp/reference/bin/pip install cronsim==2.8 python-dateutil==2.9.0.post0 tzdata==2026.6
    PYTHONTZPATH= /tmp/reference/bin/python Tests/Reference/year.py > Tests/Reference/year.txt

Which wall times a request means is what cronsim and dateutil say of clocks that are never changed; a calendar is written as
the cron expression that means the same. The instants are what clocks show. Each line has the zone, the start of the year,
the trigger, and its firings.
"""

import json
import random
from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError
from dateutil.rrule import rrulestr

from walltime import ZONES, fixed_instant, line, reading

COUNT = 1000
START = datetime(2027, 1, 1, tzinfo=timezone.utc)
END = datetime(2028, 1, 1, tzinfo=timezone.utc)
FIRST, LAST = int(START.timestamp()), int(END.timestamp())
SLACK = timedelta(days=2)
DAYS = "mon tue wed thu fri sat sun".split()
RRULE_DAYS = "MO TU WE TH FR SA SU".split()


def fixed(zone, walls):
    """The instants of fixed wall times: each once, those that come to one instant once."""
    found = sorted({fixed_instant(zone, wall) for wall in walls})
    return [second for second in found if FIRST < second <= LAST]


def cron_walls(expression):
    start, end = (START - SLACK).replace(tzinfo=None), (END + SLACK).replace(tzinfo=None)
    for wall in CronSim(expression, start):
        if wall > end:
            return
        yield wall


def cron(rng, zone):
    minute, hour = rng.randint(0, 59), rng.choice([0, 1, 2, 2, 3, 3, 4, 23, rng.randint(0, 23)])
    kind = rng.random()
    if kind < 0.5:
        day, month = str(rng.randint(1, 31)), "*"
    elif kind < 0.8:
        day, month = "*/%d" % rng.choice([7, 9, 10]), str(rng.randint(1, 12))
    else:
        day, month = str(rng.randint(1, 31)), ",".join(sorted({str(rng.randint(1, 12)) for _ in range(3)}))
    weekday = rng.choice(["*", "*", "*", rng.choice(DAYS)])
    expression = "%d %d %s %s %s" % (minute, hour, day, month, weekday)
    return {"cron": expression}, fixed(zone, cron_walls(expression))


def calendar(rng, zone):
    minute, hour = rng.randint(0, 59), rng.choice([0, 1, 2, 3, rng.randint(0, 23)])
    if rng.random() < 0.5:
        day = rng.randint(1, 31)
        trigger = {"calendar": {"day": day, "hour": hour, "minute": minute}, "repeats": True}
        return trigger, fixed(zone, cron_walls("%d %d %d * *" % (minute, hour, day)))
    weekday, month = rng.choice(DAYS), rng.randint(1, 12)
    parts = {"weekday": weekday, "month": month, "hour": hour, "minute": minute}
    return {"calendar": parts, "repeats": True}, fixed(zone, cron_walls("%d %d * %d %s" % (minute, hour, month, weekday)))


def recurrence(rng, zone):
    begin = datetime(2026, rng.randint(1, 12), rng.randint(1, 28), rng.choice([1, 2, 3, 12]), rng.randint(0, 59))
    rule = rng.choice([
        "FREQ=MONTHLY;BYDAY=%d%s" % (rng.choice([1, 2, -1, 5]), rng.choice(RRULE_DAYS)),
        "FREQ=MONTHLY;BYMONTHDAY=-1", "FREQ=MONTHLY;BYMONTHDAY=29,31",
        "FREQ=YEARLY;BYYEARDAY=%d" % rng.randint(1, 366),
        "FREQ=YEARLY;BYWEEKNO=%d;BYDAY=MO" % rng.randint(2, 51),
        "FREQ=WEEKLY;INTERVAL=%d" % rng.randint(3, 9),
        "FREQ=DAILY;INTERVAL=%d;COUNT=%d" % (rng.randint(20, 40), rng.randint(5, 30)),
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
    ])
    walls = rrulestr(rule, dtstart=begin).between(
        (START - SLACK).replace(tzinfo=None), (END + SLACK).replace(tzinfo=None), inc=True)
    return {"rrule": rule, "start": begin.isoformat()}, fixed(zone, walls)


def every(rng, _):
    hours = rng.randint(300, 3000)
    begin = FIRST + rng.randint(60, 1000000)
    moment = datetime.fromtimestamp(begin, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    return {"every": "%dh" % hours, "from": moment}, list(range(begin, LAST + 1, hours * 3600))


def once(rng, zone):
    wall = datetime(2027, rng.randint(1, 12), rng.randint(2, 28), rng.choice([1, 2, 3, 14]), rng.randint(0, 59))
    return {"at": wall.isoformat()}, [fixed_instant(zone, wall)]


def daily(rng, zone):
    minute, hour = rng.choice([0, 15, 30, 45]), rng.choice([0, 1, 2, 3])
    return {"cron": "%d %d * * *" % (minute, hour)}, fixed(zone, cron_walls("%d %d * * *" % (minute, hour)))


def main():
    rng = random.Random(2027)
    print("# 2026f")
    written = 0
    while written < COUNT:
        name = rng.choice(ZONES)
        zone = ZoneInfo(name)
        kind = rng.choices([cron, calendar, recurrence, every, once], [4, 3, 3, 1, 2])[0]
        if written < 6:
            kind = daily
        try:
            trigger, firings = kind(rng, zone)
        except CronSimError:
            continue  # Never.
        if firings:
            print(line(name, FIRST, json.dumps(trigger, separators=(",", ":")), firings))
            written += 1


main()
