"""What the scripts beside it share: zones with unusual changes of the clocks, when these change, and wall times found by
looking at clocks minute by minute. Nothing here knows a table of transitions: zoneinfo is only asked what clocks show.
"""

from datetime import datetime, timedelta, timezone
from zoneinfo import TZPATH, ZoneInfo

ZONES = """
Africa/Cairo Africa/Casablanca Africa/El_Aaiun America/Asuncion America/Chicago America/Havana America/New_York America/Nuuk
America/Santiago America/St_Johns Antarctica/Troll Asia/Amman Asia/Beirut Asia/Gaza Asia/Kathmandu Asia/Pyongyang Asia/Tehran
Australia/Lord_Howe Australia/Melbourne Etc/UTC Europe/Berlin Europe/Dublin Europe/London Pacific/Apia Pacific/Chatham
Pacific/Easter Pacific/Kiritimati Pacific/Norfolk
""".split()

# Changes by half an hour, by two hours, at a quarter to three, at a minute past midnight, up to midnight, against the season,
# and a day that is left out.
AWKWARD = """
Africa/Casablanca America/Nuuk America/St_Johns Antarctica/Troll Australia/Lord_Howe Pacific/Apia Pacific/Chatham
""".split()

DAY = 86400
MINUTE = timedelta(minutes=1)
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def reading(zone, second):
    """What a clock of the zone shows at a second of POSIX time, without a zone."""
    return datetime.fromtimestamp(second, zone).replace(tzinfo=None, fold=0)


def offset(zone, second):
    return datetime.fromtimestamp(second, zone).utcoffset()


def changes(name, first_year=1980, last_year=2060):
    """The seconds at which the clocks of a zone are changed, found by comparing instants and halving."""
    zone, step, found = ZoneInfo(name), 12 * 3600, []
    second = int(datetime(first_year, 1, 1, tzinfo=timezone.utc).timestamp())
    end = int(datetime(last_year, 1, 1, tzinfo=timezone.utc).timestamp())
    while second < end:
        if offset(zone, second) != offset(zone, second + step):
            low, high = second, second + step
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if offset(zone, middle) == offset(zone, low) else (low, middle)
            found.append(high)
        second += step
    return found


def aim(rng, found):
    """A zone, a wall time that is worth a rule, and an instant before clocks show it: most often a wall time that the zone's
    clocks skip or show twice, else one on a leap day or at the end of a month."""
    name = rng.choice(AWKWARD if rng.random() < 0.7 else [name for name in ZONES if found[name]])
    zone = ZoneInfo(name)
    if rng.random() < 0.2:
        day = datetime(rng.randrange(1988, 2044, 4), 2, 29)
        if rng.random() < 0.5:
            day = datetime(rng.randint(1986, 2043), rng.randint(2, 12), 1) - timedelta(days=1)
        wall = day + timedelta(minutes=rng.choice([0, 30, 120, 1439, rng.randrange(1440)]))
        first = fixed_instant(zone, wall)
    else:
        jumps = {second: jump(zone, second) for second in found[name]}
        change = rng.choice(found[name])
        if rng.random() < 0.2:
            change = max(jumps, key=lambda second: (jumps[second], second))
        # What is skipped, or shown twice, begins at the earlier of the two readings at the change.
        length = abs(jumps[change])
        earlier = reading(zone, change) - timedelta(seconds=max(jumps[change], 0))
        step = rng.choice([0, length - 60, length, rng.randrange(0, length, 60), rng.randrange(0, length, 60)])
        wall = earlier + timedelta(seconds=step)
        first = change - max(-jumps[change], 0)
    return name, wall, first - rng.randint(1, rng.choice([60, 1800, 7200, DAY, 2 * DAY]))


def jump(zone, second):
    """By how many seconds the clocks are set forward."""
    return int((offset(zone, second) - offset(zone, second - 1)).total_seconds())


def release():
    """The release of tzdata that zoneinfo reads."""
    with open(TZPATH[0] + "/tzdata.zi") as file:
        return file.readline().split()[-1]


def fixed_instant(zone, wall):
    """The first second at which the clocks of a zone show a wall time, or, where they skip it, anything later."""
    minute = wall.replace(second=0)
    second = int(minute.replace(tzinfo=timezone.utc).timestamp()) - 27 * 3600
    # By the hour while that can pass over nothing: no clock is set forward and back within one.
    while minute - reading(zone, second) > timedelta(hours=2) and reading(zone, second + 3600) < minute:
        second += 3600
    while reading(zone, second) < minute:
        second += 60
    return second + wall.second if reading(zone, second) == minute else second


def base36(number):
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return text or "0"


def line(name, start, rule, firings):
    """The zone, the start, the rule, and each firing as the seconds since the one before it, the first since the start."""
    steps, last = [], start
    for firing in firings:
        steps.append(base36(firing - last))
        last = firing
    return "|".join([name, base36(start), rule, " ".join(steps)])
