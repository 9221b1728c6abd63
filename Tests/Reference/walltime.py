"""What the scripts beside it share: zones with unusual changes of the clocks, when these change, and wall times found by
looking at clocks minute by minute. Nothing here knows a table of transitions: zoneinfo is only asked what clocks show.
"""

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

ZONES = """
Africa/Cairo Africa/Casablanca Africa/El_Aaiun America/Asuncion America/Chicago America/Havana America/New_York America/Nuuk
America/Santiago America/St_Johns Antarctica/Troll Asia/Amman Asia/Beirut Asia/Gaza Asia/Kathmandu Asia/Pyongyang Asia/Tehran
Australia/Lord_Howe Australia/Melbourne Etc/UTC Europe/Berlin Europe/Dublin Europe/London Pacific/Apia Pacific/Chatham
Pacific/Easter Pacific/Kiritimati Pacific/Norfolk
""".split()

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
