"""Objects that are shared, bound, replaced and inherited from in ways that are easily overlooked."""

from functools import lru_cache, partial, reduce, total_ordering

from functions.examples import Example, example

EXAMPLES: list[Example] = []


class Reader:
    mark = "m"

    def __init__(self, value="a"):
        self.value = value

    def get(self, other=None):
        return other if other else self.value

    def joined(self, *others, sep="-", **named):
        return sep.join([self.value, *others, *named.values()])

    alias = get

    @lru_cache  # noqa: B019 - as users write it
    def cached(self, other):
        return other

    @classmethod
    def build(cls, value):
        made = cls(value)
        made.extra = value
        return made


class Nested(Reader):
    def get(self, other=None):
        return super().get("b") + (other or "")

    def joined(self, *others, **named):
        return super().joined(*others, **named)


class Deeper(Nested):
    def get(self, *others):
        return super().get(*others)


@total_ordering
class Ordered:
    def __init__(self, value):
        self.value = value

    def __lt__(self, other):
        return self.value < other.value

    def __eq__(self, other):
        return self.value == other.value


class Slots:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value


class Parts:
    def __init__(self):
        self.parts = []

    def add(self, part):
        self.parts.append(part)
        return self


class Shared:
    def __init__(self, parts=[]):  # noqa: B006 - as users write it
        self.parts = parts

    def add(self, part):
        self.parts.append(part)
        return self.parts[0]


class Found:
    def __get__(self, instance, kind=None):
        return instance.value


class Finding:
    found = Found()

    def __init__(self, value):
        self.value = value


READER, NESTED, DEEPER, SLOTS, SHARED = Reader(), Nested(), Deeper(), Slots("s"), Shared()
TABLE = {"a": READER, "b": NESTED}
PAIR = (READER, NESTED)
JOINED = partial(READER.joined, sep="+")
GIVEN = ("ada@x.org", "banana")


@example(*GIVEN)
def method_under_another_name(one, other):
    return READER.alias(one)


@example(*GIVEN)
def through_two_bases(one, other):
    return DEEPER.get(other)


@example(*GIVEN)
def any_arguments(one, other):
    return NESTED.joined(one, k=other)


@example(*GIVEN)
def partial_with_more(one, other):
    return JOINED(one, z=other)


@example(*GIVEN)
def kept_results(one, other):
    return READER.cached(one)


@example(*GIVEN)
def built_by_the_class(one, other):
    return Nested.build(one).get(other)


@example(*GIVEN)
def compared_instances(one, other):
    return sorted([Ordered(one), Ordered(other)])[0].value


@example(*GIVEN)
def in_slots(one, other):
    return SLOTS.get() + Slots(one).get()


@example(*GIVEN)
def shared_default(one, other):
    Shared().add(one)
    return Shared().add(other)


@example(*GIVEN)
def shared_by_all(one, other):
    return SHARED.add(one)


@example(*GIVEN)
def found_by_a_descriptor(one, other):
    return Finding(one).found


@example(*GIVEN)
def by_a_table(one, other):
    return TABLE["a"].get(one) + TABLE[other[:1] if other[:1] in TABLE else "b"].get(other)


@example(*GIVEN)
def unpacked_instances(one, other):
    first, second = PAIR
    return first.get(one) + second.get(other)


@example(*GIVEN)
def called_on_the_class(one, other):
    return Reader.get(Nested(one), other)


@example(*GIVEN)
def super_with_arguments(one, other):
    return super(Nested, Nested(one)).get(other)


@example(*GIVEN)
def reduced_by_a_method(one, other):
    return reduce(READER.joined, [one, other])


@example(*GIVEN)
def method_taken_before_a_change(one, other):
    reader = Reader(one)
    get = reader.get
    reader.value = other
    return get()


@example(*GIVEN)
def method_taken_of_another(one, other):
    reader = Reader(one)
    get = partial(reader.get)
    reader = Reader(other)
    return get() + reader.mark


@example(*GIVEN)
def one_of_two_changed(one, other):
    first = Reader(one)
    second = first if other > "m" else Reader("z")
    second.value = other
    return first.value


@example(*GIVEN)
def method_replaced(one, other):
    reader = Reader(one)
    reader.get = lambda _=None: other
    return reader.get()


@example(*GIVEN)
def changed_by_a_function(one, other):
    def change(reader):
        reader.value = other

    reader = Reader(one)
    change(reader)
    return reader.value


@example(*GIVEN)
def partial_that_changes(one, other):
    parts = Parts()
    partial(parts.add, one)()
    parts.add(other)
    return parts.parts[0]


@example(*GIVEN)
def changed_in_a_copied_list(one, other):
    readers = [Reader(one)]
    list(readers)[0].value = other
    return readers[0].value


@example(*GIVEN)
def attribute_by_a_computed_name(one, other):
    reader = Reader(one)
    return getattr(reader, other, "none") if other else reader.value


@example(*GIVEN)
def constant_of_the_class(one, other):
    return {"mark": Reader(one).mark, "own": Nested(other).mark}


@example(*GIVEN)
def changed_by_its_dictionary(one, other):
    reader = Reader([one])
    reader.__dict__["value"] = [other]
    return reader.value[0]


@example(*GIVEN)
def read_by_its_dictionary(one, other):
    return Reader(one).__dict__["value"]


@example(*GIVEN)
def constant_of_the_class_that_is_set(one, other):
    reader = Reader(one)
    if other > "c":
        reader.mark = other
    return reader.mark
