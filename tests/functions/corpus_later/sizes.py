"""Functions whose result is how many there are of something, which they filled in one of the ways that Python has."""

from collections import Counter, OrderedDict, defaultdict, deque
from itertools import chain, compress, islice, zip_longest

import pandas as pd
from pyspark.sql import Row

from functions.examples import example

WORDS = ["ada", "bob", "cyd"]
MORE = ["x", "y"]
NAMED = {"a": "1", "b": "2"}
ROW = Row(name="Ada", tags=["x", "y"], parts=[Row(k="a"), Row(k="b")])


@example(WORDS)
def extended(words):
    made = []
    made.extend(words)
    return len(made)


@example(WORDS)
def extended_first(words):
    made = ["z"]
    made.extend(words)
    return made[0], len(made)


@example(WORDS)
def added(words):
    made = []
    made += words
    return len(made)


@example(WORDS)
def summed(words):
    return len(["a"] + words)


@example(WORDS, MORE)
def starred(words, more):
    return len([*words, *more])


@example(WORDS, MORE)
def starred_tuple(words, more):
    return len((*words, "z", *more))


@example(WORDS)
def appended(words):
    made = []
    for each in words:
        made.append(each)
    return len(made)


@example(WORDS)
def constants_appended(words):
    made = []
    for _ in words:
        made.append("z")
    return len(made)


@example(WORDS, "bob")
def tested(words, name):
    made = []
    for each in words:
        if each == name:
            made.append(1)
    return len(made)


@example(WORDS)
def sliced(words):
    made = ["a", "b"]
    made[:] = words
    return len(made)


@example(WORDS)
def sliced_in(words):
    made = ["a", "b"]
    made[1:1] = words
    return len(made)


@example(WORDS)
def comprehended(words):
    return len([1 for _ in words])


@example(WORDS)
def generated(words):
    return sum(1 for _ in words)


@example(WORDS)
def listed(words):
    return len(list(words))


@example(WORDS)
def mapped(words):
    return len(list(map(str.upper, words)))


@example(WORDS)
def enumerated(words):
    return len(list(enumerate(words)))


@example(WORDS, MORE)
def zipped(words, more):
    return len(list(zip(words, more)))


@example(WORDS, MORE)
def zipped_longest(words, more):
    return len(list(zip_longest(words, more)))


@example(WORDS, MORE)
def chained(words, more):
    return len(list(chain(words, more)))


@example([WORDS, MORE])
def chained_lists(lists):
    return len(list(chain.from_iterable(lists)))


@example(WORDS, 2)
def taken(words, most):
    return len(words[:most])


@example(WORDS, 2)
def sliced_lazily(words, most):
    return sum(1 for _ in islice(words, most))


@example(WORDS, [1, 0, 1])
def compressed(words, which):
    return len(list(compress(words, which)))


@example(WORDS)
def in_a_set(words):
    made = set()
    made.update(words)
    return len(made)


@example(WORDS)
def set_of_all(words):
    return len(set(words))


@example(WORDS, MORE)
def united(words, more):
    return len({*words} | set(more))


@example(WORDS)
def added_to_set(words):
    made = set()
    for each in words:
        made.add(each[:1])
    return len(made)


@example(NAMED)
def updated(named):
    made = {}
    made.update(named)
    return len(made)


@example(NAMED)
def unpacked(named):
    return len({**named, "z": 1})


@example(NAMED)
def merged(named):
    made = {"z": 1}
    made |= named
    return len(made)


@example(WORDS)
def from_keys(words):
    return len(dict.fromkeys(words, 0))


@example(WORDS)
def keyed(words):
    return len({each[:1]: 1 for each in words})


@example(WORDS)
def keyed_by_loop(words):
    made = {}
    for each in words:
        made[each] = 1
    return len(made)


@example(WORDS)
def defaulted(words):
    made = defaultdict(int)
    for each in words:
        made[each] = 1
    return len(made)


@example(WORDS)
def set_by_default(words):
    made = {}
    for each in words:
        made.setdefault(each[:1], []).append("z")
    return len(made), len(made.get("a", []))


@example(WORDS)
def counted(words):
    return len(Counter(words))


@example(WORDS)
def counted_by_loop(words):
    made = Counter()
    made.update(words)
    return sum(made.values())


@example(WORDS)
def queued(words):
    made = deque()
    made.extendleft(words)
    return len(made)


@example(WORDS)
def popped(words):
    made = ["a", "b", "c", "d"]
    for _ in words:
        if made:
            made.pop()
    return len(made)


@example(WORDS)
def cleared(words):
    made = ["a", "b", "c", "d"]
    if "bob" in words:
        made.clear()
    return len(made)


@example("ada")
def removed(name):
    made = ["ada", "bob"]
    if name in made:
        made.remove(name)
    return len(made)


@example("ada")
def deleted(name):
    made = {"ada": 1, "bob": 2}
    if name in made:
        del made[name]
    return len(made)


@example("ada")
def popped_by_name(name):
    made = {"ada": 1, "bob": 2}
    made.pop(name, None)
    return len(made)


@example("ada", "zed")
def named_twice(a, b):
    return len({a: 1, b: 2})


@example("ada", "zed")
def set_of_two(a, b):
    return len({a, b})


@example("a,b,c")
def parts(text):
    return len(text.split(","))


@example("a,b,c")
def extended_by_parts(text):
    made = []
    made.extend(text.split(","))
    return len(made)


@example("a,b,c")
def joined_parts(text):
    made = []
    made.extend(text)
    return bool(made)


@example(ROW)
def of_members(row):
    made = list(row.tags)
    made.extend(p.k for p in row.parts)
    return len(made)


@example(ROW)
def rows_extended(row):
    made = []
    made.extend(row.parts)
    return {"n": len(made), "name": row.name}


@example(WORDS)
def truth(words):
    made = []
    made.extend("z" for _ in words)
    return "some" if made else "none"


@example(WORDS)
def last_place(words):
    made = [0]
    made.extend(0 for _ in words)
    return [n for n, _ in enumerate(made)]


@example(WORDS)
def multiplied(words):
    return len(["z"] * len(words))


@example(WORDS, MORE)
def nested(words, more):
    made = [[], []]
    made[0].extend(words)
    made[1].extend(more)
    return [len(each) for each in made]


@example(WORDS)
def held(words):
    made = {"all": []}
    made["all"].extend(words)
    return len(made["all"])


class Kept:
    def __init__(self):
        self.all = []

    def take(self, words):
        self.all.extend(words)
        return self

    @property
    def count(self):
        return len(self.all)


@example(WORDS)
def kept(words):
    return Kept().take(words).count


def _gather(into, words):
    into.extend(words)


@example(WORDS)
def gathered(words):
    made = []
    _gather(made, words)
    return len(made)


@example(WORDS)
def ordered(words):
    made = OrderedDict()
    made.update((w, 1) for w in words)
    return len(made)


@example(WORDS)
def framed(words):
    return len(pd.DataFrame({"a": words}))


@example(WORDS)
def series(words):
    return pd.Series(words).size


@example(WORDS)
def reversed_copy(words):
    made = list(words)
    made.reverse()
    return len(made)


@example(WORDS, 1)
def inserted(words, place):
    made = list(words)
    made.insert(place, "z")
    return len(made), made.index("z")


@example(["ada", "zed"])
def set_comprehended(words):
    return len({each[:1] for each in words})


@example("ada", "zed")
def set_joined(a, b):
    return len({a}.union({b}))


@example("ada", "zed")
def set_listed(a, b):
    return len(set([a, b]))


@example("ada", "zed")
def dict_of_pairs(a, b):
    return len(dict([(a, 1), (b, 2)]))


@example(["a", "b"], ["x", "y"])
def updated_by_pairs(names, words):
    made = {}
    made.update((n, w) for n, w in zip(names, words))
    return made


@example("ada", "zed")
def set_starred(a, b):
    return len({*[a], *(b,)})


@example(["a", "b"], 1)
def assigned_slice(words, place):
    made = ["x", "y", "z"]
    made[place:] = words
    return made


@example(["a", "b"], 1)
def deleted_slice(words, place):
    made = list(words)
    del made[place:]
    return len(made)


@example("a,b", "c")
def tuple_added(text, other):
    made = ()
    for each in text.split(","):
        made += (each,)
    return len(made + (other,))


@example("a,b", "ab")
def text_repeated(text, other):
    made = ""
    for _ in text.split(","):
        made += other
    return len(made)
