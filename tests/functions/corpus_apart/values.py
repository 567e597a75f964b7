import bisect
import html
import re
import string
import textwrap
import unicodedata
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field, replace
from datetime import date, datetime, timedelta, timezone
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from enum import Enum
from functools import reduce
from itertools import accumulate, chain, groupby, islice, pairwise, product, takewhile, zip_longest
from math import atan2, cos, hypot, log10, radians, sin, sqrt
from operator import attrgetter, itemgetter
from typing import NamedTuple

from functions.examples import example
from pyspark.sql import Row

PERSON = Row(first="Ada", last="Long", mail="Ada.Long@Example.org", born=date(1990, 5, 17), score=42)
ORDER = Row(
    id="o-17",
    lines=[Row(sku="red-1", amount=2, price=9.5), Row(sku="blue-7", amount=1, price=100.0)],
    note="gift wrap",
)
DEFAULTS = {"lang": "en", "zone": "UTC"}
GRADES = [(90, "A"), (75, "B"), (60, "C")]
LIMITS = (10, 100, 1000)
TITLES = frozenset({"dr", "prof"})
SPACES = re.compile(r"\s+")


class Tier(Enum):
    LOW = "low"
    HIGH = "high"


@dataclass
class Money:
    amount: float
    currency: str = "EUR"

    def shown(self):
        return f"{self.amount:.2f} {self.currency}"

    @property
    def is_large(self):
        return self.amount > 50


@dataclass(frozen=True)
class Point:
    x: float
    y: float

    def plus(self, other):
        return Point(self.x + other.x, self.y + other.y)


@dataclass
class Basket:
    owner: str
    items: list = field(default_factory=list)

    def add(self, item):
        self.items.append(item)
        return self


class Range(NamedTuple):
    low: int
    high: int


@example("  Dr.  Ada   Long ")
def plain_name(name):
    parts = SPACES.sub(" ", name.strip()).split(" ")
    return " ".join(p for p in parts if p.rstrip(".").lower() not in TITLES)


@example("Crème Brûlée")
def without_accents(text):
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c))


@example("a&amp;b <i>c</i>")
def text_of_html(text):
    return re.sub(r"<[^>]+>", "", html.unescape(text)).strip()


@example([3, 1, 2], 1)
def rotated(values, by):
    ring = deque(values)
    ring.rotate(by)
    return list(ring)


@example({"lang": "de", "mail": "x@y.org"})
def with_defaults(given):
    settings = ChainMap(given, DEFAULTS)
    return {"lang": settings["lang"], "zone": settings["zone"]}


@example(ORDER)
def by_colour(order):
    lines = sorted(order.lines, key=lambda line: line.sku)
    return {k: sum(x.amount for x in g) for k, g in groupby(lines, key=lambda line: line.sku.split("-")[0])}


@example(["a", "a", "b", "c", "c", "c"])
def run_lengths(letters):
    return [(letter, len(list(group))) for letter, group in groupby(letters)]


@example(PERSON)
def initials(p):
    return "".join(part[0].upper() for part in (p.first, p.last) if part)


@example(PERSON)
def record(p):
    return {
        "name": {"full": f"{p.first} {p.last}", "short": p.first[:1]},
        "contact": [p.mail.lower()],
        "age": 2024 - p.born.year,
    }


@example(PERSON)
def grade(p):
    return next((g for least, g in GRADES if p.score >= least), "D")


@example(PERSON)
def bucket(p):
    return bisect.bisect_right(LIMITS, p.score)


@example(12.5, "chf")
def shown_money(amount, currency):
    return Money(round(amount, 1), currency.upper()).shown()


@example(12.5, "chf")
def money(amount, currency):
    m = Money(amount, currency)
    return {"money": asdict(m), "large": m.is_large}


@example(1.5, 2.5, 3.0)
def moved(x, y, by):
    return astuple(Point(x, y).plus(Point(by, 0.0)))


@example(1.5, 2.5)
def flattened_point(x, y):
    p = replace(Point(x, y), y=0.0)
    return {"x": p.x, "y": p.y}


@example("ada", ["x", "y"])
def basket(owner, items):
    b = Basket(owner)
    for item in items:
        b.add(item.upper())
    return {"owner": b.owner, "items": b.items}


@example(3, 9)
def span(a, b):
    r = Range(min(a, b), max(a, b))
    return r.high - r.low


@example({"type": "click", "target": {"id": "b1"}, "at": 17})
def event_kind(event):
    match event:
        case {"type": "click", "target": {"id": str() as target}}:
            return f"click:{target}"
        case {"type": "view", "at": int(at)} if at > 10:
            return f"view:{at}"
        case {"type": kind}:
            return kind
        case _:
            return None


@example("move 3 4")
def command(text):
    match text.split():
        case ["move", x, y]:
            return {"do": "move", "x": int(x), "y": int(y)}
        case ["stop", *_]:
            return {"do": "stop", "x": 0, "y": 0}
        case _:
            return None


@example("12.345", "2")
def rounded(text, places):
    try:
        step = Decimal(10) ** -int(places)
        return str(Decimal(text).quantize(step, rounding=ROUND_HALF_UP))
    except (InvalidOperation, ValueError):
        return None


@example("17", 5)
def number_or(text, other):
    with suppress(ValueError):
        return int(text)
    return other


@example("2024-03-05T10:20:30", 2)
def later(text, hours):
    moment = datetime.fromisoformat(text).replace(tzinfo=timezone.utc)
    return (moment + timedelta(hours=hours)).isoformat()


@example("low", "x")
def tier(text, other):
    try:
        return Tier(text).name
    except ValueError:
        return other


@example("a=1;b=2;c")
def pairs(text):
    found = OrderedDict()
    for part in text.split(";"):
        key, sep, value = part.partition("=")
        if sep:
            found[key.strip()] = value.strip()
    return dict(found)


@example(["red", "blue", "red"])
def commonest(words):
    ((word, count),) = Counter(words).most_common(1)
    return {"word": word, "count": count}


@example(ORDER)
def totals(order):
    sums = defaultdict(float)
    for line in order.lines:
        sums[line.sku] += line.amount * line.price
    return max(sums.items(), key=itemgetter(1))[0]


@example(ORDER)
def cheapest(order):
    return min(order.lines, key=attrgetter("price")).sku


@example(ORDER)
def nested_lines(order):
    return [
        {"id": order.id, "pos": i, "sku": line.sku, "sum": line.amount * line.price}
        for i, line in enumerate(order.lines, 1)
    ]


@example([1.0, 4.0, 9.0])
def differences(values):
    return [b - a for a, b in pairwise(values)]


@example([1.0, 4.0, 9.0])
def running(values):
    return list(accumulate(values, max))


@example([5, 3, 0, 7])
def until_zero(values):
    return list(takewhile(lambda v: v > 0, values))


@example(["a", "b"], [1, 2, 3])
def zipped(names, values):
    return [{"name": n, "value": v} for n, v in zip_longest(names, values, fillvalue=None)]


@example(["s", "m"], ["red"])
def variants(sizes, colours):
    return [f"{s}/{c}" for s, c in product(sizes, colours)]


@example([[1, 2], [3]])
def first_two(lists):
    return list(islice(chain.from_iterable(lists), 2))


@example([1, 2, 3])
def folded(values):
    return reduce(lambda a, b: a * 10 + b, values, 0)


@example(52.5, 13.4, 48.1, 11.6)
def distance(lat1, lon1, lat2, lon2):
    p, q = radians(lat1), radians(lat2)
    d = sin((q - p) / 2) ** 2 + cos(p) * cos(q) * sin(radians(lon2 - lon1) / 2) ** 2
    return round(2 * 6371 * atan2(sqrt(d), sqrt(1 - d)), 1)


@example(3.0, 4.0, "x")
def vector(x, y, name):
    return {"name": name, "length": hypot(x, y), "magnitude": log10(1 + abs(x))}


@example("Some longer text, of several words.")
def shortened(text):
    return textwrap.shorten(text, width=20, placeholder="…")


@example("Ada", "Bern")
def letter(name, town):
    return string.Template("Dear $name in $town").safe_substitute(name=name, town=town)


@example("4111 1111 1111 1111")
def luhn(card):
    digits = [int(c) for c in card if c.isdigit()]
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(odd) + sum(sum(divmod(2 * d, 10)) for d in even)) % 10 == 0


@example("4111 1111 1111 1111")
def masked(card):
    digits = re.sub(r"\D", "", card)
    return "*" * (len(digits) - 4) + digits[-4:]


@example(["b", "a", None, "a"])
def unique(values):
    seen = set()
    out = []
    for v in values:
        if v is None or v in seen:
            continue
        seen.add(v)
        out.append(v)
    return out


@example({"a": {"b": {"c": 1}}}, "a.b.c")
def dug(data, path):
    for step in path.split("."):
        if not isinstance(data, dict):
            return None
        data = data.get(step)
    return data


@example("k1=v1\n k2 = v2\n# note\n")
def settings(text):
    def lines():
        for line in text.splitlines():
            line = line.strip()
            if line and not line.startswith("#"):
                yield tuple(part.strip() for part in line.split("=", 1))

    return dict(lines())


@example(10, 3)
def divided(a, b):
    try:
        result = a / b
    except ZeroDivisionError:
        return {"ok": False, "value": None}
    else:
        return {"ok": True, "value": result}
    finally:
        a = None


@example("x@example.org", "y")
def checked(mail, name):
    if "@" not in mail:
        raise ValueError(f"{name}: {mail}")
    user, _, host = mail.rpartition("@")
    return {"user": user, "host": host, "known": host in ("example.org", "example.com")}


@example(["10", "x", "30"])
def valid(values):
    good, bad = [], 0
    for v in values:
        try:
            good.append(int(v))
        except ValueError:
            bad += 1
    return {"good": good, "bad": bad}


@example("2024-W05-3")
def week(text):
    if (m := re.fullmatch(r"(\d{4})-W(\d\d)-(\d)", text)) is None:
        return None
    year, number, day = map(int, m.groups())
    return date.fromisocalendar(year, number, day)


@example([3, 1, 2], 2)
def best(values, count):
    return sorted(values, reverse=True)[:count]


@example("Ada", "Bob", "ada@x.org")
def salutation(first, last, mail):
    name = first or last or mail.split("@")[0]
    return f"Hello {name}"


@example(["x", "y", "z"])
def last_items(values):
    window = deque(maxlen=2)
    for v in values:
        window.append(v)
    return list(window)


@example("hello", 3)
def caesar(text, by):
    letters = string.ascii_lowercase
    table = str.maketrans(letters, letters[by:] + letters[:by])
    return text.translate(table)
