#!/usr/bin/env python3
"""Writes what the clocks of all zones show, for zones_test.go: zones.txt and days.txt.

    python3 query/calendar/testdata/zones.py                              writes both
    python3 query/calendar/testdata/zones.py Europe/Berlin 2024-10-27     shows one day

The zones are those that Go embeds (lib/time/zoneinfo.zip of GOROOT), read by Python's
zoneinfo, so both sides read the same rules with code of their own. Nothing here knows
how the Go code works: it looks at the clock at every instant at which it could turn.
"""

import io
import os
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
import zoneinfo
from datetime import date, datetime, timedelta, timezone

HERE = os.path.dirname(os.path.abspath(__file__))
UTC = timezone.utc
FIRST, LAST = 1970, 2100
HOUR, DAY = 3600, 86400

# Windows of hours lie around the changes of these years. Later changes repeat by rule.
WINDOW_YEARS = set(range(1970, 2041)) | {2050, 2068, 2071, 2087, 2099, 2100}

# Days on which something odd happens to midnight, or that people ask about.
NAMED = [
    ("America/Santiago", "2022-09-11", "midnight does not exist"),
    ("America/Santiago", "2022-04-02", "the last hour comes twice"),
    ("America/Havana", "2023-11-05", "midnight comes twice"),
    ("America/Havana", "2024-03-10", "midnight does not exist"),
    ("America/Asuncion", "2024-03-23", "the last hour comes twice"),
    ("America/Asuncion", "2022-10-02", "midnight does not exist"),
    ("Africa/Cairo", "2023-04-28", "midnight does not exist"),
    ("Africa/Cairo", "2023-10-26", "the last hour comes twice"),
    ("Asia/Beirut", "2022-03-27", "midnight does not exist"),
    ("Asia/Beirut", "2022-10-29", "the last hour comes twice"),
    ("Asia/Tehran", "2022-03-22", "midnight does not exist"),
    ("Asia/Tehran", "2022-09-21", "the last hour comes twice"),
    ("Australia/Lord_Howe", "2024-04-07", "half an hour comes twice"),
    ("Australia/Lord_Howe", "2024-10-06", "half an hour does not exist"),
    ("Asia/Kathmandu", "1986-01-01", "the first quarter of an hour does not exist"),
    ("Asia/Kathmandu", "2024-05-05", "nothing happens"),
    ("Pacific/Apia", "2011-12-29", "the day before one that does not exist"),
    ("Pacific/Apia", "2011-12-30", "does not exist"),
    ("Pacific/Apia", "2011-12-31", "the day after one that does not exist"),
    ("America/St_Johns", "2010-11-06", "its last hour is shown after the next day began"),
    ("America/St_Johns", "2010-11-07", "yesterday is shown again after one minute"),
    ("America/St_Johns", "2011-03-13", "one minute, then an hour that does not exist"),
    ("Antarctica/Troll", "2024-10-27", "two hours come twice"),
    ("Africa/Monrovia", "1972-01-07", "44 minutes and 30 seconds do not exist"),
]


def goroot():
    return subprocess.run(["go", "env", "GOROOT"], check=True, capture_output=True, text=True).stdout.strip()


def seconds(day):
    return (day - date(1970, 1, 1)).days * DAY


def instant(at, zone=UTC):
    return datetime.fromtimestamp(at, zone)


def changes(data, zone):
    """The instants at which the clock is set: those in the file, and later ones by looking."""
    found = set()
    f = io.BytesIO(data)
    for size, code in ((4, "i"), (8, "q")):
        head = f.read(44)
        if len(head) < 44 or head[:4] != b"TZif":
            break
        isut, isstd, leap, times, types, chars = struct.unpack(">6I", head[20:])
        found.update(struct.unpack(">%d%s" % (times, code), f.read(times * size)))
        f.read(times + types * 6 + chars + leap * (size + 4) + isstd + isut)
    low, high = seconds(date(FIRST, 1, 1)) - 5 * DAY, seconds(date(LAST, 12, 31)) + 5 * DAY
    # By rule nothing happens twice within half a day.
    for at in range(low, high, DAY // 2):
        before, after = at, at + DAY // 2
        if shift(before, zone) == shift(after, zone):
            continue
        while after - before > 1:
            middle = (before + after) // 2
            if shift(middle, zone) == shift(before, zone):
                before = middle
            else:
                after = middle
        found.add(after)
    return sorted(at for at in found if low <= at < high and shift(at - 1, zone) != shift(at, zone))


def shift(at, zone):
    return int(instant(at, zone).utcoffset().total_seconds())


def watch(zone, sets, start, end, width):
    """The stretches of the days from start to end, as [label, from, to], in order of time.

    Once a date was shown, no earlier one counts: what is shown then is hour 00 of the newest.
    """
    low, high = seconds(start) - 3 * DAY, seconds(end) + 4 * DAY
    inside = [at for at in sets if low < at < high]
    looks = {low, high} | set(inside)
    for offset in {shift(low, zone)} | {shift(at, zone) for at in inside}:
        looks.update(range(low + (-(low + offset)) % width, high, width))
    newest, stretches = "", []
    for at in sorted(looks):
        shown = instant(at, zone)
        day = shown.strftime("%Y-%m-%d")
        hour = shown.hour if day >= newest else 0
        newest = max(newest, day)
        label = newest if width == DAY else "%s %02d:00:00" % (newest, hour)
        if stretches and stretches[-1][0] == label:
            continue
        if stretches:
            stretches[-1][2] = at
        stretches.append([label, at, high])
    first, last = start.isoformat(), end.isoformat()
    return [s for s in stretches if first <= s[0][:10] <= last]


def text(stretches):
    return "".join("%s %d %d\n" % tuple(s) for s in stretches)


def crc(data):
    return "%08x" % zlib.crc32(data)


def decades():
    for year in range(FIRST, LAST + 1, 10):
        yield date(year, 1, 1), date(min(year + 9, LAST), 12, 31)


def base36(n):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    return digits[n // 1296] + digits[n // 36 % 36] + digits[n % 36]


def line(name, data):
    """Name, checksum of the zone's rules, and per decade from 1970 on: a checksum of its days,
    a checksum of the hours of its windows, and the windows: days since the decade began in three
    digits of base 36, each the middle of five days. Day 165 is one where nothing may happen."""
    zone = zoneinfo.ZoneInfo(name)
    sets = changes(data, zone)
    parts = []
    for start, end in decades():
        days = text(watch(zone, sets, start, end, DAY))
        middles = {start + timedelta(days=165)}
        for at in sets:
            day = instant(at).date()
            if start <= day <= end and day.year in WINDOW_YEARS:
                middles.add(day)
        hours = ""
        for day in sorted(middles):
            hours += text(watch(zone, sets, day - timedelta(days=2), day + timedelta(days=2), HOUR))
        windows = "".join(base36((day - start).days) for day in sorted(middles))
        parts.append("%s:%s:%s" % (crc(days.encode()), crc(hours.encode()), windows))
    return " ".join([name, crc(data)] + parts)


def named(data):
    """The days of NAMED in words: from, to, and the hours that are not 60 minutes."""
    out = []
    for name, day, why in NAMED:
        out.append(describe(name, data[name], day) + "  # " + why + "\n")
    return "".join(out)


def describe(name, data, day):
    zone, day = zoneinfo.ZoneInfo(name), date.fromisoformat(day)
    sets = changes(data, zone)
    whole = watch(zone, sets, day, day, DAY)
    lengths = {}
    for label, start, end in watch(zone, sets, day, day, HOUR):
        lengths[label[11:13]] = lengths.get(label[11:13], 0) + end - start
    if not whole:
        return "%s %s: no such day, %d hours" % (name, day, len(lengths))
    odd = ["%s %s" % (h, "lasts %d s" % lengths[h] if h in lengths else "is missing")
           for h in ("%02d" % n for n in range(24)) if lengths.get(h) != HOUR]
    start, end = (instant(at).strftime("%Y-%m-%dT%H:%M:%SZ") for at in whole[0][1:])
    return "%s %s: %s to %s, %d hours%s" % (name, day, start, end, len(lengths), "".join("; " + o for o in odd))


def main():
    root = goroot()
    with open(os.path.join(root, "lib/time/update.bash")) as f:
        version = re.search(r"^DATA=(\S+)", f.read(), re.M).group(1)
    archive = zipfile.ZipFile(os.path.join(root, "lib/time/zoneinfo.zip"))
    data = {n: archive.read(n) for n in sorted(archive.namelist()) if not n.endswith("/")}
    with tempfile.TemporaryDirectory() as folder:
        archive.extractall(folder)
        zoneinfo.reset_tzpath([folder])
        if len(sys.argv) == 3:
            print(describe(sys.argv[1], data[sys.argv[1]], sys.argv[2]))
            return
        head = "# tzdata %s, read by Python's zoneinfo; made by zones.py\n" % version
        lines, same = [], {}
        for name, rules in data.items():
            if rules in same:
                lines.append("%s = %s" % (name, same[rules]))
            else:
                same[rules] = name
                lines.append(line(name, rules))
        with open(os.path.join(HERE, "zones.txt"), "w") as f:
            f.write(head + "\n".join(lines) + "\n")
        with open(os.path.join(HERE, "days.txt"), "w") as f:
            f.write(head + named(data))


if __name__ == "__main__":
    main()
