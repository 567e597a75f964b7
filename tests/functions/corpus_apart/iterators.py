"""Iterators and generators that are used in part, or by several: what decides how far they went is easily missed."""

from itertools import chain, islice, takewhile

from functions.examples import example


@example("first", "second")
def skipped_one(x, y):
    it = iter(x)
    if y == "second":
        next(it)
    return list(it)


@example("first", "second")
def after_a_break(x, y):
    it = iter("abcdef")
    for c in it:
        if c in y:
            break
    return list(it)


@example("first", "second")
def after_a_slice(x, y):
    it = iter("abcdef")
    head = list(islice(it, len(y)))
    return list(it)


@example("first", "second")
def after_a_while(x, y):
    it = iter("abcdef")
    list(takewhile(lambda c: c not in y, it))
    return "".join(it)


@example("first", "second")
def after_any(x, y):
    it = iter("abcdef")
    found = any(c in y for c in it)
    return len(list(it))


@example("first", "second")
def after_in(x, y):
    it = iter("abcdef")
    found = y in it
    return next(it, None)


@example("first", "second")
def after_a_zip(x, y):
    it = iter("abcdefghijk")
    z = list(zip(y, it))
    return next(it, None)


@example("first", "second")
def second_of_a_generator(x, y):
    gen = (c for c in "abcdef")
    if y == "second":
        next(gen)
    return next(gen)


@example("first", "second")
def changed_between_yields(x, y):
    d = {"k": "z"}

    def g():
        d["k"] = x
        yield 1
        d["k"] = y
        yield 2

    n = g()
    next(n)
    return d["k"]


@example("first", "second")
def generator_that_never_runs(x, y):
    d = {"k": "z"}

    def g():
        d["k"] = x
        yield 1

    g()
    return d["k"]


@example("first", "second")
def yields_of_yields(x, y):
    def inner():
        for c in x:
            if c > "g":
                yield 1

    def outer():
        yield from inner()

    return sum(1 for _ in outer())


@example("first", "second")
def yields_of_an_argument(x, y):
    def g():
        yield from x

    return sum(1 for _ in g())


@example("first", "second")
def yields_under_a_test(x, y):
    def g():
        n = yield from (1 for c in x if c > "g")

    return len(list(g()))


@example("first", "second")
def after_a_break_of_pairs(x, y):
    it = enumerate("abcdef")
    for i, c in it:
        if i >= len(y):
            break
    return [c for _, c in it]


@example("first", "second")
def after_a_loop_of_next(x, y):
    it = iter("abcdef")
    while True:
        c = next(it, None)
        if c is None or c in y:
            break
    return list(it)


@example("first", "second")
def taken_by_another_function(x, y):
    it = iter("abcdef")

    def take():
        if y == "second":
            return next(it)

    take()
    return next(it)


@example("first", "second")
def left_of_a_map(x, y):
    it = map(str.upper, "abcdef")
    w = next((c for c in it if c.lower() in y), None)
    return list(it)


@example("first", "second")
def rows_after_the_head(x, y):
    rows = iter([x, y, "c"])
    head = next(rows)
    return [v for v in rows]


@example("first", "second")
def pairs_of_one_iterator(x, y):
    it = iter("abcdef")
    pairs = dict(zip(it, it))
    if y.startswith("s"):
        it = iter("xyz")
    return list(it)


@example("first", "second")
def taken_through_a_chain(x, y):
    it = iter("abcdef")
    ch = chain(it, x)
    if y == "second":
        next(ch)
    return list(it)


@example("first", "second")
def yield_under_a_test(x, y):
    def g():
        if x == "first":
            yield y

    return len(list(g()))


@example("first", "second")
def yield_for_each(x, y):
    def g():
        for c in x:
            yield 1

    return sum(g())


@example("first", "second")
def return_before_yield(x, y):
    def g():
        if y.startswith("s"):
            return
        yield 1
        yield 2

    return len(list(g()))


@example("first", "second")
def flag_changed_later(x, y):
    flag = [x]
    g = (1 for _ in range(3) if flag[0] == "first")
    z = zip(g, "abc")
    flag[0] = y
    return [w for _, w in z]


@example("first", "second")
def change_that_never_happens(x, y):
    d = {"k": x}

    def g():
        d["k"] = y
        yield 1

    n = zip(g(), "a")
    return d["k"]


@example("first", "second")
def yield_in_a_while(x, y):
    n = len(x)

    def g():
        m = n
        while m > 3:
            yield "."
            m -= 1

    return "".join(g())


@example("first", "second")
def yield_in_a_try(x, y):
    def g():
        try:
            yield int(x)
        except ValueError:
            return

    return len(list(g()))


@example("first", "second")
def any_of_yields(x, y):
    def g():
        for c in x:
            v = ord(c)
            yield v if y == "second" else 0

    return any(g())


@example("first", "second")
def first_that_fits(x, y):
    return next((w for w in ("a", "b") if w in x), y)


@example("first", "second")
def break_before_yield(x, y):
    def g():
        for c in "abc":
            if c in y:
                break
            yield c

    return list(g())


@example("first", "second")
def all_but_the_first(x, y):
    it = (c for c in x)
    next(it)
    return "".join(it)


@example("first", "second")
def taken_from_below(x, y):
    it = iter(x)

    def g():
        for c in it:
            yield c

    g1 = g()
    if y == "second":
        next(it)
    return len(list(g1))


@example("first", "second")
def recursive_yields(x, y):
    def g(depth):
        if depth > 0 and len(x) > 2:
            yield depth
            yield from g(depth - 1)

    return len(list(g(3)))


@example("first", "second")
def greatest_of_yields(x, y):
    vals = (len(v) for v in (x, y))
    return max(vals, default=0)


@example("first", "second")
def error_in_a_generator(x, y):
    def g():
        for c in x:
            if c == "s":
                raise StopIteration
            yield 1

    try:
        return sum(g())
    except RuntimeError:
        return -1


@example("first", "second")
def closed_over(x, y):
    g = (y for c in x if c == "r")
    return list(map(str, g))


@example("first", "second")
def pairs_to_dict(x, y):
    g = ((i, c) for i, c in enumerate(x) if y)
    return dict(g)


@example("first", "second")
def filtered_yields(x, y):
    g = (1 for c in x)
    return [v for v in filter(None, g)]


@example("first", "second")
def starred(x, y):
    a, *b = (1 for c in x)
    return b


@example("first", "second")
def sorted_yields(x, y):
    g = (1 for c in x)
    return sorted(g)


@example("first", "second")
def tests_by_an_item(x, y):
    it = (c for c in "abcdefgh" if c < x[0])
    return [c for c in it]
