"""Functions that take or leave one part of constants: which one is up to the argument."""

import bisect
import collections
import itertools
import operator

from functions.examples import example

NAMES = {"a": "Anna", "b": "Bob"}
LIST = ["Anna", "Bob", "Eve"]


@example("a")
def popped(key):
    return dict(NAMES).pop(key, "nobody")


@example(1)
def popped_at(place):
    return list(LIST).pop(place)


@example(1)
def popped_of_deque(turns):
    names = collections.deque(LIST)
    names.rotate(turns)
    return names.popleft()


@example("a")
def set_default(key):
    return dict(NAMES).setdefault(key, "nobody")


@example("a")
def default(key):
    found = collections.defaultdict(lambda: "nobody", NAMES)
    return found[key]


@example("a")
def chained(key):
    return collections.ChainMap({"c": "Carl"}, NAMES)[key]


@example("a")
def got(key):
    return NAMES.get(key)


@example(1)
def sliced(end):
    return LIST[:end]


@example(1)
def islice(start):
    return next(itertools.islice(iter(LIST), start, None), None)


@example(1)
def getter(place):
    return operator.itemgetter(place)(LIST)


@example(1)
def operator_item(place):
    return operator.getitem(LIST, place)


@example("a")
def grade(mark):
    return LIST[bisect.bisect(["a", "b"], mark)]


@example("a")
def matched(key):
    match key:
        case "a":
            return "Anna"
        case _:
            return "Bob"


@example("a")
def enumerated(key):
    for place, letter in enumerate("abc"):
        if letter == key:
            return LIST[place]
    return None


@example("a")
def by_next(key):
    return next((name for letter, name in NAMES.items() if letter == key), "nobody")


@example("a")
def by_zip(key):
    return dict(zip("abc", LIST))[key] if key in "abc" else None


@example("a")
def by_filter(key):
    return list(filter(lambda name: name.lower().startswith(key), LIST))


@example("a")
def by_index(key):
    return LIST["abc".index(key)] if key in "abc" else ""


@example(1)
def repeated(times):
    return "x" * times


@example(1)
def listed(times):
    return ["x"] * times


@example(2)
def counted(times):
    return [LIST[0] for _ in range(times)]


@example("b")
def removed(key):
    rest = dict(NAMES)
    rest.pop(key, None)
    return sorted(rest.values())


@example("b")
def deleted(key):
    rest = dict(NAMES)
    if key in rest:
        del rest[key]
    return list(rest.values())


@example("Bob")
def discarded(name):
    rest = set(LIST)
    rest.discard(name)
    return sorted(rest)


@example("Bob")
def removed_from(name):
    rest = list(LIST)
    if name in rest:
        rest.remove(name)
    return rest


@example(1)
def inserted(place):
    rest = list(LIST)
    rest.insert(place, "Carl")
    return rest


@example(1)
def inserted_first(place):
    rest = list(LIST)
    rest.insert(place, "Carl")
    return rest[0]


@example(1)
def deleted_slice(place):
    rest = list(LIST)
    del rest[:place]
    return rest


@example(1)
def assigned_slice(place):
    rest = list(LIST)
    rest[place:] = ["Carl"]
    return rest


@example("a")
def updated(key):
    rest = dict(NAMES)
    rest.update({key: "other"})
    return rest["b"]


@example("a")
def merged(key):
    return ({**NAMES, key: "other"})["b"]


@example("a")
def united(key):
    return (NAMES | {key: "other"}).get("b")


@example("a")
def counter(key):
    return collections.Counter([key, "a", "b", "b"]).most_common(1)[0][1]


@example("Bob")
def largest(name):
    return max(LIST, key=lambda each: each == name)


@example("Bob")
def sorted_by(name):
    return sorted(LIST, key=lambda each: each != name)[0]


@example("Bob")
def grouped(name):
    return [key for key, _ in itertools.groupby(LIST, key=lambda each: each == name)]


@example("b")
def taken_while(letter):
    return list(itertools.takewhile(lambda each: each[0].lower() < letter, LIST))


@example("b")
def dropped_while(letter):
    return list(itertools.dropwhile(lambda each: each[0].lower() < letter, LIST))


@example(2)
def compressed(size):
    return list(itertools.compress(LIST, [len(each) > size for each in LIST]))


@example(3)
def ordered(size):
    return next(filter(lambda each: len(each) == size, LIST), "nobody")


@example("a")
def translated(letter):
    return "banana".replace(letter, "")


@example("a")
def split(letter):
    return "banana".split(letter)


@example("a")
def stripped(letter):
    return "banana".strip(letter)


@example("a")
def partitioned(letter):
    return "banana".partition(letter)[0]


@example(3)
def formatted(width):
    return f"{'x':>{width}}"


@example(3)
def percent(width):
    return "%*d" % (width, 7)


@example(3)
def justified(width):
    return "x".ljust(width, "-")


@example(2)
def rounded(digits):
    return round(3.14159, digits)


@example(2)
def based(base):
    return int("101", base + 2)


@example("upper")
def attribute(name):
    return getattr("Bob", name)() if name in ("upper", "lower") else ""


@example("upper")
def dispatched(name):
    return {"upper": str.upper, "lower": str.lower}.get(name, str.title)("Bob smith")


@example("a")
def exception(key):
    try:
        return NAMES[key]
    except KeyError:
        return "nobody"


@example("a")
def text_of_error(key):
    try:
        return NAMES["x" + key]
    except KeyError as error:
        return str(error)


@example(2)
def loops(times):
    name = "Anna"
    while times > 0:
        name, times = name[1:] + name[0], times - 1
    return name


@example(2)
def recursion(times):
    return "Bob" if times <= 0 else recursion(times - 1) + "!"


@example(True)
def chosen(flag):
    first, second = (LIST[0], LIST[1]) if flag else (LIST[1], LIST[0])
    return first
