"""Parsers, machines, schedules, graphs, ledgers and layouts with all that the language has."""

import array
import base64
import copy
import csv
import difflib
import hashlib
import io
import itertools
import json
import operator
import re
import struct
import unicodedata
import weakref
import zlib
from collections import Counter, UserDict, defaultdict, deque
from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partialmethod, reduce, total_ordering

from functions.examples import example
from pyspark.sql import Row

FRAME = bytearray(b"\x01\x00\x10\x00\x00\x2a\xff")
DEVICE = {
    "id": "d-9",
    "temp": 21.5,
    "hum": 40,
    "state": "idle",
    "events": ["start", "fail", "reset"],
    "fw": "1.10.2",
}
GRAPH = {"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}
EDGES = [("a", "b", 4), ("a", "c", 1), ("c", "b", 2)]
TASK = Row(name="build", cost=3, needs=["fetch", "plan"], owner=Row(mail="o@x.example", zone="utc+2"))
PAIR = Row(left=Row(a=1, b="x"), right=Row(a=5, b="y"))
BOOK = Row(
    title="The Long Way", text="one two two three", tags={"lang": "en", "year": "1999"}, pages=[3, 9, 12]
)
LEDGER = [
    {"acct": "cash", "amount": 50, "side": "D"},
    {"acct": "sales", "amount": 50, "side": "C"},
    {"acct": "cash", "amount": 20, "side": "C"},
]
SHEET = "id,name,city\n1,Ann,Rome\n2,Bob,Oslo\n"


@example(SHEET)
def csv_cities(text):
    return [r["city"] for r in csv.DictReader(io.StringIO(text))]


@example(BOOK, TASK)
def csv_written(book, task):
    out = io.StringIO()
    w = csv.writer(out, lineterminator="\n")
    w.writerow([book.title, task.cost])
    return out.getvalue()


@example(BOOK, TASK)
def csv_dict_written(book, task):
    out = io.StringIO()
    w = csv.DictWriter(out, ["t", "c"], extrasaction="ignore")
    w.writeheader()
    w.writerow({"t": book.title, "c": task.cost, "z": task.name})
    return out.getvalue().splitlines()[-1]


@example(BOOK)
def printed(book):
    out = io.StringIO()
    print(book.title, len(book.pages), sep="|", end="", file=out)
    return out.getvalue()


@example(DEVICE)
def version_tuple(d):
    return tuple(map(int, d["fw"].split(".")))


@example(DEVICE)
def newer(d):
    return tuple(int(x) for x in d["fw"].split(".")) >= (1, 9)


@example(DEVICE)
def packed(d):
    return struct.pack(">hB", int(d["temp"] * 10) % 1000, d["hum"] % 255).hex()


@example("0001002a7f")
def unpacked(text):
    raw = bytes.fromhex(text)
    kind, value = struct.unpack_from(">HH", raw)
    return {"kind": kind, "value": value, "check": raw[-1] ^ 0xFF}


@example(DEVICE)
def machine(d):
    table = {("idle", "start"): "run", ("run", "fail"): "down", ("down", "reset"): "idle"}
    return reduce(lambda s, e: table.get((s, e), s), d["events"], d["state"])


@example(DEVICE)
def machine_by_method(d):
    class M:
        state = "idle"

        def on_start(self):
            self.state = "run"

        def on_fail(self):
            self.state = "down"

        def default(self):
            pass

    m = M()
    for e in d["events"]:
        getattr(m, f"on_{e}", m.default)()
    return m.state


@example(DEVICE)
def machine_of_functions(d):
    def idle(e):
        return running if e == "start" else idle

    def running(e):
        return idle if e in ("fail", "stop") else running

    now = idle
    for e in d["events"]:
        now = now(e)
    return now.__name__


@example(DEVICE)
def crc(d):
    return zlib.crc32(d["id"].encode()) & 0xFFFFFFFF


@example(DEVICE)
def digest(d):
    h = hashlib.sha256()
    for part in (d["id"], d["fw"]):
        h.update(part.encode())
    return h.hexdigest()[:8]


@example(DEVICE)
def deflated(d):
    return base64.b64encode(zlib.compress(d["state"].encode())).decode()


@example(DEVICE)
def bits(d):
    v = int(d["hum"]) & 0xFF
    n = 0
    while v:
        v &= v - 1
        n += 1
    return n


@example(DEVICE)
def typed_array(d):
    a = array.array("d", [0.0] * 3)
    a[1] = float(d["temp"])
    a.append(d["hum"])
    return list(a)


@example(DEVICE)
def through_view(d):
    buf = bytearray(4)
    view = memoryview(buf)
    view[1:3] = d["id"].encode()[:2].ljust(2)
    return buf.hex()


@example(DEVICE)
def bytes_io(d):
    out = io.BytesIO()
    out.write(d["id"].encode())
    out.seek(0)
    return out.read(1).decode() + d["state"]


@example(DEVICE)
def deep_copied(d):
    other = copy.deepcopy(d)
    other["events"].append(other["id"])
    return len(d["events"]), other["events"][-1]


@example(DEVICE)
def shallow_copied(d):
    other = copy.copy(d)
    other["events"].append(other["id"])
    return d["events"][-1]


@example(DEVICE)
def aliased(d):
    a = b = d["events"]
    b += [d["state"]]
    a[0] = d["fw"]
    return d["events"]


@example(DEVICE)
def list_times(d):
    grid = [[0] * 2] * 2
    grid[0][1] = d["hum"]
    return grid[1]


@example(DEVICE)
def grid_apart(d):
    grid = [[0] * 2 for _ in range(2)]
    grid[0][1] = d["hum"]
    return grid[1] + [d["temp"]]


@example(DEVICE)
def weak(d):
    class Node:
        pass

    n = Node()
    n.value = d["id"]
    ref = weakref.ref(n)
    return ref().value


@example(DEVICE)
def weak_cache(d):
    class Node:
        def __init__(self, v):
            self.v = v

    cache = weakref.WeakValueDictionary()
    node = Node(d["fw"])
    cache["k"] = node
    return cache["k"].v


@example(GRAPH)
def reachable(graph):
    seen, todo = set(), deque(["a"])
    while todo:
        node = todo.popleft()
        if node in seen:
            continue
        seen.add(node)
        todo.extend(graph.get(node, ()))
    return sorted(seen)


@example(GRAPH)
def topological(graph):
    order, state = [], {}

    def visit(n):
        if state.get(n):
            return
        state[n] = 1
        for m in graph.get(n, []):
            visit(m)
        order.append(n)

    for n in graph:
        visit(n)
    return order[::-1]


@example(GRAPH)
def degree(graph):
    d = Counter(itertools.chain.from_iterable(graph.values()))
    return d.get("d", 0)


@example(EDGES)
def shortest(edges):
    best = {"a": 0}
    for _ in range(3):
        for u, v, w in edges:
            if u in best and best[u] + w < best.get(v, 1 << 30):
                best[v] = best[u] + w
    return best.get("b")


@example(EDGES)
def components(edges):
    parent = {}

    def find(x):
        parent.setdefault(x, x)
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for u, v, _ in edges:
        parent[find(u)] = find(v)
    return len({find(x) for x in list(parent)})


@example(EDGES)
def adjacency(edges):
    g = defaultdict(dict)
    for u, v, w in edges:
        g[u][v] = w
    return g["a"].get("c")


@example(EDGES)
def unpack_nested(edges):
    (a, _, w), *others = edges
    return a, w, len(others)


@example(TASK)
def zone_offset(t):
    sign, hours = (
        re.fullmatch(r"utc([+-])(\d+)", t.owner.zone).groups() if "utc" in t.owner.zone else ("+", "0")
    )
    return int(sign + hours) * 60


@example(TASK)
def needs_text(t):
    return ", ".join(t.needs[:-1]) + (" and " if len(t.needs) > 1 else "") + t.needs[-1]


@example(TASK)
def membership(t):
    return "plan" in t.needs and t.name


@example(TASK)
def row_contains(t):
    return "cost" in t, t["cost"]


@example(TASK)
def row_index(t):
    return t.needs.index("plan") + t[1]


@example(TASK)
def sorted_in_place(t):
    needs = list(t.needs)
    needs.sort(key=len)
    needs.insert(0, t.name)
    needs.reverse()
    return needs[0]


@example(TASK)
def conditional_call(t):
    return (str.upper if t.cost > 2 else str.lower)(t.name)


@example(TASK)
def dispatch(t):
    ops = {"build": operator.add, "test": operator.sub}
    return ops.get(t.name, operator.mul)(t.cost, 2)


@example(TASK)
def method_caller(t):
    return operator.methodcaller("replace", "u", t.owner.mail)(t.name)


@example(TASK)
def reraised(t):
    try:
        try:
            if t.cost > 1:
                raise ValueError(t.name)
            return t.owner.mail
        except ValueError as e:
            raise RuntimeError("bad") from e
    except RuntimeError as e:
        return e.__cause__.args[0]


class Stop(Exception):
    def __init__(self, value):
        super().__init__(value)
        self.value = value


@example(TASK)
def raised_value(t):
    def walk(n):
        if n <= 0:
            raise Stop(t.owner.zone)
        walk(n - 1)

    try:
        walk(3)
    except Stop as s:
        return s.value


@example(TASK)
def error_text(t):
    try:
        return str(int(t.name) + t.cost)
    except ValueError as e:
        return str(e)


@example(TASK)
def key_error(t):
    try:
        return {"fetch": 1}[t.needs[0]]
    except KeyError as e:
        return e.args[0]


@example(TASK)
def generator_return(t):
    def gen():
        yield t.cost
        return t.name

    def outer():
        result = yield from gen()
        yield result

    return list(outer())


@example(TASK)
def generator_closed(t):
    log = []

    def gen():
        try:
            yield t.cost
            yield t.name
        finally:
            log.append(t.owner.mail)

    with closing(gen()) as g:
        next(g)
    return log


@example(TASK)
def generator_thrown(t):
    def gen():
        try:
            yield 1
        except ValueError:
            yield t.name

    g = gen()
    next(g)
    return g.throw(ValueError("x"))


@example(TASK)
def exit_stack(t):
    out = []
    with ExitStack() as stack:
        stack.callback(out.append, t.name)
        stack.callback(out.append, t.cost)
    return out


class Scope:
    def __init__(self, out):
        self.out = out

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if error is not None:
            self.out.append(str(error))
        return True


@example(TASK)
def swallowed(t):
    out = []
    with Scope(out):
        if t.cost > 2:
            raise ValueError(t.owner.mail)
        out.append(t.name)
    return out


class Positive:
    def __set_name__(self, owner, name):
        self.slot = "_" + name

    def __get__(self, obj, kind=None):
        return self if obj is None else getattr(obj, self.slot)

    def __set__(self, obj, value):
        setattr(obj, self.slot, abs(value))


class Rect:
    w = Positive()
    h = Positive()

    def __init__(self, w, h):
        self.w, self.h = w, h

    area = property(lambda self: self.w * self.h)


@example(PAIR)
def described(p):
    r = Rect(p.left.a, 2)
    return r.area


@example(PAIR)
def described_changed(p):
    r = Rect(p.left.a, 2)
    r.h = p.right.a
    return {"w": r.w, "h": r.h}


class Registry(type):
    known = {}

    def __new__(mcs, name, bases, space):
        cls = super().__new__(mcs, name, bases, space)
        mcs.known[name.lower()] = cls
        return cls


class X(metaclass=Registry):
    def run(self, p):
        return p.left.a


class Y(X):
    def run(self, p):
        return super().run(p) + p.right.a


@example(PAIR)
def registered(p):
    return Registry.known.get(p.right.b, X)().run(p)


@example(PAIR)
def inherited(p):
    return Y().run(p)


class Plugin:
    names = []

    def __init_subclass__(cls, **kw):
        Plugin.names.append(cls.__name__)


class P1(Plugin):
    pass


@example(PAIR)
def subclass_names(p):
    return f"{Plugin.names[0]}:{p.left.b}"


@total_ordering
class Version:
    def __init__(self, n, s):
        self.n, self.s = n, s

    def __eq__(self, o):
        return (self.n, self.s) == (o.n, o.s)

    def __lt__(self, o):
        return (self.n, self.s) < (o.n, o.s)

    def __hash__(self):
        return hash(self.s)


@example(PAIR)
def ordered(p):
    return max(Version(*p.left), Version(*p.right)).s


@example(PAIR)
def less(p):
    return Version(p.left.a, "") >= Version(p.right.a, "")


@example(PAIR)
def hashed_in_set(p):
    return len({Version(p.left.a, p.left.b), Version(p.left.a, p.right.b)})


class Vec:
    def __init__(self, *xs):
        self.xs = xs

    def __mul__(self, o):
        if isinstance(o, Vec):
            return sum(a * b for a, b in zip(self.xs, o.xs))
        return Vec(*(x * o for x in self.xs))

    def __rmul__(self, o):
        return self * o

    def __neg__(self):
        return Vec(*map(operator.neg, self.xs))

    def __getattr__(self, name):
        return self.xs["xy".index(name)]

    def __call__(self, i):
        return self.xs[i]

    def __format__(self, spec):
        return "/".join(format(x, spec) for x in self.xs)


@example(PAIR)
def dot(p):
    return Vec(p.left.a, 2) * Vec(3, p.right.a)


@example(PAIR)
def scaled(p):
    return (2 * Vec(p.left.a, p.right.a)).y


@example(PAIR)
def called(p):
    return (-Vec(p.left.a, p.right.a))(0)


@example(PAIR)
def formatted(p):
    return f"{Vec(p.left.a, p.right.a):>3}"


class Lazy(Mapping):
    def __init__(self, row):
        self.row = row

    def __getitem__(self, k):
        return self.row[k]

    def __iter__(self):
        return iter(("a", "b"))

    def __len__(self):
        return 2


@example(PAIR)
def lazy_mapping(p):
    return dict(Lazy(p.left))


@example(PAIR)
def lazy_get(p):
    return Lazy(p.left).get("a"), list(Lazy(p.right).values())


class Lower(UserDict):
    def __setitem__(self, k, v):
        super().__setitem__(k.lower(), v)

    def __missing__(self, k):
        return self.data.get("b", "none")


@example(PAIR)
def lower_dict(p):
    d = Lower()
    d["B"] = p.left.b
    d["A"] = p.right.a
    return d["zz"], d["a"]


class Default(dict):
    def __missing__(self, key):
        value = self[key] = key * 2
        return value


@example(PAIR)
def missing_key(p):
    d = Default(x="q")
    return d[p.left.b], d[p.right.b], len(d)


@example(PAIR)
def strange_factory(p):
    it = iter([p.left.a, p.right.a])
    d = defaultdict(lambda: next(it))
    d["one"], d["two"]
    return d["two"]


@example(PAIR)
def factory_of_factories(p):
    tree = lambda: defaultdict(tree)  # noqa: E731 - a name for a lambda that calls itself
    t = tree()
    t["x"]["y"] = p.left.b
    t["x"]["z"] = p.right.b
    return t["x"]["y"]


class Shape:
    def area(self):
        raise NotImplementedError

    def text(self):
        return f"{type(self).__name__} {self.area()}"


class Sq(Shape):
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s**2


class Named(Sq):
    def __init__(self, s, name):
        super().__init__(s)
        self.name = name

    def text(self):
        return self.name + super().text()


@example(PAIR)
def template_method(p):
    return [s.text() for s in (Sq(p.left.a), Named(p.right.a, p.right.b))][0]


class Button:
    def __init__(self):
        self.state = None

    def set(self, value):
        self.state = value
        return self

    on = partialmethod(set, "on")


@example(PAIR)
def partial_method(p):
    return Button().set(p.left.b).on().state, p.right.a


@example(PAIR)
def fluent(p):
    return Button().set(p.left.b).set(p.right.b).state


class Kind(Enum):
    A = auto()
    B = auto()

    @staticmethod
    def of(text):
        return Kind.A if text == "x" else Kind.B


@example(PAIR)
def enum_name(p):
    return Kind.of(p.left.b).name, Kind["A" if p.right.a > 3 else "B"].value


@dataclass(order=True)
class Job:
    priority: int
    name: str = field(compare=False)


@example(PAIR)
def job_order(p):
    return min(Job(p.left.a, p.left.b), Job(p.right.a, p.right.b)).name


@example(PAIR)
def job_equal(p):
    return Job(p.left.a, p.left.b) == Job(p.right.a, p.right.b)


@dataclass(frozen=True, slots=True)
class Span:
    lo: int
    hi: int

    def __and__(self, o):
        return Span(max(self.lo, o.lo), min(self.hi, o.hi))

    def __contains__(self, x):
        return self.lo <= x <= self.hi


@example(PAIR)
def spans(p):
    s = Span(0, p.left.a) & Span(p.right.a, 9)
    return (s.lo, s.hi, 4 in s)


@example(PAIR)
def matched_class(p):
    match Span(p.left.a, p.right.a):
        case Span(lo=0):
            return "zero"
        case Span(lo, hi) if hi > lo:
            return hi
        case _:
            return p.left.b


@example(LEDGER)
def matched_sequence(rows):
    match rows:
        case [{"acct": "cash", "amount": n}, *rest]:
            return n + len(rest)
        case [first]:
            return first["side"]
        case _:
            return 0


@example(LEDGER)
def balance(rows):
    total = 0
    for row in rows:
        match row:
            case {"side": "D", "amount": a}:
                total += a
            case {"side": "C", "amount": a}:
                total -= a
    return total


@example(LEDGER)
def signed(rows):
    return [r["amount"] if r["side"] == "D" else -r["amount"] for r in rows]


@example(LEDGER)
def accounts(rows):
    books = {}
    for r in rows:
        books.setdefault(r["acct"], Counter())[r["side"]] += r["amount"]
    return {k: dict(v) for k, v in books.items()}


@example(LEDGER)
def trial(rows):
    sides = dict.fromkeys("DC", 0)
    for r in rows:
        sides[r["side"]] = sides.get(r["side"], 0) + r["amount"]
    return sides["D"] - sides["C"]


@example(LEDGER)
def keyed_min(rows):
    return min(rows, key=lambda r: (r["side"], r["amount"]))["acct"]


@example(LEDGER)
def enumerated(rows):
    return {i: r["acct"] for i, r in enumerate(rows)}[1]


@example(LEDGER)
def removed(rows):
    rows.remove(rows[1])
    return [r["acct"] for r in rows]


@example(LEDGER)
def removed_while(rows):
    out = list(rows)
    for r in rows:
        if r["side"] == "C":
            out.remove(r)
    return len(out)


@example(LEDGER)
def bubble(rows):
    xs = [r["amount"] for r in rows]
    for i in range(len(xs)):
        for j in range(len(xs) - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


@example(LEDGER)
def quick(rows):
    def sort(xs):
        if len(xs) < 2:
            return xs
        p, *rest = xs
        return sort([x for x in rest if x < p]) + [p] + sort([x for x in rest if x >= p])

    return sort([r["amount"] for r in rows])


@example(LEDGER)
def two_pointers(rows):
    xs = sorted(r["amount"] for r in rows)
    i, j = 0, len(xs) - 1
    while i < j:
        if xs[i] + xs[j] == 70:
            return True
        i, j = (i + 1, j) if xs[i] + xs[j] < 70 else (i, j - 1)
    return False


@example(LEDGER)
def bound_append(rows):
    out = []
    add = out.append
    for r in rows:
        add(r["acct"])
    return out


@example(LEDGER)
def extend_by_map(rows):
    out = []
    any(map(out.append, (r["side"] for r in rows)))
    return out


@example(LEDGER)
def drained(rows):
    out = deque()
    deque(map(out.appendleft, [r["acct"] for r in rows]), maxlen=0)
    return list(out)


@example(LEDGER)
def setitem(rows):
    d = {}
    for r in rows:
        operator.setitem(d, r["acct"], r["side"])
    return d


@example(LEDGER)
def iadd_function(rows):
    xs = []
    ys = operator.iadd(xs, [rows[0]["amount"]])
    ys.append(rows[1]["acct"])
    return xs


@example(LEDGER)
def unbound_methods(rows):
    xs = []
    list.append(xs, rows[0]["acct"])
    dict.update(rows[1], rows[2])
    return xs, rows[1]["amount"]


@example(LEDGER)
def sentinel_iter(rows):
    stack = [r["acct"] for r in rows]
    return list(iter(stack.pop, "sales"))


@example(LEDGER)
def takewhile(rows):
    return [r["amount"] for r in itertools.takewhile(lambda r: r["side"] == "D", rows)]


@example(LEDGER)
def compressed(rows):
    return list(itertools.compress((r["acct"] for r in rows), (r["amount"] > 30 for r in rows)))


@example(LEDGER)
def zip_longest(rows):
    return list(itertools.zip_longest((r["acct"] for r in rows), "ab", fillvalue=rows[0]["side"]))


@example(LEDGER)
def product(rows):
    return [a + b for a, b in itertools.product((rows[0]["acct"], rows[1]["acct"]), "xy")]


@example(LEDGER)
def pair_sums(rows):
    return max(a["amount"] + b["amount"] for a, b in itertools.combinations(rows, 2))


@example(LEDGER)
def cycled(rows):
    names = itertools.cycle([rows[0]["acct"], rows[1]["side"]])
    return [next(names) for _ in range(3)][2]


@example(LEDGER)
def counted_by(rows):
    ids = itertools.count(rows[0]["amount"], 10)
    return {r["acct"]: next(ids) for r in rows}


@example(BOOK)
def normalised(book):
    text = unicodedata.normalize("NFKD", book.title)
    return "".join(c for c in text if not unicodedata.combining(c)).casefold()


@example(BOOK)
def slug(book):
    return re.sub(r"[^a-z0-9]+", "-", book.title.lower()).strip("-")


@example(BOOK)
def word_counts(book):
    return {w: n for w, n in Counter(book.text.split()).items() if n > 1}


@example(BOOK)
def tf(book):
    words = book.text.split()
    return {w: words.count(w) / len(words) for w in dict.fromkeys(words)}


@example(BOOK)
def close_words(book):
    return difflib.get_close_matches("too", book.text.split(), n=1, cutoff=0.3)


@example(BOOK)
def ratio(book):
    return difflib.SequenceMatcher(None, book.title, book.text).ratio()


@example(BOOK)
def acronym(book):
    return "".join(w[0] for w in book.title.split() if w[0].isupper())


@example(BOOK)
def wrapped(book):
    line, lines = "", []
    for w in book.text.split():
        if len(line) + len(w) > 7:
            lines.append(line)
            line = w
        else:
            line = f"{line} {w}" if line else w
    lines.append(line)
    return lines


@example(BOOK)
def justified(book):
    return [book.title[:3].center(9, "*"), book.text.zfill(20), str(book.pages[0]).rjust(4)]


@example(BOOK)
def tag_copy(book):
    tags = {**book.tags}
    tags["lang"] = tags["lang"].upper()
    return tags


@example(BOOK)
def tag_merge(book):
    tags = {"lang": "??", "kind": "book"} | book.tags
    return tags["kind"], tags["lang"]


@example(BOOK)
def page_gaps(book):
    return [b - a for a, b in zip([0, *book.pages], book.pages)]


@example(BOOK)
def page_slice(book):
    s = slice(1, None)
    return book.pages[s] + book.pages[:1]


@example(BOOK)
def search_page(book):
    lo, hi = 0, len(book.pages)
    while lo < hi:
        mid = (lo + hi) // 2
        if book.pages[mid] < 9:
            lo = mid + 1
        else:
            hi = mid
    return lo


@example(BOOK)
def callback_state(book):
    n = 0

    def number(m):
        nonlocal n
        n += 1
        return f"{m[0]}{n}"

    return re.sub(r"two", number, book.text), n


@example(BOOK)
def callback_collects(book):
    found = []
    re.sub(r"\w+", lambda m: found.append(m.group()) or "", book.text)
    return found


@example(BOOK)
def glossary(book):
    table = dict(zip(book.text.split(), book.pages))
    return re.sub(r"\w+", lambda m: str(table.get(m.group(), m.group())), book.title)


@example(BOOK)
def tokens(book):
    spec = re.compile(r"(?P<num>\d+)|(?P<word>[a-z]+)|(?P<skip>\s)")
    return [(m.lastgroup, m.group()) for m in spec.finditer(book.text) if m.lastgroup != "skip"]


@example("2 + 3 * ( 4 - 1 )")
def calculator(text):
    toks = deque(text.split())

    def expr():
        v = term()
        while toks and toks[0] in "+-":
            v = v + term() if toks.popleft() == "+" else v - term()
        return v

    def term():
        v = atom()
        while toks and toks[0] == "*":
            toks.popleft()
            v *= atom()
        return v

    def atom():
        t = toks.popleft()
        if t == "(":
            v = expr()
            toks.popleft()
            return v
        return int(t)

    return expr()


@example("3 4 + 2 *")
def rpn(text):
    stack = []
    for t in text.split():
        if t.isdigit():
            stack.append(int(t))
        else:
            b, a = stack.pop(), stack.pop()
            stack.append({"+": operator.add, "*": operator.mul, "-": operator.sub}[t](a, b))
    return stack[-1]


@example("key = 5 ; name=x", "name")
def setting(text, wanted):
    pairs = (p.split("=", 1) for p in text.split(";") if "=" in p)
    return {k.strip(): v.strip() for k, v in pairs}.get(wanted)


@example('{"a": {"b": [1, 2]}, "c": "d"}')
def json_parts(text):
    doc = json.loads(text)
    return doc["a"]["b"][0], doc.get("c", "")


@example('{"a": 1, "b": 2}')
def json_hook(text):
    seen = []
    json.loads(text, object_hook=lambda d: seen.append(sorted(d)) or d)
    return seen


@example(PAIR)
def json_default(p):
    class Odd:
        pass

    return json.dumps({"v": Odd(), "w": p.left.a}, default=lambda o: p.right.b)


@example("MMXXIV")
def roman(text):
    values = dict(zip("IVXLCDM", (1, 5, 10, 50, 100, 500, 1000)))
    total = 0
    for c, n in zip(text, text[1:] + " "):
        v = values[c]
        total += -v if v < values.get(n, 0) else v
    return total


@example("DE89370400440532013000")
def iban_ok(text):
    moved = text[4:] + text[:4]
    return int("".join(str(int(c, 36)) for c in moved)) % 97 == 1


@example("4539 1488 0343 6467")
def luhn(text):
    digits = [int(c) for c in text if c.isdigit()]
    odd, even = digits[-1::-2], digits[-2::-2]
    return (sum(odd) + sum(sum(divmod(2 * d, 10)) for d in even)) % 10 == 0


@example("5 kg", {"kg": 1000, "g": 1})
def grams(text, units):
    number, unit = text.split()
    return float(number) * units.get(unit, 1)


@example("1h30m")
def seconds(text):
    units = {"h": 3600, "m": 60, "s": 1}
    return sum(int(n) * units[u] for n, u in re.findall(r"(\d+)([hms])", text))


@example("hello", 3)
def caesar(text, key):
    return "".join(chr((ord(c) - 97 + key) % 26 + 97) if c.islower() else c for c in text)


@example("aab", "ba")
def anagram(a, b):
    return sorted(a) == sorted(b) or Counter(a) - Counter(b)


@example([3, 1, 2], 2)
def rotate(xs, n):
    d = deque(xs)
    d.rotate(n)
    return list(d)


@example([3, 1, 2, 9])
def extremes(xs):
    lo = hi = xs[0]
    for x in xs[1:]:
        lo, hi = (x, hi) if x < lo else (lo, x) if x > hi else (lo, hi)
    return lo, hi


@example([[1, 2], [3, 4]])
def transposed(m):
    return [list(c) for c in zip(*m)]


@example([[1, 2], [3, 4]])
def determinant(m):
    (a, b), (c, d) = m
    return a * d - b * c


@example([1, [2, [3, 4]], 5])
def flattened(xs):
    out, stack = [], [xs]
    while stack:
        x = stack.pop()
        if isinstance(x, list):
            stack.extend(reversed(x))
        else:
            out.append(x)
    return out


@example({"a": {"b": 1, "c": {"d": 2}}, "e": 3})
def dotted(d):
    def go(node, prefix=""):
        for k, v in node.items():
            if isinstance(v, dict):
                yield from go(v, f"{prefix}{k}.")
            else:
                yield prefix + k, v

    return dict(go(d))


@example({"a": {"b": 1, "c": 4}, "e": 3}, "a.b")
def at_path(d, path):
    return reduce(lambda n, k: n.get(k, {}) if isinstance(n, dict) else {}, path.split("."), d)


@example({"a": 1, "b": 2})
def attribute_dict(d):
    class Attr(dict):
        __getattr__ = dict.__getitem__

    return Attr(d).a


@example({"a": 1, "b": 2})
def vars_updated(d):
    class Box:
        pass

    box = Box()
    box.__dict__.update(d)
    return box.b


@example({"a": 1, "b": 2})
def inserted_first(d):
    for k in list(d):
        d[k.upper()] = d.pop(k)
    return d


@example({"a": 1, "b": 2})
def swapped(d):
    return {v: k for k, v in d.items()}


@example({"a": 1, "b": 2}, {"b": 3, "c": 4})
def diffed(old, new):
    return {
        "added": sorted(new.keys() - old.keys()),
        "changed": [k for k in old.keys() & new.keys() if old[k] != new[k]],
    }


@example({"a": 1, "b": 2}, {"b": 3})
def deep_merge(a, b):
    def merge(x, y):
        for k, v in y.items():
            if isinstance(v, dict) and isinstance(x.get(k), dict):
                merge(x[k], v)
            else:
                x[k] = v
        return x

    return merge(a, b)


@example(PAIR)
def locals_read(p):
    a, b = p.left.a, p.right.b
    return sum(1 for v in (a, b) if v) + a


@example(PAIR)
def tuple_compare(p):
    return (p.left.a, p.left.b) < (p.right.a, p.right.b)


@example(PAIR)
def identity_compare(p):
    left = p.left
    return left is p.left, p.right.a is None


@example(PAIR)
def type_name(p):
    return type(p.left.a).__name__ + str(isinstance(p.right.b, str))


@example(PAIR)
def boolean_values(p):
    return p.left.a and p.right.a or p.left.b


@example(PAIR)
def walrus_in_comprehension(p):
    [last := x for x in (p.left.a, p.right.a)]
    return last


@example(PAIR)
def unpacked_dicts(p):
    return {**p.left.asDict(), **{"b": p.right.b}}


@example(PAIR)
def row_rebuilt(p):
    R = Row("x", "y")
    return R(p.left.a, p.right.b)


@example(PAIR)
def del_name(p):
    x = p.left.a
    y = x
    del x
    try:
        return x  # noqa: F821 - that it is gone is what is tried
    except UnboundLocalError:
        return y + p.right.a


_CACHE = {}


@example(PAIR)
def module_cache(p):
    key = p.left.b
    if key not in _CACHE:
        _CACHE[key] = len(key)
    return _CACHE[key]


_COUNT = 0


@example(PAIR)
def global_count(p):
    global _COUNT
    _COUNT = p.left.a
    return _bump() + 1


def _bump():
    return _COUNT * 2
