#!/usr/bin/env python3
"""Writes zones.txt: what the clocks of every zone show, 1970 to 2100, by two implementations that must agree.

    python3 Tests/Reference/zones.py > Tests/Reference/zones.txt            all installed zones, in about two minutes
    python3 Tests/Reference/zones.py [--directory DIR] [NAME...]            those of another folder; these alone

Python's zoneinfo and the C library's localtime read the compiled zones, each with its own code. Both are asked what clocks
show, twelve hours apart and halving in between, so that nothing of the files' own tables is used; where they do not tell the
same, nothing is written. A file's content is looked at once, whatever its number of names.

The first line is the release of tzdata. Each other line is the history of some zones, in words:

  - its zones, separated by commas, each as NAME=SECONDS/ABBREVIATION: what its clocks showed in the year 1800;
  - its offsets as SECONDS/DAYLIGHT/ABBREVIATION, separated by commas; they are called A, B, C and so on;
  - then for each stretch of time the letter of its offset and, in base 36, the seconds from the start of the stretch before it
    to its own (from 1970-01-01T00:00:00Z for the first, which begins there);
  - where the history ends as one further up does, AB*COUNT*NAME: the last COUNT stretches, beginning with offset A and taking
    turns with B, as far apart as the last of the line of which NAME is the first zone.
"""

import argparse
import os
import sys
import time
from datetime import datetime, timezone
from multiprocessing import Pool
import zoneinfo

FIRST = int(datetime(1970, 1, 1, tzinfo=timezone.utc).timestamp())
END = int(datetime(2101, 1, 1, tzinfo=timezone.utc).timestamp())
# Before any region had a common time.
LONG_AGO = int(datetime(1800, 1, 1, tzinfo=timezone.utc).timestamp())
STEP = 12 * 3600
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def by_zoneinfo(path):
    with open(path, "rb") as file:
        zone = zoneinfo.ZoneInfo.from_file(file)

    def state(second):
        local = datetime.fromtimestamp(second, zone)
        return int(local.utcoffset().total_seconds()), int(bool(local.dst())), local.tzname()

    return state


def by_localtime(path):
    os.environ["TZ"] = ":" + os.path.abspath(path)
    time.tzset()

    def state(second):
        local = time.localtime(second)
        return local.tm_gmtoff, local.tm_isdst, local.tm_zone

    return state


def stretches(state):
    start, current = FIRST, state(FIRST)
    found = [(start, current)]
    while start < END:
        after = start + STEP
        if state(after) != current:
            low, high = start, after
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if state(middle) == current else (low, middle)
            current, after = state(high), high
            found.append((high, current))
        start = after
    return found


def history(path):
    """What clocks showed long ago, and the stretches."""
    found = [(state(LONG_AGO), stretches(state)) for state in (by_zoneinfo(path), by_localtime(path))]
    if found[0] != found[1]:
        odd = [text for ours, theirs in (found, found[::-1]) for text in ours[1] if text not in theirs[1]]
        raise RuntimeError(f"zoneinfo and localtime differ over {path}: {found[0][0]}, {found[1][0]}, {odd[:4]}")
    return found[0]


def zone_files(directory):
    """The compiled zones by name, without tzdata's two copies of itself and the names of what is set on a machine."""
    files = {}
    for folder, folders, names in os.walk(directory):
        folders[:] = [name for name in folders if name not in ("posix", "right")]
        for path in (os.path.join(folder, name) for name in names):
            name = os.path.relpath(path, directory)
            with open(path, "rb") as file:
                if name[0].isupper() and file.read(4) == b"TZif":
                    files[name] = path
    return files


def release(directory):
    with open(os.path.join(directory, "tzdata.zi")) as source:
        return source.readline().split()[-1]


def base36(number):
    text = ""
    while number:
        number, digit = divmod(number, 36)
        text = DIGITS[digit] + text
    return text or "0"


class Line:
    """A history with its zones, as steps and letters."""

    def __init__(self, stretches):
        self.zones = []
        self.kinds = list(dict.fromkeys(kind for _, kind in stretches))
        self.letters = [LETTERS[self.kinds.index(kind)] for _, kind in stretches]
        starts = [start for start, _ in stretches]
        self.steps = [starts[0]] + [after - before for before, after in zip(starts, starts[1:])]

    def shared(self, other):
        """How many stretches at the end, the first never, are as far apart as another's and take turns."""
        count, longest = 0, min(len(self.steps), len(other.steps)) - 1
        while count < longest and self.steps[-1 - count] == other.steps[-1 - count]:
            if count >= 2 and self.letters[-1 - count] != self.letters[1 - count]:
                break
            count += 1
        return count

    def text(self, earlier):
        words = [letter + base36(step) for letter, step in zip(self.letters, self.steps)]
        count, model = max(((self.shared(line), line) for line in earlier), key=lambda pair: pair[0], default=(0, None))
        if count >= 4:
            turns = "".join(self.letters[-count:][:2])
            words[-count:] = [f"{turns}*{count}*{model.zones[0][0]}"]
        zones = ",".join(f"{name}={then[0]}/{then[2]}" for name, then in self.zones)
        return " ".join([zones, ",".join("%d/%d/%s" % kind for kind in self.kinds), *words])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--directory", default="/usr/share/zoneinfo")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    files = zone_files(arguments.directory)
    names = arguments.names or sorted(files)
    contents = {}
    for name in names:
        with open(files[name], "rb") as file:
            contents.setdefault(file.read(), files[name])
    with Pool() as pool:
        found = dict(zip(contents, pool.map(history, contents.values(), chunksize=1)))
    lines = {}
    for name in names:
        with open(files[name], "rb") as file:
            long_ago, known = found[file.read()]
        assert not long_ago[1], f"{name}: daylight saving time in the year 1800"
        lines.setdefault(tuple(known), Line(known)).zones.append((name, long_ago))
    print("#", release(arguments.directory))
    written = []
    for line in lines.values():
        print(line.text(written))
        written.append(line)


if __name__ == "__main__":
    main()
