"""Functions that change something, where it is not known which of them is called, or how often."""

import json
import re
from collections import defaultdict
from functools import partial, reduce
from itertools import chain

from functions.examples import example


def one(d, x, y):
    d["k"] = x


def other(d, x, y):
    d["k"] = y


def neither(d, x, y):
    pass


@example("news", "Some Text", "other words")
def one_of_two(a, b, c):
    f = one if a == "new" else other
    d = {}
    f(d, b, c)
    return d["k"]


@example("news", "Some Text", "other words")
def one_or_nothing(a, b, c):
    d = {"k": c}
    f = one if a == "new" else neither
    f(d, b, c)
    return d


@example("news", "Some Text", "other words")
def one_of_a_table(a, b, c):
    d = {"k": a}
    {"new": one, "news": neither}.get(a, other)(d, b, c)
    return d["k"]


@example("news", "Some Text", "other words")
def of_a_table_that_is_indexed(a, b, c):
    d = {"k": ""}
    {"new": one, "news": neither, "zed": other}[a](d, b, c)
    return d


@example("news", "Some Text", "other words")
def partial_of_two(a, b, c):
    d = {"k": b}
    f = partial(one, d, c) if a == "new" else partial(neither, d, c)
    f(b)
    return d["k"]


class Held:
    def __init__(self, text):
        self.text = text

    def set(self, text):
        self.text = text

    def __call__(self, text):
        self.text = text


class Holding(Held):
    def set(self, text):
        self.held = text

    def __call__(self, text):
        self.held = text


@example("news", "Some Text", "other words")
def method_of_two_classes(a, b, c):
    held = Held(b) if a == "new" else Holding(b)
    held.set(c)
    return held.text


@example("news", "Some Text", "other words")
def calls_one_of_two_objects(a, b, c):
    held = Held(b) if a == "new" else Holding(b)
    held(c)
    return held.text


@example("news", "Some Text", "other words")
def method_of_one_of_two_objects(a, b, c):
    first, second = Held(b), Held(b)
    set_text = first.set if a == "new" else second.set
    set_text(c)
    return {"first": first.text, "second": second.text}


@example("news", ["Some"])
def mapped_perhaps_never(a, xs):
    d = {"k": a}
    list(map(lambda x: one(d, x, x), xs))
    return d["k"]


@example("news", ["Some"])
def filtered_perhaps_never(a, xs):
    held = Held(a)

    def keep(x):
        held.text = "x"
        return True

    list(filter(keep, xs))
    return held.text


@example("news", ["Some"])
def sorted_perhaps_never(a, xs):
    held = Held(a)

    def key(x):
        held.text = "x"
        return x

    sorted(xs, key=key)
    return held.text


@example("news", ["Some"])
def greatest_perhaps_never(a, xs):
    held = Held(a)

    def key(x):
        held.text = x
        return x

    max(xs, key=key, default="")
    return held.text


@example("news", ["Some"])
def reduced_perhaps_never(a, xs):
    held = Held(a)

    def add(x, y):
        held.text = y
        return x

    reduce(add, xs, "")
    return held.text


@example("news", ["Some"])
def any_perhaps_never(a, xs):
    held = Held(a)

    def test(x):
        held.text = "x"
        return len(x) > 4

    any(test(x) for x in xs)
    return held.text


@example("news", ["Some"], "o")
def taken_in_part(a, xs, c):
    held = Held(a)

    def test(x):
        held.text = x
        return c in x

    next(filter(test, xs), None)
    return held.text


@example("news", "Some Text", "other words")
def in_one_branch_of_a_function(a, b, c):
    held = Held(a)

    def change(text):
        if text > "k":
            held.text = c

    for f in (change, held.set):
        f(b)
    return held.text


@example("news", "Some Text", "other words")
def chosen_in_a_loop(a, b, c):
    d = {"k": c, "l": ""}
    for name, f in {"new": one, "news": neither}.items():
        if name == a:
            f(d, b, c)
            d["l"] = b
    return d


@example("news", "Some Text", "other words")
def chosen_by_a_nested_choice(a, b, c):
    d = {"k": c}

    def outer(d, x, y):
        return (one if b > "b" else neither)(d, x, y)

    (outer if a > "news" else neither)(d, a, c)
    return d


@example("news", "Some Text", "other words")
def raises_or_changes(a, b, c):
    d = {"k": c}

    def fails(d, x, y):
        raise ValueError

    try:
        (one if a == "new" else fails)(d, b, c)
    except ValueError:
        return c
    return d["k"]


@example("news", "Some Text", "other words")
def result_of_an_earlier_one(a, b, c):
    def make(x, y):
        return {"k": x}

    def given(x, y):
        return {"k": y, "j": x}

    f = make if a == "new" else given
    first = f(b, c)
    second = f(c, b)
    second["k"] = a
    return {"first": first["k"], "second": second["k"]}


def text_of(held, text):
    held.text = text
    return held


@example("news", "Some Text", "other words")
def alias_of_what_is_changed(a, b, c):
    first, second = Held(a), Held(b)
    f = text_of if c > "k" else (lambda held, text: second)
    found = f(first, c)
    found.text = found.text + "!"
    return {"first": first.text, "second": second.text, "found": found.text}


@example("news", ["Some"])
def changes_lazily(a, xs):
    d = {}
    changing = map(lambda x: one(d, x, x), xs)
    d["k"] = a
    list(changing)
    return d["k"]


@example("news", ["Some"])
def reads_lazily(a, xs):
    d = {"k": ""}
    reading = map(lambda x: d["k"] + x, xs)
    d["k"] = a
    return list(reading)


@example("news", ["Some"])
def reads_a_variable_lazily(a, xs):
    sep = "-"
    reading = map(lambda x: sep + x, xs)
    sep = a
    return list(reading)


@example("news", ["Some"])
def tests_lazily(a, xs):
    limit = "A"
    reading = filter(lambda x: x > limit, xs)
    limit = a
    return list(reading)


@example("news", ["Some", "Other"])
def calls_a_method_lazily(a, xs):
    held = Held("")

    def add(x):
        held.text += x
        return held.text

    added = map(add, xs)
    held.set(a)
    return list(added)


@example(["k", "n"], ["Some", "Other"])
def changes_while_zipped(a, xs):
    held = Held("")
    found = []
    for x, _ in zip(a, map(held.set, xs), strict=False):
        found.append(x + held.text)
    return found


@example("news", ["Some", "b", "c"])
def shifts_through_callbacks(a, xs):
    d = {"one": "", "two": "", "three": ""}

    def shift(x):
        d["three"] = d["two"]
        d["two"] = d["one"]
        d["one"] = x + a
        return x

    sorted(xs, key=shift)
    return d["three"]


@example("news", ["Some", "b", "c"])
def reduced_through_others(a, xs):
    d = {"one": "", "two": ""}

    def add(x, y):
        found = d["two"]
        d["two"] = d["one"]
        d["one"] = y
        return x + found

    return reduce(add, xs, a)


@example("news", ["Some"])
def makes_defaults(a, xs):
    held = Held(a)

    def make():
        held.text = "made"
        return ""

    d = defaultdict(make)
    for x in xs:
        d[x] += x
    return held.text


@example("Some a", "news")
def replaces_perhaps_never(text, a):
    held = Held(a)

    def mark(m):
        held.text = m[0]
        return "-"

    found = re.sub("a", mark, text)
    return {"text": found, "held": held.text}


@example("news", "Some")
def getter_of_two(a, b):
    class One:
        text = b

        @property
        def shown(self):
            self.text = "shown"
            return self.text

    return One().shown + a


def noting(d, xs):
    for x in xs:
        d["k"] = x
        yield x


@example("news", ["Some"])
def numbered_generator(a, xs):
    d = {"k": ""}
    numbered = enumerate(noting(d, xs))
    d["k"] = a
    list(numbered)
    return d["k"]


@example("news", ["Some"])
def chained_generator(a, xs):
    d = {"k": ""}
    chained = chain([a], noting(d, xs))
    d["k"] = "none"
    return [x + d["k"] for x in chained]


@example("news", ["Some"])
def generator_of_a_generator(a, xs):
    d = {"k": ""}
    outer = (x.upper() for x in noting(d, xs))
    d["k"] = a
    found = list(outer)
    return {"found": found, "k": d["k"]}


class Shown:
    def __init__(self, text):
        self.text = text


@example("news", "Some Text")
def shown_by_a_callback(a, b):
    return json.dumps({"a": a, "b": Shown(b)}, default=lambda held: held.text)


@example("news", '{"k": "Some"}')
def read_by_a_callback(a, text):
    held = Held(a)

    def hook(found):
        held.text = found["k"]
        return found

    json.loads(text, object_hook=hook)
    return held.text


@example("Some Text", "x")
def replaced_by_what_was_kept(text, a):
    seen = []

    def mark(m):
        seen.append(m[0])
        return a

    return re.compile("[aeiou]").sub(mark, text) + ",".join(seen)
