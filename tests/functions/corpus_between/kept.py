"""Functions that keep something from one call to the next, or change a container under another name of it."""

import array
import collections
import functools
import heapq
import itertools
import operator

import numpy as np
import pandas as pd
from functions.examples import Example

EXAMPLES = []
LAST = ["none"]
GRID = [["none"] for _ in range(30)]
TABLE = {"rows": ["none"], "deep": {"rows": ["none"]}}
MANY = {number: ["none"] for number in range(250)}
LISTS = collections.deque([["none"], ["none"]])
CODES = np.array([1.0, 2.0])
SEEN = {}
QUEUE = collections.deque(["none"], maxlen=3)
COUNTS = collections.Counter()
NUMBERS = itertools.count()
BUFFER = np.array(["none" * 8, "none"], dtype=object)


def rows(function):
    """The function with three rows of example arguments, of which each may change what later ones give."""
    EXAMPLES.append(Example(function, ("ada@example.org", "Bern")))
    return function


def _in_a_list():
    held = ["none"]

    def last(mail, city):
        before = held[0]
        held[0] = mail
        return before + city[:1]

    return last


in_a_list = rows(_in_a_list())


def _in_a_dictionary():
    held = {}

    def last(mail, city):
        before = held.get("mail", "none")
        held.update(mail=mail)
        return {"before": before, "city": city}

    return last


in_a_dictionary = rows(_in_a_dictionary())


def _in_a_variable():
    before = "none"

    def last(mail, city):
        nonlocal before
        given, before = before, mail
        return given + city[:1]

    return last


in_a_variable = rows(_in_a_variable())


@rows
def in_a_default(mail, city, held=[]):
    held.append(mail)
    return held[0] + city[:1]


@rows
def in_a_default_by_name(mail, city, *, held={"mail": "none"}):
    before, held["mail"] = held["mail"], mail
    return before + city[:1]


@rows
def in_a_default_by_setdefault(mail, city, held={}):
    return held.setdefault("first", mail) + city[:1]


@rows
def in_a_default_of_a_lambda(mail, city):
    keep = lambda value, held=LAST: held.insert(0, value) or held[1]
    return keep(mail) + city[:1]


class Remembering:
    """Is called, and keeps what it was called with."""

    def __init__(self):
        self.last = "none"

    def __call__(self, mail, city):
        before, self.last = self.last, mail
        return before + city[:1]


in_an_attribute = rows(Remembering())


class Collecting:
    """Keeps in a list that is an attribute."""

    def __init__(self):
        self.all = []

    def __call__(self, mail, city):
        all_of_them = self.all
        all_of_them += [mail]
        return self.all[0] + city[:1]


in_a_list_of_an_attribute = rows(Collecting())


class Counting:
    """Keeps in an attribute of the class."""

    last = "none"

    def __call__(self, mail, city):
        before = Counting.last
        type(self).last = mail
        return before + city[:1]


in_an_attribute_of_the_class = rows(Counting())


class Sharing:
    """Keeps in a list of the class."""

    shared = ["none"]

    def __call__(self, mail, city):
        self.shared.append(mail)
        return self.shared[-2] + city[:1]


in_a_list_of_the_class = rows(Sharing())


class Slots:
    """Keeps by a method that its own method calls."""

    def __init__(self):
        self.parts = {"last": "none"}

    def put(self, value):
        self.parts |= {"last": value}

    def take(self):
        return self.parts["last"]

    def both(self, mail, city):
        before = self.take()
        self.put(mail)
        return before + city[:1]


in_a_bound_method = rows(Slots().both)


def _generator():
    given = yield "none"
    while True:
        given = yield given


def _in_a_generator():
    made = []

    def last(mail, city):
        if not made:
            made.append(_generator())
            next(made[0])
        return made[0].send(mail) + city[:1]

    return last


in_a_generator = rows(_in_a_generator())


@rows
def in_a_generator_of_its_own(mail, city):
    kept = _generator()
    next(kept)
    kept.send(mail)
    return next(kept) or kept.send(city)


@rows
def in_a_list_of_the_module(mail, city):
    LAST.append(mail)
    return LAST[-2] + city[:1]


@rows
def in_a_slice_of_the_module(mail, city):
    before = LAST[0]
    LAST[:1] = [mail]
    return before + city[:1]


@rows
def in_a_queue(mail, city):
    QUEUE.appendleft(mail)
    return QUEUE[1] + city[:1]


@rows
def in_a_counter(mail, city):
    COUNTS[mail] += 1
    return f"{len(COUNTS)} {city}"


@rows
def in_how_often(mail, city):
    if mail.startswith("a"):
        next(NUMBERS)
    return f"{next(NUMBERS)} {city}"


@rows
def in_an_array_of_the_module(mail, city):
    before = BUFFER[0]
    BUFFER[0] = mail
    return before + city[:1]


@rows
def in_an_array_by_put(mail, city):
    np.put(BUFFER, [1], [mail])
    return BUFFER[1] + city[:1]


@rows
def in_an_array_by_copyto(mail, city):
    kept = np.array(["none", "none"], dtype=object)
    np.copyto(kept[1:], np.array([mail], dtype=object))
    return kept[1] + city[:1]


@rows
def in_an_attribute_of_the_function(mail, city):
    before = getattr(in_an_attribute_of_the_function, "last", "none")
    in_an_attribute_of_the_function.last = mail
    return before + city[:1]


@rows
def in_its_own_defaults(mail, city, before="none"):
    in_its_own_defaults.__defaults__ = (mail,)
    return before + city[:1]


@rows
def in_a_dictionary_by_a_method_handed_on(mail, city):
    before = SEEN.get("mail", "none")
    put = SEEN.__setitem__
    put("mail", mail)
    return before + city[:1]


@rows
def in_a_list_by_map(mail, city):
    before = LAST[-1]
    collections.deque(map(LAST.append, [mail]), maxlen=0)
    return before + city[:1]


@rows
def in_a_list_by_setitem(mail, city):
    before = LAST[0]
    operator.setitem(LAST, 0, mail)
    return before + city[:1]


@functools.lru_cache(maxsize=None)
def _box():
    return ["none"]


@rows
def in_a_kept_result(mail, city):
    box = _box()
    before, box[0] = box[0], mail
    return before + city[:1]


@functools.lru_cache(maxsize=2)
def _box_of(name):
    return {"first": name}


@rows
def in_a_kept_result_by_key(mail, city):
    return _box_of(city).setdefault("mail", mail)


def _in_a_partial():
    def last(held, mail, city):
        before = held.pop()
        held.append(mail)
        return before + city[:1]

    return functools.partial(last, ["none"])


in_a_partial = rows(_in_a_partial())


def _in_a_handed_method():
    held = []
    add = held.append

    def last(mail, city):
        add(mail)
        return held[0] + city[:1]

    return last


in_a_handed_method = rows(_in_a_handed_method())


def _in_two_functions():
    held = {"mail": "none"}

    def put(value):
        held["mail"] = value

    def last(mail, city):
        before = held["mail"]
        put(mail)
        return before + city[:1]

    return last


in_two_functions = rows(_in_two_functions())


def _in_a_nested_list():
    held = {"rows": [["none"]]}

    def last(mail, city):
        for row in held["rows"]:
            before, row[:] = row[0], [mail]
        return before + city[:1]

    return last


in_a_nested_list = rows(_in_a_nested_list())


def _only_how_many():
    held = set()

    def number(mail, city):
        held.add(mail)
        return {"distinct": len(held), "city": city}

    return number


only_how_many = rows(_only_how_many())


def _only_whether():
    held = {"found": False}

    def found(mail, city):
        before = held["found"]
        if mail.endswith("org"):
            held["found"] = True
        return {"found": before, "city": city}

    return found


only_whether = rows(_only_whether())


def _in_callbacks():
    stack = [None]
    done = []

    def last(mail, city):
        if stack[0] is not None:
            stack[0]()
        stack[0] = functools.partial(done.append, mail)
        return f"{done[-1:]}{city}"

    return last


in_callbacks = rows(_in_callbacks())


@rows
def a_view_of_an_array(mail, city):
    whole = np.array([city, city], dtype=object)
    view = whole[:1]
    view[0] = mail
    return whole[0]


@rows
def a_reshaped_array(mail, city):
    whole = np.array([city, city], dtype=object)
    whole.reshape(2, 1)[1, 0] = mail
    return {"first": whole[0], "second": whole[1]}


@rows
def a_flat_array(mail, city):
    whole = np.array([[city], [city]], dtype=object)
    whole.flat[0] = mail
    whole.T[0, 1] = mail + "x"
    return {"first": whole[0, 0], "second": whole[1, 0]}


@rows
def a_filled_array(mail, city):
    whole = np.array([city, city], dtype=object)
    np.asarray(whole).fill(mail)
    return whole[1]


@rows
def a_sorted_array(mail, city):
    whole = np.array([mail, city], dtype=object)
    other = whole.ravel()
    other.sort()
    return {"first": whole[0]}


@rows
def an_array_of_bytes(mail, city):
    whole = array.array("b", city.encode())
    memoryview(whole)[0] = len(mail) % 100
    return whole.tobytes().decode()


@rows
def a_part_of_bytes(mail, city):
    whole = bytearray(city.encode())
    view = memoryview(whole)[:1]
    view[:] = mail[:1].encode()
    return whole.decode()


@rows
def a_list_by_two_names(mail, city):
    first = second = [city]
    first += [mail]
    return second[-1]


@rows
def lists_that_are_one(mail, city):
    grid = [[city]] * 2
    grid[0].append(mail)
    return grid[1][-1]


@rows
def a_dictionary_from_keys(mail, city):
    made = dict.fromkeys(["first", "second"], [])
    made["first"].append(mail)
    return {"second": made["second"], "city": city}


@rows
def a_heap(mail, city):
    whole = [city]
    same = whole
    heapq.heappush(same, mail)
    return heapq.heappop(whole)


@rows
def an_alias_by_a_loop(mail, city):
    one, two = {}, {}
    for each in (one, two):
        each["mail"] = mail
    return two.get("mail", city)


@rows
def an_alias_by_a_tuple(mail, city):
    one = []
    pair = (one, one)
    (first, *_) = pair
    first.append(mail)
    return [*pair[1], city]


@rows
def an_alias_by_a_condition(mail, city):
    one, two = [city], [city]
    (one if len(city) > 3 else two).append(mail)
    return {"one": one[-1], "two": two[-1]}


@rows
def an_alias_by_a_walrus(mail, city):
    parts = {"city": city}
    (inner := parts.setdefault("inner", [])).append(mail)
    del inner
    return parts["inner"][0]


@rows
def an_alias_by_get(mail, city):
    parts = {"rows": [city]}
    parts.get("rows", []).extend([mail])
    return parts["rows"][-1]


@rows
def an_alias_by_values(mail, city):
    parts = {"one": {"name": city}, "two": {"name": city}}
    for each in parts.values():
        each.update(name=mail)
    return parts["two"]["name"]


@rows
def an_alias_by_max(mail, city):
    one, two = [city, city], [city]
    max(one, two, key=len).append(mail)
    return {"one": one[-1], "two": two[-1]}


@rows
def an_alias_by_next(mail, city):
    one = [city]
    next(iter([one])).append(mail)
    return one[-1]


@rows
def an_alias_by_itemgetter(mail, city):
    parts = {"rows": [city]}
    operator.itemgetter("rows")(parts).append(mail)
    return parts["rows"][-1]


@rows
def an_alias_by_reduce(mail, city):
    parts = {"a": {"b": [city]}}
    functools.reduce(dict.__getitem__, ["a", "b"], parts).append(mail)
    return parts["a"]["b"][-1]


@rows
def an_alias_by_groupby(mail, city):
    found = [[city], [city]]
    for _, group in itertools.groupby(found, key=len):
        for each in group:
            each[0] = mail
    return found[1][0]


@rows
def an_alias_by_zip(mail, city):
    boxes = [[city], [city]]
    for box, value in zip(boxes, (mail, city), strict=True):
        box[0] = value
    return {"first": boxes[0][0], "second": boxes[1][0]}


@rows
def a_series_by_two_names(mail, city):
    whole = pd.Series([city, city])
    other = whole
    other.iloc[0] = mail
    return whole.iloc[0]


@rows
def a_series_by_values(mail, city):
    whole = pd.Series([city, city], dtype=object)
    whole.to_numpy()[0] = mail
    return whole.iloc[0]


@rows
def a_frame_by_a_column(mail, city):
    whole = pd.DataFrame({"name": [city]})
    whole["name"].array[0] = mail
    return whole["name"].iloc[0]


@rows
def a_frame_in_place(mail, city):
    whole = pd.DataFrame({"name": [city]})
    same = [whole][0]
    same.replace({city: mail}, inplace=True)
    same.insert(0, "mail", mail)
    return whole["name"].iloc[0] + whole.iloc[0, 0]


@rows
def by_plus_equals(mail, city):
    held = LAST
    held += [mail]
    return held[-2] + city[:1]


@rows
def by_plus_equals_of_a_text(mail, city):
    held = TABLE["rows"]
    held += mail
    return "".join(TABLE["rows"]) + city[:1]


@rows
def by_plus_equals_under_a_condition(mail, city):
    held = TABLE["deep"]["rows"]
    if mail.startswith("a"):
        held += [1]
    return {"rows": len(TABLE["deep"]["rows"]), "city": city}


@rows
def by_times_equals(mail, city):
    held = LAST
    held *= 2 if mail.startswith("a") else 1
    return {"rows": len(LAST), "city": city}


@rows
def by_or_equals(mail, city):
    held = SEEN
    held |= {"mail": mail}
    return {"seen": sorted(SEEN)[0], "mail": SEEN["mail"], "city": city}


@rows
def by_plus_equals_of_one_of_many(mail, city):
    row = GRID[len(city)]
    row += [mail]
    return GRID[4][1] + city[:1]


@rows
def by_plus_equals_of_one_in_a_large_table(mail, city):
    for number in MANY:
        row = MANY[number]
        row += [mail]
    return MANY[240][1] + city[:1]


@rows
def by_plus_equals_of_all_values(mail, city):
    for row in MANY.values():
        row += [mail]
    return MANY[240][1] + city[:1]


@rows
def by_plus_equals_of_a_copied_table(mail, city):
    held = dict(TABLE)["rows"]
    held += [mail]
    return TABLE["rows"][1] + city[:1]


@rows
def by_plus_equals_of_a_shallow_copy(mail, city):
    held = TABLE.copy()["rows"]
    held += [mail]
    return TABLE["rows"][1] + city[:1]


@rows
def by_plus_equals_of_the_first_of_sorted(mail, city):
    held = sorted(GRID, key=len)[0]
    held += [mail]
    return GRID[0][1] + city[:1]


@rows
def by_plus_equals_of_the_longer(mail, city):
    held = max(GRID[0], GRID[1], key=len)
    held += [mail]
    return {"one": GRID[0][1:], "two": GRID[1][1:], "city": city}


@rows
def by_plus_equals_of_a_reduced(mail, city):
    held = functools.reduce(operator.getitem, ["deep", "rows"], TABLE)
    held += [mail]
    return TABLE["deep"]["rows"][1] + city[:1]


@rows
def by_plus_equals_of_a_part(mail, city):
    held = operator.getitem(TABLE, "rows")
    held += [mail]
    return TABLE["rows"][1] + city[:1]


@rows
def by_plus_equals_of_a_part_by_its_type(mail, city):
    held = dict.__getitem__(TABLE, "rows")
    held += [mail]
    return TABLE["rows"][1] + city[:1]


@rows
def by_plus_equals_of_a_part_by_a_getter(mail, city):
    held = operator.itemgetter("rows")(TABLE)
    held += [mail]
    return TABLE["rows"][1] + city[:1]


@rows
def by_plus_equals_in_a_queue(mail, city):
    held = LISTS[0]
    held += [mail]
    return LISTS[0][1] + city[:1]


@rows
def by_plus_equals_in_a_loop_over_a_queue(mail, city):
    for held in LISTS:
        held += [mail]
    return LISTS[1][1] + city[:1]


@rows
def by_plus_equals_in_zip(mail, city):
    for held, value in zip(LISTS, [mail, city], strict=True):
        held += [value]
    return {"first": LISTS[0][1], "second": LISTS[1][1]}


@rows
def by_plus_equals_in_enumerate(mail, city):
    for number, held in enumerate(LISTS):
        held += [mail, number]
    return {"first": LISTS[0][1], "city": city}


@rows
def by_plus_equals_of_next(mail, city):
    held = next(iter(LISTS))
    held += [mail]
    return LISTS[0][1] + city[:1]


@rows
def by_plus_equals_of_unpacked(mail, city):
    held, _ = LISTS
    held += [mail]
    return LISTS[0][1] + city[:1]


@rows
def by_plus_equals_of_a_starred(mail, city):
    held, *others = GRID
    held += [mail]
    others[0] += [city]
    return {"first": GRID[0][1], "second": GRID[1][1]}


@rows
def by_plus_equals_of_a_matched(mail, city):
    match TABLE:
        case {"rows": held}:
            held += [mail]
    return TABLE["rows"][1] + city[:1]


@rows
def by_plus_equals_of_an_array(mail, city):
    held = CODES
    held += len(mail)
    return {"sum": CODES.sum(), "city": city}


@rows
def by_plus_equals_of_a_view(mail, city):
    held = CODES[:1]
    held += len(mail)
    return {"sum": CODES.sum(), "city": city}


@rows
def by_plus_equals_of_a_turned_array(mail, city):
    held = CODES.T
    held += len(mail)
    other = CODES.reshape(2, 1)
    other += 1
    return {"sum": CODES.sum(), "city": city}


@rows
def by_plus_equals_of_a_ravelled_array(mail, city):
    held = CODES.ravel()
    held += len(mail)
    return {"sum": CODES.sum(), "city": city}


@rows
def by_plus_equals_of_the_same_array(mail, city):
    held = np.asarray(CODES)
    held += len(mail)
    return {"sum": CODES.sum(), "city": city}


@rows
def by_plus_equals_of_what_a_function_gives(mail, city):
    def table():
        return TABLE

    held = table()["rows"]
    held += [mail]
    return TABLE["rows"][1] + city[:1]


@rows
def by_plus_equals_of_what_is_chosen(mail, city):
    held = TABLE.get(city) or TABLE["rows"]
    held += [mail]
    return TABLE["rows"][1] + city[:1]


def _iterator_in_a_closure():
    kept = iter(["first", "second", "third", "fourth", "fifth", "sixth"])

    def following(mail, city):
        if mail.startswith("a"):
            next(kept)
        return {"next": next(kept), "city": city}

    return following


iterator_in_a_closure = rows(_iterator_in_a_closure())


@rows
def iterator_in_a_default(mail, city, kept=zip("abcdefghi", "123456789")):
    for one, _ in kept:
        if one > mail[:1]:
            break
    return {"next": next(kept)[1], "city": city}


class Numbering:
    """Numbers what it is called with."""

    def __init__(self):
        self.numbers = iter([1, 2, 3, 4, 5, 6, 7, 8, 9])

    def __call__(self, mail, city):
        return {
            "number": next(self.numbers) if mail.startswith("a") else next(self.numbers) + next(self.numbers),
            "city": city,
        }


iterator_in_an_attribute = rows(Numbering())


@rows
def an_iterator_of_its_own(mail, city):
    numbers = itertools.count()
    if mail.startswith("a"):
        next(numbers)
    return {"next": next(numbers), "city": city}


@rows
def an_iterator_of_pairs_of_its_own(mail, city):
    pairs = itertools.combinations("abcd", 2)
    for each in pairs:
        if each[1] > mail[:1]:
            break
    return {"next": next(pairs, None), "city": city}


@rows
def an_iterator_of_its_own_that_another_takes_of(mail, city):
    numbers = itertools.count()
    list(itertools.compress(numbers, [1] * 0 + [0]))
    for _ in zip(mail, numbers):
        pass
    return {"next": next(numbers), "city": city}


@rows
def an_iterator_of_its_own_by_starmap(mail, city):
    powers = itertools.starmap(pow, [(2, 3), (3, 2), (4, 2)])
    mail.startswith("a") and next(powers)
    return {"next": next(powers), "city": city}
