"""Odd uses of iterators, containers, enumerations and contexts, in which what decides is easily overlooked."""

import contextlib
from collections import ChainMap, deque
from dataclasses import asdict, astuple, dataclass, field, replace
from enum import Enum, IntEnum
from itertools import accumulate, chain, dropwhile, filterfalse, groupby, takewhile
from operator import attrgetter, itemgetter

from functions.examples import example
from pyspark.sql import Row

LINES = [
    Row(sku="red", amount=2, note="n1"),
    Row(sku="red", amount=1, note="n2"),
    Row(sku="blue", amount=5, note="n3"),
]
SIDE = Row(person=Row(name="Ada", town="Bern"), rank=3)


class Level(Enum):
    LOW = 1
    HIGH = 2


class Size(IntEnum):
    S = 1
    M = 2


@dataclass
class Log:
    texts: list = field(default_factory=list)
    counts: dict = field(default_factory=dict)
    seen: set = field(default_factory=set)
    first: str = "none"


@dataclass
class Pair:
    left: str
    right: str = "none"


@dataclass
class Upper:
    left: str
    right: str = ""

    def __post_init__(self):
        self.right = self.left.upper()


@example("x", "y")
def fields_one_by_one(a, b):
    pair = asdict(Pair(a, b))
    return {"l": pair["left"], "r": pair["right"]}


@example("x", "y")
def fields_in_order(a, b):
    pair = Pair(right=a, left=b)
    return astuple(pair)[0]


@example("x", "y")
def fields_set_later(a, b):
    pair = Pair(a)
    if b == "y":
        pair.left = "z"
    return asdict(pair)


@example("x", "y")
def replaced_and_kept(a, b):
    one = Pair(a)
    other = replace(one, left=b)
    return [one.left, other.left, other.right]


@example("x", "y")
def replaced_and_made_again(a, b):
    return replace(Upper(a), left=b).right


@example("x", "y")
def nested_fields(a, b):
    inner = Pair(a)
    outer = asdict(Pair(inner, b))
    inner.left = b
    return outer["left"]["left"]


@example(LINES)
def runs_by_amount(lines):
    return [[x.note for x in run] for _, run in groupby(lines, key=lambda x: x.amount > 1)]


@example(LINES)
def keys_of_runs(lines):
    return [key for key, _ in groupby(lines, attrgetter("sku"))]


@example(LINES)
def number_of_runs(lines):
    return sum(1 for _ in groupby(lines, lambda x: x.sku))


@example(LINES)
def first_run(lines):
    _, run = next(groupby(lines, key=lambda x: x.sku))
    return [x.amount for x in run]


@example(LINES)
def longest_run(lines):
    found = [(len(list(run)), key) for key, run in groupby(lines, key=lambda x: x.sku)]
    return max(found)[1]


@example(LINES)
def runs_without_a_key(lines):
    return [(amount, len(list(run))) for amount, run in groupby([x.amount for x in lines], None)]


@example(LINES)
def notes_until(lines):
    return [x.note for x in takewhile(lambda x: x.amount < 5, lines)]


@example(LINES)
def notes_from(lines):
    return [x.note for x in dropwhile(lambda x: x.sku == "red", lines)]


@example(LINES)
def number_left(lines):
    return len(list(filterfalse(lambda x: x.sku == "red", lines)))


@example(["a", "b", "", "c"])
def empty_ones(texts):
    return list(filterfalse(None, texts))


@example(LINES)
def notes_so_far(lines):
    return list(accumulate((x.note for x in lines), lambda a, b: a + b))


@example(LINES, "start")
def notes_with_a_start(lines, start):
    return list(accumulate((x.note for x in lines), lambda a, b: b, initial=start))


@example([1, 2, 3], 10)
def sums_with_a_start(values, start):
    return list(accumulate(values, initial=start))


@example(SIDE)
def name_below(side):
    return attrgetter("person.name")(side)


@example(SIDE)
def several(side):
    name, rank = attrgetter("person.name", "rank")(side)
    return {"name": name, "rank": rank}


@example(SIDE, "rank")
def by_a_name(side, name):
    return attrgetter(name)(side)


@example(LINES)
def best_note(lines):
    return max(lines, key=attrgetter("amount", "sku")).note


@example(LINES)
def two_items(lines):
    return [itemgetter(0, 2)(x) for x in lines]


@example("x", "y", 1)
def turned(a, b, by):
    ring = deque([a, b])
    ring.rotate(by)
    return ring[0]


@example("x", "y", "z")
def from_the_left(a, b, c):
    ring = deque([a])
    ring.extendleft([b, c])
    return ring[0]


@example("x", "y")
def pushed_out(a, b):
    ring = deque([a], 1)
    ring.append(b)
    return ring.pop()


@example({"k": "a"}, {"k": "b", "m": "c"})
def first_map(one, other):
    return ChainMap(one, other)["k"]


@example({"k": "a"}, {"m": "c"})
def all_maps(one, other):
    return sorted(ChainMap(one, other).values())


@example("mail", "town")
def written_to_a_map(mail, town):
    below = {"k": town}
    ChainMap(below)["k"] = mail
    return below["k"]


@example("mail", "town")
def written_to_a_child(mail, town):
    below = {"k": town}
    child = ChainMap(below).new_child()
    child["k"] = mail
    return below["k"]


@example(1, "x")
def level(number, other):
    return Level(number).name if number in (1, 2) else other


@example("LOW", "x")
def level_by_name(name, other):
    return Level[name].value if name in Level.__members__ else other


@example(2)
def size_as_number(number):
    return Size(number) + 1


@example("x", "y")
def compared(a, b):
    wanted = Level.LOW if a == "x" else Level.HIGH
    return b if wanted is Level.HIGH else "low"


@example("x", "y")
def logs(a, b):
    one, other = Log(), Log()
    one.texts.append(a)
    other.texts.append(b)
    return one.texts


@example("x", "y")
def shared_log(a, b):
    texts = [a]
    one = Log(texts)
    one.texts.append(b)
    return texts


@example("x", "y")
def counted(a, b):
    log = Log(first=a)
    log.counts[b] = len(b)
    log.seen.add(b)
    return {"counts": sorted(log.counts), "seen": len(log.seen), "first": log.first}


@example("17", "x")
def kept_after_an_error(text, other):
    found = other
    with contextlib.suppress(ValueError):
        found = "before"
        int(text)
        found = "after"
    return found


@example(["1", "x", "3"])
def added_before_an_error(texts):
    found = []
    with contextlib.suppress(ValueError):
        found.extend(int(t) for t in texts)
    return found


@example("17", "x")
def returned_from_a_context(text, other):
    with contextlib.nullcontext(other) as held:
        if text.isdigit():
            return held
    return text


@example([["a"], ["b", "c"]])
def chained_runs(lists):
    return [len(list(run)) for _, run in groupby(chain.from_iterable(lists), key=lambda t: t > "a")]


@example("x", "y")
def changed_within_a_context(a, b):
    texts = [a]
    with contextlib.nullcontext(texts) as held:
        texts.append(b)
    return held


@example("x", "y")
def maps_changed_later(a, b):
    one = {"k": a}
    both = ChainMap(one, {"m": a})
    one["k"] = b
    return both["k"]


@example([3, 1], 2)
def runs_of_what_grows(values, more):
    values = list(values)
    runs = groupby(values, key=lambda v: v > 1)
    values.append(more)
    return [(key, list(run)) for key, run in runs]
