"""State machines, loops, exceptions, closures, generators and classes over values and rows."""

import functools
import itertools
import json
import operator
import re
from collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple
from contextlib import suppress
from dataclasses import asdict, astuple, dataclass, field, fields, replace
from enum import Enum, Flag, IntEnum
from typing import NamedTuple

from functions.examples import example
from pyspark.sql import Row

TICKET = Row(
    key="OPS-12",
    title="Disk full on db-3",
    owner=Row(name="Kim Lee", mail="kim.lee@corp.example", team="storage"),
    state="open",
    priority=2,
    watchers=["ann@corp.example", "bob@corp.example", "cat@corp.example"],
    log=[
        Row(who="kim", what="open", at=10),
        Row(who="ann", what="comment", at=14),
        Row(who="bob", what="close", at=31),
    ],
)
BASKET = [
    {"sku": "tea-1", "qty": 2, "price": 4.5, "note": "gift"},
    {"sku": "pot-7", "qty": 1, "price": 60.0, "note": ""},
    {"sku": "cup-3", "qty": 6, "price": 2.25, "note": "fragile"},
]
TREE = {
    "name": "root",
    "value": 3,
    "children": [
        {"name": "left", "value": 5, "children": [{"name": "leaf", "value": 8, "children": []}]},
        {"name": "right", "value": 2, "children": []},
    ],
}
ACCOUNT = Row(iban="DE89370400440532013000", holder="Ada Long", balance=120.5, limit=50, currency="EUR")

TRANSITIONS = {
    ("open", "comment"): "open",
    ("open", "close"): "done",
    ("done", "comment"): "reopened",
    ("reopened", "close"): "done",
}
LIMITS = {"EUR": 100, "CHF": 120}
SEVERITY = ["low", "mid", "high", "urgent"]


class Status(Enum):
    OPEN = "open"
    CLOSED = "closed"
    UNKNOWN = "?"

    @classmethod
    def parse(cls, text):
        for each in cls:
            if each.value == text:
                return each
        return cls.UNKNOWN

    @property
    def label(self):
        return self.name.title()


class Level(IntEnum):
    LOW = 1
    MID = 2
    HIGH = 3


class Rights(Flag):
    READ = 1
    WRITE = 2
    ADMIN = 4


class Line(NamedTuple):
    sku: str
    qty: int
    price: float

    @property
    def total(self):
        return self.qty * self.price


@dataclass
class Person:
    name: str
    mail: str
    team: str = "none"
    handle: str = field(init=False)
    seen: list = field(default_factory=list)

    def __post_init__(self):
        self.handle = self.mail.partition("@")[0]

    @property
    def initials(self):
        return "".join(p[:1] for p in self.name.split())

    def renamed(self, name):
        return replace(self, name=name)


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int
    tag: str = field(default="", compare=False)

    @classmethod
    def parse(cls, text):
        head, _, tag = text.partition("-")
        major, minor = (head.split(".") + ["0"])[:2]
        return cls(int(major), int(minor), tag)


class Bag:
    def __init__(self, items=()):
        self._items = list(items)
        self._index = {}

    def __getitem__(self, key):
        return self._index[key]

    def __setitem__(self, key, value):
        self._items.append(value)
        self._index[key] = value

    def __iter__(self):
        return iter(self._items)

    def __len__(self):
        return len(self._items)

    def __contains__(self, key):
        return key in self._index

    def __bool__(self):
        return bool(self._items)


class Money:
    __slots__ = ("amount", "unit")

    def __init__(self, amount, unit="EUR"):
        self.amount = amount
        self.unit = unit

    def __add__(self, other):
        return Money(self.amount + other.amount, self.unit)

    def __eq__(self, other):
        return self.amount == other.amount

    def __lt__(self, other):
        return self.amount < other.amount

    def __hash__(self):
        return hash(self.amount)

    def __str__(self):
        return f"{self.amount:.2f} {self.unit}"


class Machine:
    def __init__(self, start):
        self.state = start
        self.history = [start]

    def feed(self, event):
        nxt = TRANSITIONS.get((self.state, event))
        if nxt is None:
            return self
        self.state = nxt
        self.history.append(nxt)
        return self


class Tally:
    total = 0

    def __enter__(self):
        self.rows = []
        return self

    def __exit__(self, *exc):
        self.rows.clear()
        return True


def logged(prefix="", upper=False):
    def decorate(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            out = function(*args, **kwargs)
            text = f"{prefix}{out}"
            return text.upper() if upper else text

        return inner

    return decorate


def safe(default=None, errors=(ValueError, KeyError, AttributeError, TypeError)):
    def decorate(function):
        def inner(value):
            try:
                return function(value)
            except errors:
                return default

        return inner

    return decorate


def retry(times):
    def decorate(function):
        def inner(*args):
            last = None
            for n in range(times):
                try:
                    return function(*args, n)
                except ValueError as error:
                    last = str(error)
            return last

        return inner

    return decorate


# -- state machines and loops -------------------------------------------------------------------


@example(TICKET)
def final_state(t):
    state = "open"
    for entry in t.log:
        state = TRANSITIONS.get((state, entry.what), state)
    return state


@example(TICKET)
def machine_history(t):
    machine = Machine(t.state)
    for entry in t.log:
        machine.feed(entry.what)
    return {"state": machine.state, "path": ">".join(machine.history), "key": t.key}


@example(TICKET)
def machine_reduced(t):
    return functools.reduce(lambda m, e: m.feed(e.what), t.log, Machine("open")).history


@example("a=1;b='x;y';c=3")
def split_quoted(text):
    parts, current, quoted = [], [], False
    for ch in text:
        if ch == "'":
            quoted = not quoted
            continue
        if ch == ";" and not quoted:
            parts.append("".join(current))
            current = []
        else:
            current.append(ch)
    parts.append("".join(current))
    return parts


@example("3 + 4 * (2 - 1)")
def evaluated(text):
    tokens = deque(re.findall(r"\d+|[-+*()]", text))

    def atom():
        token = tokens.popleft()
        if token == "(":
            value = total()
            tokens.popleft()
            return value
        return int(token)

    def product():
        value = atom()
        while tokens and tokens[0] == "*":
            tokens.popleft()
            value *= atom()
        return value

    def total():
        value = product()
        while tokens and tokens[0] in "+-":
            value = value + product() if tokens.popleft() == "+" else value - product()
        return value

    return total()


@example("4539 1488 0343 6467")
def luhn(card):
    digits = [int(c) for c in card if c.isdigit()]
    if len(digits) < 12:
        return None
    odd, even = digits[-1::-2], digits[-2::-2]
    check = sum(odd) + sum(sum(divmod(2 * d, 10)) for d in even)
    return check % 10 == 0


@example(ACCOUNT)
def iban_ok(a):
    s = a.iban.replace(" ", "").upper()
    if not (15 <= len(s) <= 34) or not s[:2].isalpha():
        return (False, "shape")
    moved = s[4:] + s[:4]
    number = "".join(str(ord(c) - 55) if c.isalpha() else c for c in moved)
    rest = 0
    for start in range(0, len(number), 7):
        rest = int(str(rest) + number[start : start + 7]) % 97
    return (rest == 1, s[:2])


@example([4, 9, 1, 7, 3], 8)
def first_pair(values, wanted):
    i, j = 0, len(values) - 1
    ordered = sorted(values)
    while i < j:
        total = ordered[i] + ordered[j]
        if total == wanted:
            return [ordered[i], ordered[j]]
        if total < wanted:
            i += 1
        else:
            j -= 1
    else:
        return []


@example([3, 8, 12, 20, 31], 12)
def bisected(values, wanted):
    low, high = 0, len(values)
    while low < high:
        mid = (low + high) // 2
        if values[mid] < wanted:
            low = mid + 1
        else:
            high = mid
    return low


@example(TICKET)
def first_close(t):
    for n, entry in enumerate(t.log, 1):
        if entry.what == "close":
            found = entry.who
            break
    else:
        n, found = 0, t.owner.name
    return {"who": found, "n": n}


@example(TICKET)
def exits(t):
    k = 0
    out = []
    while True:
        if k >= len(t.log):
            out.append("end")
            break
        entry = t.log[k]
        k += 1
        if entry.at < 12:
            continue
        if entry.what == t.state:
            out.append(entry.who)
            return out
        out.append(entry.at)
    return out


# -- exceptions ---------------------------------------------------------------------------------


@example("12,5", "7")
def ratio(a, b):
    try:
        x = float(a.replace(",", "."))
    except (ValueError, AttributeError):
        return {"ratio": None, "why": "a"}
    else:
        scaled = x * 10
    finally:
        mark = len(b or "")
    try:
        return {"ratio": scaled / int(b), "why": mark}
    except ZeroDivisionError:
        return {"ratio": scaled, "why": "zero"}
    except Exception as e:
        return {"ratio": 0, "why": type(e).__name__}


@example('{"a": 1, "b": [1, 2]}', "b")
def error_text(text, key):
    try:
        return json.loads(text)[key]
    except KeyError as e:
        return f"no {e}"
    except json.JSONDecodeError as e:
        return f"{e.msg} at {e.pos}"


@example(ACCOUNT)
def checked(a):
    problems = []
    try:
        if a.balance < 0:
            raise ValueError(f"overdrawn {a.holder}", a.limit)
        if a.currency not in LIMITS:
            raise KeyError(a.currency)
        assert a.limit < LIMITS[a.currency], a.iban[:4]
    except ValueError as e:
        problems.extend(e.args)
    except KeyError as e:
        problems.append(e.args[0])
    except AssertionError as e:
        problems.append(str(e))
    return problems


@example(TICKET)
def finally_wins(t):
    out = {"title": t.title}
    try:
        if t.priority > 2:
            return out
        out["state"] = t.state
    finally:
        out["team"] = t.owner.team
    return out


@example("x1", "22")
def suppressed(a, b):
    number = 0
    with suppress(ValueError):
        number = int(a)
        number += 1
    with suppress(ValueError, TypeError):
        number += int(b)
    return number


@example("15", 3)
def retried(text, base):
    @retry(3)
    def attempt(value, n):
        if int(value) % (base + n):
            raise ValueError(f"{value}/{base + n}")
        return n

    return attempt(text)


class Rejected(Exception):
    def __init__(self, code, value):
        super().__init__(code)
        self.code = code
        self.value = value


def _require(row):
    if not row.mail.endswith("example"):
        raise Rejected("mail", row.mail)
    if len(row.name) < 3:
        raise Rejected("name", row.name)
    return row.team


@example(TICKET)
def rejected(t):
    try:
        return {"team": _require(t.owner), "bad": ""}
    except Rejected as r:
        return {"team": r.code, "bad": r.value}


@example(TICKET)
def swallowed(t):
    rows = []
    with Tally() as tally:
        for each in t.log:
            tally.rows.append(each.at // t.priority)
            rows.append(each.who)
    return rows


# -- match --------------------------------------------------------------------------------------


@example({"kind": "click", "x": 3, "y": 4, "who": {"name": "eve", "id": 5}})
def matched_dict(event):
    match event:
        case {"kind": "click", "x": x, "y": y} if x == y:
            return "diagonal"
        case {"kind": "click", "x": x, **rest}:
            return f"{x}/{len(rest)}/{rest['who']['name']}"
        case {"who": {"id": int(number)}}:
            return number
        case _:
            return None


@example("move 3 north fast")
def matched_words(text):
    match text.split():
        case ["move", steps, ("north" | "south") as way, *more]:
            return {"steps": int(steps), "way": way, "more": more}
        case [verb, *_]:
            return {"steps": 0, "way": verb, "more": []}
    return {"steps": -1, "way": "", "more": []}


@example(3, "b", 2.5)
def matched_types(a, b, c):
    out = []
    for each in (a, b, c):
        match each:
            case None:
                out.append("none")
            case bool():
                out.append("bool")
            case int(n) if n > 3:
                out.append(n)
            case int() | float():
                out.append(-each)
            case str(s):
                out.append(s.upper())
    return out


@example(TICKET)
def matched_class(t):
    p = Person(t.owner.name, t.owner.mail, team=t.owner.team)
    match p:
        case Person(team="storage", handle=h):
            return h
        case Person(name=n):
            return n


@example("2.14-rc1", "2.9")
def matched_position(a, b):
    match Version.parse(a), Version.parse(b):
        case (Version(x, y), Version(z, w)) if x == z:
            return y - w
        case (Version(x), Version(z)):
            return (x - z) * 100


# -- closures -----------------------------------------------------------------------------------


@example(BASKET)
def counted_closure(basket):
    count = 0
    names = []

    def add(line):
        nonlocal count
        count += line["qty"]
        names.append(line["sku"])

    for each in basket:
        if each["note"]:
            add(each)
    return {"count": count, "names": names}


@example(BASKET, 3)
def closures_made(basket, least):
    checks = [lambda line, k=k: line[k] for k in ("qty", "price")]
    return [sum(c(line) for c in checks) for line in basket if checks[0](line) >= least]


@example(5, 7, 2)
def late_bound(a, b, c):
    makers = []
    for n in (a, b):
        makers.append(lambda: n * c)
    return [m() for m in makers]


@example("ada", "bob")
def counter_maker(a, b):
    def maker(start):
        value = start

        def step(more=""):
            nonlocal value
            value = value + more
            return value

        def reset():
            nonlocal value
            value = start

        return step, reset

    step, reset = maker(a)
    step(b)
    first = step("!")
    reset()
    return {"first": first, "second": step()}


@example(TICKET)
def swapped_closure(t):
    current = t.title

    def show():
        return current

    before = show()
    current = t.key
    return (before, show())


def _visit(node, do):
    do(node)
    for each in node["children"]:
        _visit(each, do)


@example(TREE)
def visited(tree):
    total, names = [0], set()

    def do(node):
        total[0] += node["value"]
        if node["value"] > 2:
            names.add(node["name"])

    _visit(tree, do)
    return {"total": total[0], "names": sorted(names)}


# -- generators ---------------------------------------------------------------------------------


def _walk(node, depth=0):
    yield depth, node["name"], node["value"]
    for each in node["children"]:
        yield from _walk(each, depth + 1)


@example(TREE)
def walked(tree):
    return [{"path": "/" * d + n, "value": v} for d, n, v in _walk(tree) if d]


@example(TREE)
def deepest(tree):
    return max(_walk(tree), key=lambda e: (e[0], e[2]))[1]


def _running():
    total = 0
    value = yield
    while True:
        total += value
        value = yield total


@example([3, 4, 5])
def sent(values):
    running = _running()
    next(running)
    return [running.send(v) for v in values]


def _average():
    total = count = 0
    while (value := (yield)) is not None:
        total += value
        count += 1
    return total / count


def _collect(out):
    result = yield from _average()
    out.append(result)
    yield result


@example([3, 5, 13])
def averaged(values):
    out = []
    g = _collect(out)
    next(g)
    for v in values:
        g.send(v)
    g.send(None)
    return out[0]


@example(TICKET)
def windows(t):
    def pairs(items):
        it = iter(items)
        last = next(it, None)
        for each in it:
            yield last, each
            last = each

    return [b.at - a.at for a, b in pairs(t.log)]


@example([1, 2, 3, 4, 5], 2)
def chunked(values, size):
    it = iter(values)
    return list(iter(lambda: list(itertools.islice(it, size)), []))


@example(TICKET)
def generator_alias(t):
    it = iter(t.watchers)
    head = next(it)
    return {"head": head, "rest": list(it), "more": list(it)}


# -- decorators ---------------------------------------------------------------------------------


@example(TICKET)
@logged("T-", upper=True)
def decorated(t):
    return t.key if t.priority > 1 else t.title


@example("12x")
@safe(default=-1)
def parsed(text):
    return int(text.rstrip("x"))


@functools.lru_cache(maxsize=None)
def _fib(n):
    return n if n < 2 else _fib(n - 1) + _fib(n - 2)


@example(9)
def cached(n):
    return _fib(abs(n) % 12)


def _apply(function, *args, **kwargs):
    return function(*args, **kwargs)


@example(TICKET)
def applied(t):
    return _apply("{0}:{name}".format, t.key, name=t.owner.name)


@example(TICKET)
def methods_called(t):
    call = operator.methodcaller("replace", "-", "_")
    team = operator.attrgetter("owner.team")
    return {"key": call(t.key), "team": team(t)}


# -- classes ------------------------------------------------------------------------------------


@example(TICKET)
def person_built(t):
    p = Person(t.owner.name, t.owner.mail)
    p.seen.append(t.key)
    q = p.renamed(t.title)
    q.seen.append(t.state)
    return {"p": asdict(p), "q": q.handle, "i": q.initials, "n": [f.name for f in fields(q)]}


@example(TICKET)
def shared_list(t):
    a = Person(t.owner.name, t.owner.mail)
    b = replace(a, seen=a.seen)
    b.seen += t.watchers
    return a.seen


@example("2.14-rc1", "2.9-beta")
def newer(a, b):
    best = max(Version.parse(a), Version.parse(b))
    return {
        "best": f"{best.major}.{best.minor}",
        "tag": best.tag,
        "same": Version.parse(a) == Version.parse(b),
    }


@example(BASKET)
def bag_built(basket):
    bag = Bag()
    for line in basket:
        bag[line["sku"]] = line["price"]
    if not bag:
        return []
    return [len(bag), "tea-1" in bag, max(bag), bag["pot-7"] if "pot-7" in bag else None]


@example(BASKET)
def money_summed(basket):
    amounts = [Money(line["price"] * line["qty"]) for line in basket]
    total = sum(amounts[1:], amounts[0])
    return {"total": str(total), "least": str(min(amounts)), "same": amounts[0] == amounts[-1]}


@example(BASKET)
def money_set(basket):
    return len({Money(line["price"]) for line in basket})


@example(BASKET)
def lines_named(basket):
    lines = [Line(line["sku"], line["qty"], line["price"]) for line in basket]
    best = sorted(lines, key=lambda x: x.total)[-1]
    return best._replace(qty=0)._asdict()


@example("open", 3)
def enum_read(state, bits):
    status = Status.parse(state)
    rights = Rights(bits & 7)
    return {"label": status.label, "write": Rights.WRITE in rights, "admin": bool(rights & Rights.ADMIN)}


@example(2)
def enum_level(n):
    try:
        level = Level(n)
    except ValueError:
        level = Level.LOW
    return level.name if level >= Level.MID else "none"


class Temperature:
    def __init__(self, celsius):
        self._celsius = celsius

    @property
    def fahrenheit(self):
        return self._celsius * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, value):
        self._celsius = (value - 32) * 5 / 9

    @staticmethod
    def limit(value, top=100):
        return min(value, top)


@example(20.5, 99.0)
def property_set(c, f):
    t = Temperature(c)
    before = t.fahrenheit
    t.fahrenheit = f
    return [before, Temperature.limit(t._celsius)]


class Base:
    prefix = "b"

    def __init__(self, row):
        self.row = row

    def show(self):
        return f"{self.prefix}:{self.detail()}"

    def detail(self):
        return self.row.key


class Derived(Base):
    prefix = "d"

    def __init__(self, row):
        super().__init__(row)
        self.extra = row.owner.team

    def detail(self):
        return super().detail() + self.extra


@example(TICKET)
def inherited(t):
    kind = Derived if t.priority > 1 else Base
    return kind(t).show()


class Registry:
    handlers = {}

    @classmethod
    def on(cls, name):
        def keep(function):
            cls.handlers[name] = function
            return function

        return keep


@Registry.on("open")
def _opened(t):
    return t.owner.name


@Registry.on("closed")
def _closed(t):
    return t.title


@example(TICKET)
def registered(t):
    handler = Registry.handlers.get(t.state, lambda _: "")
    return handler(t)


class Lazy:
    def __init__(self, data):
        self.__dict__.update(data)

    def __getattr__(self, name):
        return f"no {name}"


@example({"a": "one", "b": "two"})
def lazy(data):
    held = Lazy(data)
    return [held.a, held.c]


class Fluent:
    def __init__(self):
        self.parts = []

    def add(self, part, when=True):
        if when:
            self.parts.append(part)
        return self

    def build(self):
        return " ".join(self.parts)


@example(TICKET)
def fluent(t):
    return Fluent().add(t.key).add(t.title, when=t.priority > 2).add(t.state, when=bool(t.watchers)).build()


class Cursor:
    def __init__(self, text):
        self.text, self.pos = text, 0

    def take(self, n):
        out = self.text[self.pos : self.pos + n]
        self.pos += n
        return out


@example("05ada  0042X", 2)
def fixed_width(text, size):
    cursor = Cursor(text)
    n = int(cursor.take(size) or 0)
    name = cursor.take(n).strip()
    return {"name": name, "rest": cursor.take(99), "pos": cursor.pos}


@example(TICKET)
def callable_object(t):
    class Scale:
        def __init__(self, factor):
            self.factor = factor

        def __call__(self, value):
            return value * self.factor

    return list(map(Scale(t.priority), [e.at for e in t.log]))


@example(TICKET)
def getattr_dynamic(t):
    return {name: getattr(t, name, None) for name in ("key", "state", "missing")}


@example(TICKET, "title")
def getattr_given(t, name):
    return getattr(t, name, t.key)


@example(TICKET)
def setattr_dynamic(t):
    p = Person("x", "y@z")
    for name, value in (("name", t.title), ("team", t.owner.team)):
        setattr(p, name, value)
    return astuple(p)[:3]


# -- aliasing, defaults, globals ----------------------------------------------------------------


def _gather(item, into=[]):
    into.append(item)
    return into


@example(TICKET)
def mutable_default(t):
    fresh = []
    _gather(t.key, fresh)
    again = _gather(t.state, into=fresh)
    return again


@example(TICKET)
def aliased(t):
    a = [t.key]
    b = a
    b.insert(0, t.state)
    c = b[:]
    c.append(t.title)
    return {"a": a, "n": len(c)}


@example(TICKET)
def aliased_deep(t):
    rows = [[]] * 3
    rows[0].append(t.key)
    return rows[2]


@example(TICKET)
def fromkeys_shared(t):
    groups = dict.fromkeys(["x", "y"], [])
    groups["x"].append(t.owner.mail)
    return groups["y"]


@example([3, 1, 2], "k")
def in_place(values, key):
    held = {key: values}
    held[key].sort()
    held[key].reverse()
    del values[1]
    values[0], values[-1] = values[-1], values[0]
    return values


@example([5, 6, 7, 8], 9)
def sliced_assign(values, new):
    values[1:3] = [new]
    values[::2] = [0] * len(values[::2])
    values *= 2
    return values


@example({"a": "one", "b": "two", "c": "three"})
def deleted(d):
    keep = dict(d)
    del keep["a"]
    last = keep.pop("c", None)
    keep |= {"z": d["a"][:1]}
    return {**keep, "last": last}


@example({"a": "one", "b": "two"})
def renamed_keys(d):
    for key in list(d):
        d[key.upper()] = d.pop(key)
    return d


@example("x", "y", 1)
def swapped(a, b, n):
    if n > 0:
        a, b = b, a
    c, (d, *e) = a, (b, n, a)
    return {"a": a, "b": b, "c": c, "d": d, "e": e}


@example([1, 2, 3, 4])
def rotated(values):
    for i in range(len(values) // 2):
        values[i], values[~i] = values[~i], values[i]
    return values


@example(4, 6, 9)
def chained(a, b, c):
    return "in" if a < b <= c != 0 else ("out" if a == b == c else None)


@example(TICKET)
def walrus(t):
    if (n := len(t.watchers)) > 2 and (first := t.watchers[0]).startswith("ann"):
        return {"n": n, "first": first}
    return {"n": n, "first": t.owner.mail if (short := t.owner.name[:3]) else short}


@example(TICKET)
def walrus_in_comprehension(t):
    out = [last := e.who for e in t.log if e.at > 9]
    return (last, len(out))


@example(TICKET)
def or_chain(t):
    return (t.owner.team or t.owner.name or "none") and t.key


@example(TICKET)
def starred(t):
    first, *middle, last = [t.key, *t.watchers, t.state]
    return dict(first=first, middle=middle, last=last, **{"p": t.priority})


_COUNT = 0


@example(["a", "b", "a", "c"])
def once(values):
    seen = set()
    return [v for v in values if not (v in seen or seen.add(v))]


@example(TICKET)
def index_by(t):
    return {e["who"]: e["at"] for e in (r.asDict() for r in t.log)}["ann"]


@example(TICKET)
def row_dict(t):
    d = t.asDict(recursive=True)
    d["owner"]["mail"] = d["owner"]["mail"].split("@")[1]
    d.pop("log")
    return {k: v for k, v in d.items() if k not in ("title", "watchers")}


@example(TICKET)
def row_rebuilt(t):
    d = t.asDict()
    d.update(state=t.owner.team, priority=len(t.title))
    return Row(**d)


@example(TICKET)
def row_zip(t):
    owner = dict(zip(t.owner.__fields__, t.owner))
    return "|".join(f"{k}={v}" for k, v in owner.items() if k != "mail")


@example(TICKET)
def row_unpacked(t):
    name, mail, *_ = t.owner
    return f"{name} <{mail}>"


@example(TICKET)
def row_positions(t):
    return [t[0], t[2][1], t["owner"]["name"], t[-1][-1][0]]


# -- itertools and friends ----------------------------------------------------------------------


@example(TICKET)
def grouped(t):
    out = {}
    for who, entries in itertools.groupby(sorted(t.log, key=lambda e: e.what), key=lambda e: e.what):
        out[who] = sum(e.at for e in entries)
    return sorted(out.values())


@example([3, 1, 4, 1, 5])
def accumulated(values):
    return list(itertools.accumulate(values, max))


@example([3, 1, 4], 2)
def accumulated_start(values, start):
    return list(itertools.accumulate(values, lambda a, b: a * 2 + b, initial=start))[-1]


@example([[1, 2], [3], [4, 5, 6]])
def columns_of(rows):
    return [sum(c) for c in itertools.zip_longest(*rows, fillvalue=0)]


@example([[1, 2], [3, 4]])
def transposed(rows):
    a, b = zip(*rows)
    return {"a": list(a), "b": list(b)}


@example([[1, 2], [3]])
def summed_start(rows):
    return sum(rows, [0])


@example(TICKET)
def chained_iters(t):
    return list(itertools.chain.from_iterable([t.watchers, (e.who for e in t.log), [t.owner.name]]))


@example([1, 5, 2, 8, 3], 4)
def taken(values, limit):
    return [
        list(itertools.takewhile(lambda v: v < limit, values)),
        list(itertools.dropwhile(lambda v: v < limit, values)),
    ]


@example(TICKET)
def compressed(t):
    return list(itertools.compress(["key", "title", "state"], [t.priority > 1, t.title, t.state == "open"]))


@example([1, 2], ["a", "b"])
def product_made(a, b):
    return [f"{y}{x}" for x, y in itertools.product(a, b)]


@example([4, 2, 9])
def paired(values):
    return [y - x for x, y in itertools.combinations(values, 2)]


@example(TICKET)
def tee_used(t):
    a, b = itertools.tee(e.at for e in t.log)
    next(b, None)
    return [y - x for x, y in zip(a, b)]


@example(TICKET)
def counted(t):
    c = Counter(e.what for e in t.log)
    c.update([t.state])
    c["extra"] += t.priority
    return {"top": c.most_common(1)[0][0], "n": sum(c.values()), "extra": c["extra"]}


@example(TICKET)
def defaulted(t):
    groups = defaultdict(lambda: {"n": 0, "who": []})
    for e in t.log:
        groups[e.what]["n"] += 1
        groups[e.what]["who"].append(e.who)
    return [g["who"] for g in groups.values() if g["n"] > 0]


@example(TICKET)
def defaulted_set(t):
    index = {}
    for e in t.log:
        index.setdefault(e.what, set()).add(e.who)
    return sorted(index.get("close", ()))


@example(TICKET)
def nested_setdefault(t):
    out = {}
    out.setdefault("a", {}).setdefault(t.state, []).append(t.key)
    return out["a"].get("open", [])


@example(TICKET)
def chain_map(t):
    m = ChainMap({"team": t.owner.team or None}, {"team": "x", "name": t.owner.name})
    return [m["team"], m["name"]]


@example(TICKET)
def ordered(t):
    d = OrderedDict((e.who, e.at) for e in t.log)
    d.move_to_end(t.log[0].who)
    return d.popitem(last=True)


@example([5, 3, 8], 2)
def deque_used(values, size):
    recent = deque(maxlen=2)
    out = []
    for v in values:
        recent.append(v)
        recent.rotate(1)
        out.append(recent[0])
    return out


@example(TICKET)
def best_by(t):
    return min(t.log, key=lambda e: (e.what != "comment", -e.at)).who


@example(TICKET)
def ranked(t):
    order = {name: n for n, name in enumerate(sorted({e.who for e in t.log}))}
    return [order[e.who] for e in t.log]


@example(TICKET)
def sorted_by_two(t):
    return [w for _, w in sorted(((e.at % 7, e.who) for e in t.log), reverse=True)]


@example(TICKET)
def any_all(t):
    return {
        "any": any(e.what == "close" for e in t.log),
        "all": all("@" in w for w in t.watchers),
        "next": next((e.who for e in t.log if e.at > 20), t.owner.name),
    }


@example(TICKET)
def default_of_max(t):
    return max((e.at for e in t.log if e.what == t.state), default=t.priority)


@example(TICKET)
def reduced(t):
    return functools.reduce(lambda acc, e: {**acc, e.what: acc.get(e.what, 0) + e.at}, t.log, {})


@example([3, 1, 2])
def compared_by(values):
    return sorted(values, key=functools.cmp_to_key(lambda a, b: (a % 2 - b % 2) or b - a))


@example(TICKET)
def partialled(t):
    join = functools.partial(str.join, "-")
    pad = functools.partial(str.rjust, t.key, 9)
    return {"a": join(t.watchers[:2]), "b": pad(t.state[:1] or "*")}


@example(BASKET)
def itemgot(basket):
    get = operator.itemgetter("sku", "qty")
    return [f"{s}x{q}" for s, q in map(get, basket)]


@example(BASKET)
def partitioned(basket):
    cheap, dear = [], []
    for line in basket:
        (cheap if line["price"] < 5 else dear).append(line["sku"])
    return {"cheap": cheap, "dear": dear}


@example(BASKET)
def totals(basket):
    total = discount = 0.0
    for n, line in enumerate(basket):
        amount = line["qty"] * line["price"]
        total += amount
        discount += amount * (0.1 if n else 0) if line["note"] != "gift" else 0
    return {"total": round(total, 2), "net": round(total - discount, 2)}


@example(BASKET)
def mutated_rows(basket):
    for line in basket:
        line["total"] = line.pop("qty") * line["price"]
        line["note"] = line["note"] or None
    return basket


@example(BASKET)
def popped(basket):
    last = basket.pop()
    first = basket.pop(0)
    first.update(last)
    return first


@example(BASKET)
def dict_view(basket):
    merged = {}
    for line in basket:
        for k, v in line.items():
            merged[k] = v if k not in merged else merged[k]
    return merged


@example(TREE)
def flattened(tree):
    out = {}

    def go(node, prefix):
        if isinstance(node, dict):
            for k, v in node.items():
                go(v, f"{prefix}.{k}" if prefix else k)
        elif isinstance(node, list):
            for n, v in enumerate(node):
                go(v, f"{prefix}[{n}]")
        else:
            out[prefix] = node

    go(tree, "")
    return sorted(out.items())


@example(TREE)
def stacked(tree):
    stack, total = [tree], 0
    while stack:
        node = stack.pop()
        total += node["value"]
        stack.extend(c for c in node["children"] if c["value"] > 1)
    return total


@example(TREE)
def pruned(tree):
    def prune(node):
        kept = [prune(c) for c in node["children"] if c["value"] > 2]
        return {"name": node["name"], "children": kept} if kept else {"name": node["name"]}

    return json.dumps(prune(tree))


@example({"a": {"b": {"c": "deep"}}, "x": "top"}, "a.b.c")
def dig(data, path):
    for step in path.split("."):
        if not isinstance(data, dict):
            return None
        data = data.get(step)
    return data


@example({"a": {"b": "one"}, "x": "top"}, {"a": {"c": "two"}, "y": "end"})
def merged_deep(a, b):
    def merge(left, right):
        out = dict(left)
        for k, v in right.items():
            out[k] = merge(out[k], v) if k in out and isinstance(v, dict) else v
        return out

    return merge(a, b)
