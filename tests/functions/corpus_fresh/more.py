"""More of all kinds, each with something less common in it."""

import asyncio
import bisect
import collections
import csv
import enum
import functools
import hashlib
import io
import itertools
import json
import operator
import re
import string
import typing
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from types import SimpleNamespace

from functions.examples import example
from pyspark.sql import Row

CLAIM = Row(
    id=11,
    policy="P-77-A",
    person=Row(name="Ida Berg", mail="ida.berg@corp.example", born="1980-02-29"),
    items=[Row(kind="glass", cost=120.0, paid=False), Row(kind="towing", cost=80.5, paid=True)],
    notes={"agent": "called twice", "client": "angry"},
    flags=0b101,
)
STEPS = ("new", "checked", "paid")
DEFAULTS = {"limit": 100, "unit": "EUR"}


@contextmanager
def collecting(into):
    held = []
    yield held
    into.extend(held)


@example(CLAIM)
def with_manager(c):
    out = []
    with collecting(out) as held:
        for item in c.items:
            held.append(item.kind)
    return out


@example(CLAIM)
def namespace(c):
    n = SimpleNamespace(a=c.policy, b=c.id)
    n.a = n.a.lower()
    n.c = c.person.name
    return vars(n)


@example(CLAIM)
def typed_dict(c):
    class Out(typing.TypedDict):
        a: str
        b: int

    return Out(a=c.policy, b=c.id)


@example(CLAIM)
def csv_written(c):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=";")
    writer.writerow([c.id, c.person.name])
    for item in c.items:
        writer.writerow([item.kind, item.cost])
    return buffer.getvalue()


@example("a;b\n1;2\n3;4")
def csv_read(text):
    return [row["b"] for row in csv.DictReader(io.StringIO(text), delimiter=";")]


@example([10, 20, 30], 25)
def grade(limits, value):
    return "FDCA"[bisect.bisect(limits, value)]


@example([10, 20, 30], 25)
def insorted(limits, value):
    bisect.insort(limits, value)
    return limits


@example(CLAIM)
def next_step(c):
    at = STEPS.index("new") if c.flags & 1 else STEPS.index("checked")
    return STEPS[min(at + len(c.items), len(STEPS) - 1)]


@example(CLAIM)
def merged_settings(c):
    settings = {**DEFAULTS, **{k: v for k, v in c.notes.items() if k in DEFAULTS or v}}
    return sorted(settings)


@example(CLAIM, {"limit": "5"})
def overridden(c, given):
    settings = DEFAULTS | given
    return [settings["limit"], settings.get("unit")]


@example(CLAIM)
def loop_else(c):
    for item in c.items:
        if item.cost > 1000:
            reason = item.kind
            break
    else:
        reason = c.policy
    return reason


@example(CLAIM)
def while_else(c):
    n, total = 0, 0
    while n < len(c.items):
        total += c.items[n].cost
        if total > 500:
            break
        n += 1
    else:
        return f"all {total}"
    return f"{n}"


@example(CLAIM)
def continue_in_try(c):
    out = []
    for item in c.items:
        try:
            if item.paid:
                continue
            out.append(item.cost)
        finally:
            out.append(item.kind)
    return out


@example(CLAIM)
def return_in_loop_finally(c):
    seen = []
    try:
        for item in c.items:
            if item.cost < 100:
                return {"kind": item.kind, "seen": seen}
            seen.append(item.kind)
    finally:
        seen.append(c.policy)
    return {"kind": "", "seen": seen}


@example("7", "x")
def nested_try(a, b):
    try:
        try:
            return int(b)
        except ValueError:
            return int(a)
        finally:
            a = a * 2
    except ValueError:
        return -len(a)


@example("7", "0")
def raised_from(a, b):
    try:
        try:
            return str(10 // int(b))
        except ZeroDivisionError as error:
            raise ValueError(a) from error
    except ValueError as error:
        return f"{error} / {type(error.__cause__).__name__}"


@example([1, 2, 3, 4, 5, 6])
def stepped(values):
    return values[1::2] + values[-2:] + values[::-3]


@example("abcdef", 2)
def stepped_text(text, n):
    return text[::n] + text[n:] + text[: n - 5 : -1]


@example([1, 2, 3, 4])
def unpacked_nested(values):
    (a, b), *rest = itertools.zip_longest(*[iter(values)] * 2)
    return {"a": a, "b": b, "rest": rest}


@example([("a", 1), ("b", 2)], "b")
def assoc(pairs, key):
    for k, v in pairs:
        if k == key:
            return v
    return pairs[0][1]


@example({"x": 1, "y": 2}, {"y": 5, "z": 6})
def dict_ops(a, b):
    common = a.keys() & b.keys()
    only = sorted(a.keys() - b.keys())
    return {"common": {k: a[k] + b[k] for k in common}, "only": only, "equal": a == b}


@example({"x": 1, "y": 2})
def dict_items_sorted(d):
    return [k for k, _ in sorted(d.items(), key=lambda kv: (-kv[1], kv[0]))]


@example({"b": "1", "a": "2"})
def dict_first(d):
    key = next(iter(d))
    k, v = d.popitem()
    return [key, k, v, len(d)]


@example(["a", "b", "c"], ["b", "d"])
def set_ops(a, b):
    x, y = set(a), frozenset(b)
    return {"both": sorted(x & y), "left": sorted(x - y), "n": len(x ^ y), "sub": y <= x}


@example(["a", "b", "a"])
def index_of_each(values):
    places = {}
    for n, v in enumerate(values):
        places.setdefault(v, []).append(n)
    return max(places.values(), key=len)


@example(5, 3)
def recursive(a, b):
    def gcd(x, y):
        return x if not y else gcd(y, x % y)

    return gcd(abs(a), abs(b))


@example([3, [1, [2, "x"]], []])
def nested_lists(values):
    def go(v):
        return [x for each in v for x in go(each)] if isinstance(v, list) else [v]

    return go(values)


@example({"a": 1, "b": {"c": [1, {"d": "e"}]}})
def key_paths(d):
    def go(v, at):
        match v:
            case dict():
                for k, x in v.items():
                    yield from go(x, (*at, k))
            case list():
                for n, x in enumerate(v):
                    yield from go(x, (*at, str(n)))
            case _:
                yield ".".join(at)

    return list(go(d, ()))


class Node:
    def __init__(self, value, rest=None):
        self.value, self.rest = value, rest


@example([4, 5, 6])
def linked(values):
    head = None
    for v in values:
        head = Node(v, head)
    out = []
    while head:
        out.append(head.value)
        head = head.rest
    return out


class Trie:
    def __init__(self):
        self.children, self.end = {}, False

    def insert(self, word):
        node = self
        for c in word:
            node = node.children.setdefault(c, Trie())
        node.end = True

    def has(self, word):
        node = self
        for c in word:
            if c not in node.children:
                return False
            node = node.children[c]
        return node.end


@example(["tea", "ten"], "ten")
def trie(words, wanted):
    t = Trie()
    for w in words:
        t.insert(w)
    return t.has(wanted)


class Stack:
    def __init__(self, *items):
        self.items = list(items)

    def push(self, item):
        self.items.append(item)
        return self

    def pop(self):
        return self.items.pop()

    @property
    def top(self):
        return self.items[-1] if self.items else None


@example("3 4 + 2 *")
def postfix(text):
    stack = Stack()
    for token in text.split():
        if token in "+*":
            b, a = stack.pop(), stack.pop()
            stack.push(a + b if token == "+" else a * b)
        else:
            stack.push(int(token))
    return stack.top


@dataclass
class Rule:
    name: str
    check: typing.Callable
    weight: int = 1


RULES = [
    Rule("long", lambda c: len(c.policy) > 4),
    Rule("mail", lambda c: c.person.mail.endswith("example"), 3),
    Rule("cost", lambda c: sum(i.cost for i in c.items) > 150, weight=5),
]


@example(CLAIM)
def ruled(c):
    hits = [r for r in RULES if r.check(c)]
    return {"score": sum(r.weight for r in hits), "names": [r.name for r in hits]}


CHECKS = {
    "id": lambda v: isinstance(v, int) and v > 0,
    "policy": re.compile(r"P-\d+-[A-Z]").fullmatch,
}


@example(CLAIM)
def checked_table(c):
    return [name for name, check in CHECKS.items() if not check(c[name])]


@example(CLAIM)
def formatted_table(c):
    return "\n".join("{:<8}|{:>8.2f}".format(i.kind, i.cost) for i in c.items)


@example(CLAIM)
def joined_sorted(c):
    return ",".join(sorted({i.kind for i in c.items}, reverse=c.flags > 3))


@example(CLAIM)
def hashed_row(c):
    text = json.dumps(c.asDict(True), sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


@example(CLAIM)
def masked_row(c):
    hidden = {"name", "mail"}
    return {k: "*" * len(v) if k in hidden else v for k, v in c.person.asDict().items()}


@example(CLAIM)
def masked_notes(c):
    return {k: re.sub(r"\w", "x", v) if k == "client" else v.title() for k, v in c.notes.items()}


@example(CLAIM)
def birthday(c):
    y, m, d = map(int, c.person.born.split("-"))
    try:
        return date(2023, m, d).isoformat()
    except ValueError:
        return date(2023, m, d - 1).isoformat()


@example(CLAIM)
def first_unpaid(c):
    unpaid = filter(lambda i: not i.paid, c.items)
    item = next(unpaid, None)
    return item and item.kind


@example(CLAIM)
def weighted(c):
    weights = {"glass": 2}
    return sum(map(operator.mul, (i.cost for i in c.items), (weights.get(i.kind, 1) for i in c.items)))


@example(CLAIM)
def minmax(c):
    lo, hi = (f(c.items, key=lambda i: i.cost).kind for f in (min, max))
    return f"{lo}-{hi}"


@example(CLAIM)
def class_in_function(c):
    class Total:
        rate = c.flags

        def __init__(self, items):
            self.value = sum(i.cost for i in items)

        def with_rate(self):
            return self.value * self.rate

    return Total(c.items).with_rate()


@example(CLAIM)
def default_from_argument(c):
    def label(kind, prefix=c.policy, *, end=c.person.name):
        return prefix + kind + end

    return [label("x"), label("y", "z", end="!")]


@example(CLAIM)
def recursion_with_memo(c):
    memo = {}

    def ways(n):
        if n < 2:
            return 1
        if n not in memo:
            memo[n] = ways(n - 1) + ways(n - 2)
        return memo[n]

    return ways(abs(c.id) % 15)


@example(CLAIM)
def paged(c):
    pages = [c.items[i : i + 1] for i in range(0, len(c.items), 1)]
    return [[x.kind for x in page] for page in pages]


@example(CLAIM)
def mapped_methods(c):
    return list(map(str.upper, map(operator.attrgetter("kind"), c.items)))


@example(CLAIM)
def starmapped(c):
    return list(itertools.starmap(lambda kind, cost, paid: kind if paid else cost, c.items))


@example(CLAIM)
def cycled(c):
    colours = itertools.cycle([c.policy, c.person.name])
    return [next(colours) for _ in c.items]


@example(CLAIM)
def grouped_pairs(c):
    rows = sorted(((i.paid, i.kind) for i in c.items))
    return {str(k): [kind for _, kind in g] for k, g in itertools.groupby(rows, operator.itemgetter(0))}


@example(CLAIM)
def repeated(c):
    return list(itertools.islice(itertools.repeat(c.policy), c.flags & 3))


@example(CLAIM)
def pairwise_sum(c):
    costs = [i.cost for i in c.items]
    return [a + b for a, b in zip(costs, costs[1:])]


@example(CLAIM)
def composed(c):
    pipeline = [str.strip, str.lower, lambda s: s.replace("-", "")]
    return functools.reduce(lambda value, f: f(value), pipeline, c.policy)


@example(CLAIM)
def partial_keywords(c):
    join = functools.partial(" ".join)
    pad = functools.partial(format, format_spec="08.2f")
    return join([c.policy, pad(c.items[0].cost)])


@example("12.50", "EUR")
def money(amount, unit):
    whole, _, cents = amount.partition(".")
    return {"minor": int(whole) * 100 + int(cents.ljust(2, "0")[:2]), "unit": unit.upper()}


@example("2024-W10-3")
def week_date(text):
    y, w, d = text.split("-")
    return datetime.strptime(f"{y} {w[1:]} {d}", "%G %V %u").strftime("%d/%m")


@example("10:15", 50)
def plus_minutes(text, n):
    h, m = (int(x) for x in text.split(":"))
    h, m = divmod((h * 60 + m + n) % 1440, 60)
    return f"{h:02}:{m:02}"


@example("abc", 4)
def vigenere(text, n):
    alphabet = string.ascii_lowercase
    return text.translate(str.maketrans(alphabet, alphabet[n:] + alphabet[:n]))


@example("hello world")
def vowels(text):
    counts = dict.fromkeys("aeiou", 0)
    for c in text:
        if c in counts:
            counts[c] += 1
    return [k for k, v in counts.items() if v]


@example("hello")
def reversed_words(text):
    return "".join(reversed(text)) + "".join(sorted(text, key=str.lower))


@example([1, 2, 3])
def moving(values):
    out, window = [], []
    for v in values:
        window = [*window[-1:], v]
        out.append(sum(window) / len(window))
    return out


@example([5, 3, 8], 4)
def partition_in_place(values, pivot):
    i = 0
    for j in range(len(values)):
        if values[j] < pivot:
            values[i], values[j] = values[j], values[i]
            i += 1
    return {"values": values, "i": i}


@example([5, 3, 8])
def bubble(values):
    n = len(values)
    for i in range(n):
        for j in range(n - i - 1):
            if values[j] > values[j + 1]:
                values[j], values[j + 1] = values[j + 1], values[j]
    return values


@example([5, 3, 8])
def quick(values):
    if len(values) < 2:
        return values
    head, *rest = values
    return quick([v for v in rest if v < head]) + [head] + quick([v for v in rest if v >= head])


@example([[0, 1], [2, 0]])
def grid(rows):
    for y, row in enumerate(rows):
        for x, cell in enumerate(row):
            if cell == 0:
                return {"y": y, "x": x}
    return None


@example([[1, 2], [3, 4]])
def grid_changed(rows):
    out = [row[:] for row in rows]
    out[0][1] = rows[1][0]
    return out


@example({"a": ["b", "c"], "b": ["c"], "c": []}, "a")
def reachable(graph, start):
    seen, todo = set(), [start]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        todo += graph.get(node, [])
    return sorted(seen)


@example({"a": ["b"], "b": [], "c": ["a"]})
def toposort(graph):
    out, done = [], set()

    def visit(node):
        if node in done:
            return
        done.add(node)
        for n in graph[node]:
            visit(n)
        out.append(node)

    for node in graph:
        visit(node)
    return out


@example(["a>b", "b>c"], "a")
def followed(edges, start):
    step = dict(e.split(">") for e in edges)
    path = [start]
    while (n := step.get(path[-1])) and n not in path:
        path.append(n)
    return path


@example("a=1&b=2&a=3")
def query(text):
    out = collections.defaultdict(list)
    for part in text.split("&"):
        k, _, v = part.partition("=")
        out[k].append(v)
    return {k: v if len(v) > 1 else v[0] for k, v in out.items()}


@example(["x", "y", "x"], 1)
def counter_default(names, least):
    counts = collections.defaultdict(int)
    for n in names:
        counts[n] += 1
    return [n for n in counts if counts[n] > least]


@example(["x", "y", "x"])
def first_repeat(names):
    seen = collections.Counter()
    for n in names:
        if seen[n]:
            return n
        seen[n] += 1
    return None


@example([3, 1, 2])
def named_rows(values):
    P = collections.namedtuple("P", "place value")
    rows = [P(n, v) for n, v in enumerate(values)]
    best = max(rows, key=lambda r: r.value)
    return best._replace(value=-1)


@example("b", 2)
def enum_table(code, n):
    class Kind(enum.Enum):
        A = ("a", 1)
        B = ("b", 10)

        def __init__(self, code, factor):
            self.code = code
            self.factor = factor

    return next((k.factor * n for k in Kind if k.code == code), 0)


@example(5)
def try_as_test(n):
    numbers = iter(range(3))
    out = []
    while True:
        try:
            out.append(next(numbers) + n)
        except StopIteration:
            return out


@example(["a", "", "b"])
def blank_split(lines):
    block, blocks = [], []
    for line in lines + [""]:
        if line:
            block.append(line)
        elif block:
            blocks.append(" ".join(block))
            block = []
    return blocks


@example("k", "v", 2)
def kwargs_built(k, v, n):
    def show(**given):
        return [f"{a}={b}" for a, b in given.items()]

    return show(**{k: v, "n": n})


@example("a", "b")
def star_passed(a, b):
    def show(first, *rest, sep=","):
        return first + sep + sep.join(rest)

    args = [a, b]
    args.append(a)
    return show(*args, sep="/")


@example([1, 2], 3)
def global_constant(values, n):
    limit = DEFAULTS["limit"]
    return [min(v * n, limit) for v in values]


@example("abc", 3)
def ternaries(a, n):
    return "long" if n > 5 else a if n > 2 else None if not a else n


@example(1, 2, 3)
def bools(a, b, c):
    return {"x": a and b or c, "y": not a == b, "z": (a > 0) + (b > 0) + (c > 0)}


@example("a", "b", "c")
def condition_of_condition(a, b, c):
    flag = a == "a"
    other = not flag if b == "b" else flag
    if other:
        return c
    return "none"


@example("x", 0)
def none_or_zero(a, n):
    out = None
    if n is not None and n >= 0:
        out = n
    return out if out else a


@example(["a", "b"], 1)
def deleted_item(values, n):
    del values[n % len(values)]
    values.append("z")
    return values


@example(["a", "b", "c"], 1)
def deleted_slice(values, n):
    del values[n:]
    return values


@example({"a": "x", "b": "y"}, "a")
def deleted_key(d, k):
    d.pop(k, None)
    return sorted(d)
