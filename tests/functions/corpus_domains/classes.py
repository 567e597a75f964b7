"""Aggregators, parsers, trackers and table functions as classes."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import ClassVar

from functions.examples import TableExample, example
from pyspark.sql import Row

EVENT = Row(user="u1", kind="click", at=10, props={"page": "home", "ref": "mail"})
EVENTS = [("u1", "click", 10), ("u2", "view", 12), ("u1", "buy", 19)]


class Stats:
    def __init__(self):
        self.n, self.total, self.peak = 0, 0, None

    def add(self, x):
        self.n += 1
        self.total += x
        self.peak = x if self.peak is None else max(self.peak, x)
        return self

    def merge(self, other):
        self.n += other.n
        self.total += other.total
        return self

    @property
    def mean(self):
        return self.total / self.n if self.n else 0


@example(EVENTS)
def stats_mean(events):
    s = Stats()
    for _, _, at in events:
        s.add(at)
    return s.mean


@example(EVENTS)
def stats_merged(events):
    a = Stats().add(events[0][2])
    b = Stats().add(events[1][2])
    return a.merge(b).total, a.peak


class Parser:
    TOKEN = re.compile(r"\s*(\w+)")

    def __init__(self, text):
        self.text, self.at = text, 0

    def next(self):
        m = self.TOKEN.match(self.text, self.at)
        if not m:
            return None
        self.at = m.end()
        return m.group(1)

    def __iter__(self):
        return iter(self.next, None)


@example("select a from t")
def parsed(text):
    p = Parser(text)
    p.next()
    return p.next()


@example("select a from t")
def parsed_all(text):
    return [t.upper() for t in Parser(text)]


class Sessions:
    gap: ClassVar[int] = 5

    def __init__(self):
        self.last = {}
        self.count = Counter()

    def feed(self, user, at):
        if at - self.last.get(user, -100) > self.gap:
            self.count[user] += 1
        self.last[user] = at


@example(EVENTS)
def sessions(events):
    s = Sessions()
    for u, _, at in events:
        s.feed(u, at)
    return dict(s.count)


class Pipeline:
    def __init__(self, *steps):
        self.steps = steps

    def __or__(self, step):
        return Pipeline(*self.steps, step)

    def __call__(self, value):
        for step in self.steps:
            value = step(value)
        return value


@example(EVENT)
def pipeline(e):
    return (Pipeline(str.upper) | str.strip | (lambda v: v + e.kind))(e.user)


class Observer:
    def __init__(self):
        self.handlers = defaultdict(list)

    def on(self, name):
        def keep(fn):
            self.handlers[name].append(fn)
            return fn

        return keep

    def emit(self, name, *args):
        return [h(*args) for h in self.handlers[name]]


@example(EVENT)
def observed(e):
    o = Observer()

    @o.on("click")
    def _(v):
        return v.user

    return o.emit(e.kind, e)


class Builder:
    def __init__(self):
        self._parts = {}

    def __setattr__(self, k, v):
        if k.startswith("_"):
            object.__setattr__(self, k, v)
        else:
            self._parts[k] = v

    def __getattr__(self, k):
        return self.__dict__["_parts"][k]


@example(EVENT)
def built(e):
    b = Builder()
    b.user = e.user
    b.time = e.at
    return b._parts


@example(EVENT)
def built_read(e):
    b = Builder()
    b.user = e.user
    b.time = e.at
    return b.time


@dataclass
class Node:
    value: int
    left: "Node | None" = None
    right: "Node | None" = None

    def add(self, v):
        side = "left" if v < self.value else "right"
        child = getattr(self, side)
        if child is None:
            setattr(self, side, Node(v))
        else:
            child.add(v)
        return self

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.value
        if self.right:
            yield from self.right


@example([5, 2, 8])
def tree_sorted(xs):
    root = Node(xs[0])
    for x in xs[1:]:
        root.add(x)
    return list(root)


class Linked:
    def __init__(self):
        self.head = None

    def push(self, v):
        self.head = (v, self.head)

    def __iter__(self):
        node = self.head
        while node:
            v, node = node
            yield v


@example(EVENT)
def linked(e):
    s = Linked()
    s.push(e.user)
    s.push(e.at)
    return list(s)


class Lru:
    def __init__(self, size):
        self.size, self.d = size, {}

    def put(self, k, v):
        self.d.pop(k, None)
        self.d[k] = v
        while len(self.d) > self.size:
            del self.d[next(iter(self.d))]


@example(EVENTS)
def lru(events):
    c = Lru(2)
    for u, k, at in events:
        c.put(k, u)
    return c.d


class Rules:
    rules = []

    @classmethod
    def rule(cls, fn):
        cls.rules.append(fn)
        return fn

    @classmethod
    def check(cls, e):
        return [m for r in cls.rules if (m := r(e))]


@Rules.rule
def _no_user(e):
    return "no user" if not e.user else None


@Rules.rule
def _late(e):
    return f"late {e.at}" if e.at > 5 else None


@example(EVENT)
def rules(e):
    return Rules.check(e)


class Memo:
    def __init__(self, fn):
        self.fn, self.cache = fn, {}

    def __call__(self, n):
        if n not in self.cache:
            self.cache[n] = self.fn(n)
        return self.cache[n]


@Memo
def _stairs(n):
    return 1 if n < 2 else _stairs(n - 1) + _stairs(n - 2)


@example(EVENT)
def stairs(e):
    return _stairs(abs(int(e.at)) % 15)


class Undo:
    def __init__(self):
        self.value, self.past = None, []

    def set(self, v):
        self.past.append(self.value)
        self.value = v

    def undo(self):
        self.value = self.past.pop()


@example(EVENT)
def undone(e):
    u = Undo()
    u.set(e.user)
    u.set(e.kind)
    u.undo()
    return u.value


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __setitem__(self, ij, v):
        i, j = ij
        self.rows[i][j] = v

    def __matmul__(self, o):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*o.rows)] for r in self.rows])

    def __eq__(self, o):
        return self.rows == o.rows


@example([[1, 2], [3, 4]])
def matrix_product(m):
    a = Matrix(m)
    a[0, 1] = 7
    return (a @ Matrix([[1, 0], [0, 1]])).rows


@example(EVENT)
def inner_class_attribute(e):
    class Config:
        page = e.props["page"]
        names = [e.user]

    Config.names += [e.kind]
    return Config().names, Config.page


@dataclass
class Session:
    user: str
    log: list = field(default_factory=list)
    total: int = field(init=False, default=0)

    def __iadd__(self, n):
        self.total += n
        self.log.append(n)
        return self


@example(EVENT)
def session_added(e):
    s = t = Session(e.user)
    s += e.at
    return {"user": t.user, "total": t.total, "log": t.log}


class Words:
    def eval(self, text):
        for w in text.split():
            yield w.lower(), len(w)


class RunningTotal:
    def __init__(self):
        self.total = 0

    def eval(self, user, amount):
        self.total += amount
        yield user, self.total


class Last:
    def __init__(self):
        self.rows = {}

    def eval(self, key, value):
        self.rows[key] = value

    def terminate(self):
        for k, v in self.rows.items():
            yield k, v


class Pairs:
    def __init__(self):
        self.before = None

    def eval(self, name, at):
        if self.before is not None:
            yield self.before, name
        self.before = name if at > 3 else None


class Top:
    size = 2

    def __init__(self):
        self.best = []

    def eval(self, name, score):
        self.best.append((score, name))
        self.best.sort(reverse=True)
        del self.best[self.size :]

    def terminate(self):
        for score, name in self.best:
            yield name, score


class Split:
    def eval(self, key, text):
        for i, part in enumerate(re.split(r"[;,]", text)):
            if part:
                yield key, i, part.strip()


class Histogram:
    def __init__(self):
        self.bins = defaultdict(int)

    def eval(self, value, weight):
        self.bins[value // 10] += weight

    def terminate(self):
        yield from sorted(self.bins.items())


class Base:
    def eval(self, a, b):
        yield from self.rows(a, b)

    def rows(self, a, b):
        yield a, b


class Derived(Base):
    def rows(self, a, b):
        for pair in super().rows(b, a):
            yield pair


class Dedup:
    seen: set

    def __init__(self):
        self.seen = set()

    def eval(self, key, value):
        if key not in self.seen:
            self.seen.add(key)
            yield key, value


class Cleaned:
    def __init__(self):
        self.count = 0

    def eval(self, a, b):
        try:
            yield int(a), b
        except ValueError:
            self.count += 1

    def terminate(self):
        yield self.count, "bad"


TABLES = [
    TableExample(Words, (("To be Or",), ("not",)), 2),
    TableExample(RunningTotal, (("a", 3), ("b", 4)), 2),
    TableExample(Last, (("a", 3), ("b", 4), ("a", 5)), 2),
    TableExample(Pairs, (("a", 3), ("b", 4), ("c", 5)), 2),
    TableExample(Top, (("a", 3), ("b", 4), ("c", 5)), 2),
    TableExample(Split, (("a", "x;y"), ("b", "z, w")), 3),
    TableExample(Histogram, ((3, 1), (14, 2), (17, 5)), 2),
    TableExample(Derived, (("a", 3), ("b", 4)), 2),
    TableExample(Dedup, (("a", 3), ("b", 4), ("a", 5)), 2),
    TableExample(Cleaned, (("1", "x"), ("q", "y")), 2),
]
