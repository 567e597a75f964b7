"""Classes of table functions as users write them, each with rows of arguments and the columns of its result."""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict, deque
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Row

from functions.examples import TableExample


PLACES = (
    (Row(city="Rome", zip="100"), "ada@x.org", 3),
    (Row(city="Oslo", zip="200"), "bob@y.org", 5),
    (Row(city="Bern", zip="300"), "cyd@z.org", 4),
)
EXAMPLES: list[TableExample] = []


def gives(width: int) -> Any:
    """Keep a class with the columns that it gives."""

    def keep(handler: type) -> type:
        EXAMPLES.append(TableExample(handler, PLACES, width))
        return handler

    return keep


@gives(2)
class Members:
    def eval(self, place, mail, number):
        yield place.city, number


@gives(2)
class Words:
    def eval(self, place, mail, number):
        for at, word in enumerate(mail.split("@")):
            yield word, at


@gives(2)
class Returned:
    def eval(self, place, mail, number):
        return [(place["zip"], number + 1), ("", 0)]


@gives(1)
class Hidden:
    def eval(self, place, mail, number):
        yield (hashlib.sha256(mail.encode()).hexdigest(),)


@gives(2)
class AtTheEnd:
    def __init__(self):
        self.total = 0
        self.last = ""

    def eval(self, place, mail, number):
        self.total += number
        self.last = place.city

    def terminate(self):
        yield self.total, self.last


@gives(1)
class RowBefore:
    def __init__(self):
        self.before = ""

    def eval(self, place, mail, number):
        yield (self.before,)
        self.before = mail


@gives(1)
class ThreeRowsBefore:
    def __init__(self):
        self.a = self.b = ""

    def eval(self, place, mail, number):
        yield (self.b,)
        self.b = self.a
        self.a = place.zip


@gives(2)
class Collected:
    def __init__(self):
        self.kept = []

    def eval(self, place, mail, number):
        self.kept.append((mail, number))
        return []

    def terminate(self):
        for mail, number in self.kept:
            yield mail.upper(), number


@gives(2)
class Counted:
    def __init__(self):
        self.seen = {}

    def eval(self, place, mail, number):
        self.seen[place.city] = self.seen.get(place.city, 0) + number
        return ()

    def terminate(self):
        for city, total in self.seen.items():
            yield city, total + 1


@gives(1)
class Filtered:
    def eval(self, place, mail, number):
        if number > 3:
            yield (place.city,)


@gives(1)
class ByAHelper:
    def _cleaned(self, text):
        self.used = text
        return text.strip().lower()

    def eval(self, place, mail, number):
        yield (self._cleaned(mail) + str(self.used == mail),)


@gives(2)
class WithClean:
    def eval(self, place, mail, number):
        self.held = mail
        yield place.zip, 1

    def terminate(self):
        yield self.held, 2

    def cleanup(self):
        self.held = None


@gives(1)
class Stopped:
    def __init__(self):
        self.left = 2

    def eval(self, place, mail, number):
        if self.left > 0:
            self.left -= number > 4
            yield (mail,)


@gives(2)
class Named:
    def eval(self, place, mail, number):
        yield Row(a=number, b=place.city)


@gives(1)
class Most:
    def __init__(self):
        self.counts = Counter()

    def eval(self, place, mail, number):
        self.counts[place.zip] += number
        yield (self.counts.most_common(1)[0][0],)


class Ending:
    def __init__(self):
        self.last = None

    def keep(self, value):
        self.last = value
        return value

    def terminate(self):
        yield self.last, 0


@gives(2)
class Inherits(Ending):
    def eval(self, place, mail, number):
        yield self.keep(mail), number


@gives(2)
class InheritsAndMore(Ending):
    def __init__(self):
        super().__init__()
        self.count = 0

    def eval(self, place, mail, number):
        self.count += number
        self.keep(place.city)
        yield place.zip, 1

    def terminate(self):
        yield from super().terminate()
        yield mail_free, self.count


mail_free = "none"


@gives(2)
class RunningTotal:
    def __init__(self):
        self.total = 0

    def eval(self, place, mail, number):
        self.total += number
        yield place.city, self.total


@gives(2)
class LastOf:
    def __init__(self):
        self.last = {}

    def eval(self, place, mail, number):
        self.last[place.city] = mail

    def terminate(self):
        for city, mail in sorted(self.last.items()):
            yield city, mail


@gives(2)
class Grouped:
    def __init__(self):
        self._groups = defaultdict(list)

    def eval(self, place, mail, number):
        self._groups[number % 2].append(place.zip)

    def terminate(self):
        for key in sorted(self._groups):
            yield key, "|".join(self._groups[key])


@gives(1)
class Split:
    def eval(self, place, mail, number):
        for part in re.split(r"[@.]", mail):
            if len(part) > 1:
                yield (part,)


@gives(2)
class Previous:
    def __init__(self):
        self.previous = None

    def eval(self, place, mail, number):
        before, self.previous = self.previous, mail
        yield place.city, before


@gives(2)
class Window:
    def __init__(self):
        self.recent = deque(maxlen=2)

    def eval(self, place, mail, number):
        self.recent.append(number)
        yield mail.split("@")[1], sum(self.recent)


@gives(2)
class Best:
    def __init__(self):
        self.best = None

    def eval(self, place, mail, number):
        if self.best is None or number > self.best[0]:
            self.best = (number, mail)
        return iter(())

    def terminate(self):
        yield self.best[1], self.best[0]


@gives(1)
class Numbered:
    def __init__(self):
        self.n = 0

    def eval(self, place, mail, number):
        if mail:
            self.n += 1
        for _ in range(number % 3):
            yield (self.n,)


@dataclass
class Held:
    city: str
    n: int = 0


@gives(2)
class HeldRows:
    def __init__(self):
        self.rows = []

    def eval(self, place, mail, number):
        self.rows.append(Held(place.city, number))

    def terminate(self):
        for row in sorted(self.rows, key=lambda r: r.n):
            yield row.city.upper(), row.n


@gives(1)
class Once:
    def __init__(self):
        self.seen = set()

    def eval(self, place, mail, number):
        key = place.city[:1]
        if key in self.seen:
            return
        self.seen.add(key)
        yield (mail,)
