"""Functions that hide what they do with their arguments."""

import contextlib
import functools
import itertools
import operator
import string
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import asdict, astuple, dataclass, field, fields, replace

from functions.examples import example
from pyspark.sql import Row

PERSON = Row(name="Ada Lovelace", mail="ada@example.org", city="Bern")
Pair = namedtuple("Pair", "left right")


@example(PERSON)
def by_a_computed_name(person):
    return getattr(person, "ma" + "il")


@example(PERSON, "name")
def by_a_given_name(person, which):
    return person[which]


@example(PERSON)
def by_place(person):
    return person[1]


@example(PERSON)
def from_the_end(person):
    return person[-1]


@example(PERSON)
def by_slice(person):
    return person[1:][0]


@example(PERSON)
def all_of_it(person):
    return str(person)


@example(PERSON)
def unpacked(person):
    _, mail, *rest = person
    return mail + rest[0]


@example(PERSON)
def as_dict(person):
    return person.asDict()["mail"]


@example(PERSON)
def formatted_by_name(person):
    return "%(name)s lives in %(city)s" % person.asDict()


@example(PERSON)
def formatted_by_map(person):
    return "{mail}".format_map(person.asDict())


@example(PERSON)
def formatted_by_keywords(person):
    return "{mail} {name}".format(**person.asDict())


@example(PERSON)
def formatted_member(person):
    return "{0.city}/{0[0]}".format(person)


@example(PERSON)
def by_template(person):
    return string.Template("$name at $mail").substitute(person.asDict())


@example(PERSON)
def by_itemgetter(person):
    return operator.itemgetter("mail", "city")(person)


@example(PERSON)
def by_attrgetter(person):
    return operator.attrgetter("city")(person)


@example(PERSON)
def by_methodcaller(person):
    return operator.methodcaller("upper")(person.name)


@example("ada@example.org", "Bern")
def swapped(mail, city):
    mail, city = city, mail
    return {"mail": mail, "city": city}


@example("ada@example.org", "Bern")
def by_keywords(mail, city):
    def inner(*, first, second="x"):
        return first + second

    return inner(second=mail, first=city)


@example("ada@example.org", "Bern")
def by_stars(mail, city):
    def inner(*given, **named):
        return [given[0], named["city"]]

    return inner(*[mail], **{"city": city})


@example("ada@example.org", "Bern", "x")
def by_starred_call(*values):
    return values[1]


@example("ada@example.org", 3)
def by_message(mail, count):
    try:
        return int(mail) + count
    except ValueError as e:
        return str(e)


@example("ada@example.org", "Bern")
def by_key_error(mail, city):
    try:
        return {city: 1}[mail]
    except KeyError as e:
        return e.args[0]


@example("ada@example.org", 1)
def by_raise(mail, flag):
    try:
        if flag:
            raise RuntimeError(mail)
        return "none"
    except RuntimeError as e:
        return repr(e)


@example("ada@example.org", "Bern")
def by_finally(mail, city):
    try:
        return city
    finally:
        if len(mail) > 3:
            return mail  # noqa: B012


@example("ada@example.org", "Bern")
def by_suppress(mail, city):
    found = "none"
    with contextlib.suppress(ValueError):
        found = city
        int(mail)
        found = "number"
    return found


@example("ada@example.org", "Bern")
def by_own_context(mail, city):
    class Keeps:
        def __enter__(self):
            return mail

        def __exit__(self, *error):
            return False

    with Keeps() as kept:
        return kept + city[:1]


@example("ada@example.org", "Bern")
def by_yield(mail, city):
    def both():
        got = yield mail
        yield got

    each = both()
    next(each)
    return each.send(city)


@example("ada@example.org", "Bern")
def by_yield_from(mail, city):
    def inner():
        yield city

    def outer():
        yield from inner()
        yield mail

    return list(outer())


@example("ada@example.org", "Bern")
def by_nonlocal(mail, city):
    kept = "none"

    def keep(value):
        nonlocal kept
        kept = value

    keep(mail)
    return kept + city[:1]


@example("ada@example.org", "Bern")
def by_a_list_of_functions(mail, city):
    return [f() for f in (lambda: mail, lambda: city)]


@example("ada@example.org", "Bern")
def by_late_binding(mail, city):
    found = []
    for each in (mail, city):
        found.append(lambda: each)  # noqa: B023
    return found[0]()


@example("ada@example.org", "Bern")
def by_default(mail, city):
    def inner(value=mail):
        return value

    return inner() + city[:1]


@example("ada@example.org", "Bern")
def by_partial(mail, city):
    return functools.partial(lambda a, b: a + b[:1], mail)(city)


@example("ada@example.org", "Bern")
def by_reduce(mail, city):
    return functools.reduce(lambda a, b: b, [mail, city])


@example("ada@example.org", "Bern")
def by_map(mail, city):
    return list(map(lambda a, b: a + b, [mail], [city]))


@example("ada@example.org", ["Bern", "Rome"])
def by_zip(mail, cities):
    return [a for _, a in zip(mail, cities)]


@example("ada@example.org", ["Bern", "Rome"])
def by_enumerate(mail, cities):
    return [mail[n] for n, _ in enumerate(cities)]


@example("ada@example.org", ["Bern", "Rome"])
def by_sort_key(mail, cities):
    return sorted(cities, key=lambda c: c in mail or len(mail) > 16)[0]


@example("ada@example.org", ["Bern", "Rome"])
def by_max_key(mail, cities):
    return max(cities, key=lambda c: sum(x in mail for x in c))


@example("ada@example.org", ["Bern", "Rome"])
def by_groupby(mail, cities):
    return [k for k, _ in itertools.groupby(cities, key=lambda c: (c, len(mail)))][0][1]


@example("ada@example.org", "Bern")
def by_chain(mail, city):
    return list(itertools.chain.from_iterable([[mail], [city]]))[1]


@example("ada@example.org", "Bern")
def by_accumulate(mail, city):
    return list(itertools.accumulate([mail, city]))[-1]


@example("ada@example.org", "Bern")
def by_compress(mail, city):
    return list(itertools.compress([city], [mail]))


@example("ada@example.org", "Bern")
def by_takewhile(mail, city):
    return "".join(itertools.takewhile(lambda c: c != mail[:1], city))


@example("ada@example.org", "Bern")
def by_aliased_list(mail, city):
    first = []
    second = first
    second.append(mail)
    first.extend(city)
    return first[0]


@example("ada@example.org", "Bern")
def by_nested_alias(mail, city):
    box = {"in": {}}
    inner = box["in"]
    inner["mail"] = mail
    box["city"] = city
    return box["in"]


@example("ada@example.org", "Bern")
def by_setdefault(mail, city):
    box = {}
    box.setdefault("list", []).append(mail)
    return box["list"][0] + city[:1]


@example("ada@example.org", "Bern")
def by_defaultdict(mail, city):
    box = defaultdict(list)
    box["a"].append(mail)
    box["b"].append(city)
    return dict(box)


@example("ada@example.org", "Bern")
def by_computed_key(mail, city):
    box = {}
    box[mail] = city
    return list(box)[0]


@example("ada@example.org", "Bern")
def by_update(mail, city):
    box = {"mail": "none"}
    box.update({"mail": city}, other=mail)
    return box


@example("ada@example.org", "Bern")
def by_pop(mail, city):
    box = {"mail": mail, "city": city}
    kept = box.pop("mail")
    box["city"] = kept
    return box


@example("ada@example.org", "Bern")
def by_merge(mail, city):
    return {**{"a": mail}, **{"a": city}} | {"b": mail}


@example("ada@example.org", "Bern")
def by_dict_order(mail, city):
    return OrderedDict(a=mail, b=city).popitem(last=False)[1]


@example("ada@example.org", "Bern")
def by_counter(mail, city):
    return Counter([mail, mail, city]).most_common(1)[0][0]


@example("ada@example.org", "Bern")
def by_deque(mail, city):
    both = deque([mail, city], maxlen=2)
    both.rotate(1)
    return both[0]


@example("ada@example.org", "Bern")
def by_insert(mail, city):
    both = [city]
    both.insert(0, mail)
    return both[0]


@example("ada@example.org", "Bern")
def by_reverse(mail, city):
    both = [mail, city]
    both.reverse()
    return both[0]


@example("ada@example.org", "Bern")
def by_slice_assignment(mail, city):
    both = [city, city]
    both[0:1] = [mail]
    return both[0]


@example("ada@example.org", "Bern")
def by_deletion(mail, city):
    both = [city, mail]
    del both[0]
    return both[0]


@example("ada@example.org", "Bern")
def by_named_tuple(mail, city):
    return Pair(mail, city)._replace(left=city).left + Pair(mail, city)[0]


@dataclass
class Contact:
    mail: str
    city: str = ""
    tags: list = field(default_factory=list)

    def __post_init__(self):
        self.both = self.mail + self.city

    @property
    def host(self):
        return self.mail.partition("@")[2]

    def __str__(self):
        return self.city

    def __add__(self, other):
        return self.mail + other

    def __len__(self):
        return len(self.mail)

    def __contains__(self, item):
        return item in self.mail

    def __call__(self):
        return self.mail

    def __getitem__(self, item):
        return self.mail

    def __iter__(self):
        return iter([self.mail])

    def __eq__(self, other):
        return self.mail == other

    def __bool__(self):
        return len(self.mail) > 14


@example("ada@example.org", "Bern")
def by_post_init(mail, city):
    return Contact(mail, city).both


@example("ada@example.org", "Bern")
def by_property(mail, city):
    return Contact(mail, city).host


@example("ada@example.org", "Bern")
def by_str(mail, city):
    return f"{Contact(mail, city)}"


@example("ada@example.org", "Bern")
def by_addition(mail, city):
    return Contact(mail) + city


@example("ada@example.org", "Bern")
def by_len(mail, city):
    return len(Contact(mail)) + len(city)


@example("ada@example.org", "Bern")
def by_contains(mail, city):
    return "@" in Contact(mail, city)


@example("ada@example.org", "Bern")
def by_calling(mail, city):
    return Contact(mail, city)()


@example("ada@example.org", "Bern")
def by_getitem(mail, city):
    return Contact(mail, city)["city"]


@example("ada@example.org", "Bern")
def by_iteration(mail, city):
    return [*Contact(mail, city)][0]


@example("ada@example.org", "Bern")
def by_equality(mail, city):
    return Contact(mail, city) == "ada@example.org"


@example("ada@example.org", "Bern")
def by_truth(mail, city):
    return city if Contact(mail) else "none"


@example("ada@example.org", "Bern")
def by_asdict(mail, city):
    return asdict(Contact(mail, city))["mail"]


@example("ada@example.org", "Bern")
def by_astuple(mail, city):
    return astuple(Contact(mail, city))[1]


@example("ada@example.org", "Bern")
def by_replace(mail, city):
    return replace(Contact(mail, city), mail=city).mail


@example("ada@example.org", "Bern")
def by_fields(mail, city):
    contact = Contact(mail, city)
    return [getattr(contact, f.name) for f in fields(contact)][0]


@example("ada@example.org", "Bern")
def by_vars(mail, city):
    return vars(Contact(mail, city))["both"]


@example("ada@example.org", "Bern")
def by_setattr(mail, city):
    contact = Contact(city)
    setattr(contact, "mail", mail)
    return contact.host


@example("ada@example.org", "Bern")
def by_locals(mail, city):
    return locals()["mail"]


@example("ada@example.org", "Bern")
def by_match(mail, city):
    match {"mail": mail, "city": city}:
        case {"mail": str() as found, **rest} if len(found) > 3:
            return rest["city"] + found[:1]
        case _:
            return "none"


@example(["ada@example.org", "Bern"])
def by_match_sequence(values):
    match values:
        case [first, *rest]:
            return first + str(len(rest))
    return None


@example("ada@example.org", "Bern")
def by_walrus(mail, city):
    return found if (found := mail.upper()) and city else "none"


@example("ada@example.org", "Bern")
def by_chained_comparison(mail, city):
    return "a" < mail < city


@example("ada@example.org", "Bern")
def by_and(mail, city):
    return mail and city


@example("ada@example.org", 5)
def by_while(mail, count):
    found = ""
    while count > 0:
        found += mail[count % len(mail)]
        count -= 2
    return len(found)


@example("ada@example.org", ["Bern", "Rome"])
def by_break(mail, cities):
    for city in cities:
        if city[0] == mail[0].upper() or len(mail) > 15:
            break
    else:
        return "none"
    return city


@example("ada@example.org", ["Bern", "Rome"])
def by_last_of_a_loop(mail, cities):
    kept = mail
    for city in cities:
        last, kept = kept, city
    return last


@example("ada@example.org", 4)
def by_recursion(mail, count):
    return mail if count <= 0 else by_recursion(mail[1:], count - 1)


@example("ada@example.org", "Bern")
def by_lru_cache(mail, city):
    @functools.lru_cache
    def inner(value):
        return value + city[:1]

    return inner(mail)


@example("ada@example.org", "Bern")
def by_wraps(mail, city):
    def twice(f):
        @functools.wraps(f)
        def call(*values):
            return f(*values[::-1])

        return call

    @twice
    def inner(first, second):
        return first

    return inner(mail, city)


@example("ada@example.org", "Bern")
def by_inner_class(mail, city):
    class Base:
        def value(self):
            return mail

    class Derived(Base):
        def value(self):
            return super().value() + city[:1]

    return Derived().value()


@example("ada@example.org", "Bern")
def by_class_attribute(mail, city):
    class Holder:
        kept = city

    Holder.kept = mail
    return Holder().kept


@example("ada@example.org", "Bern")
def by_getattr_hook(mail, city):
    class Any:
        def __getattr__(self, name):
            return mail if name == "x" else city

    return Any().x


@example("ada@example.org", "Bern")
def by_descriptor(mail, city):
    class Gives:
        def __get__(self, holder, kind=None):
            return mail

    class Holder:
        value = Gives()

    return Holder().value + city[:1]


@example("ada@example.org", "Bern")
def by_new(mail, city):
    class Text(str):
        def __new__(cls, value):
            return super().__new__(cls, mail)

    return Text(city)


@example("ada@example.org", "Bern")
def by_eval(mail, city):
    return eval("mail + city")  # noqa: S307


@example("ada@example.org", "Bern")
def by_exec(mail, city):
    box = {"m": mail}
    exec("r = m", box)  # noqa: S102
    return box["r"]


@example("ada@example.org", "Bern")
def by_type(mail, city):
    return type("T", (), {"x": mail})().x + city[:1]


@example("ada@example.org", "Bern")
def by_bytes(mail, city):
    box = bytearray(b"")
    box += mail.encode()
    return box.decode() + city[:1]


@example("ada@example.org", "Bern")
def by_join_of_characters(mail, city):
    return "".join(chr(ord(c)) for c in mail) + city[:0]


@example("ada@example.org", "Bern")
def by_index(mail, city):
    return "abcdefghijklmnop@."[::1].index(mail[0])


@example("ada@example.org", "Bern")
def by_lookup_of_characters(mail, city):
    table = {c: c for c in "abcdefghijklmnopqrstuvwxyz@."}
    return "".join(table.get(c, "") for c in mail)


@example("ada@example.org", "Bern")
def by_branches(mail, city):
    found = ""
    for c in mail:
        if c == "a":
            found += "a"
        elif c == "@":
            found += "@"
        else:
            found += "."
    return found


@example("ada@example.org", "Bern")
def by_assert(mail, city):
    try:
        assert mail.startswith("a")
        return city
    except AssertionError:
        return "other"


@example("ada@example.org", "Bern")
def by_stop_iteration(mail, city):
    values = iter([city] if "@" in mail else [])
    return next(values, "none")


@example("ada@example.org", "Bern")
def by_iter_sentinel(mail, city):
    letters = iter(mail)
    return "".join(iter(lambda: next(letters), "@")) + city[:0]


@example("ada@example.org", "Bern")
def by_global_function_table(mail, city):
    return {"upper": str.upper, "lower": str.lower}["upper"](mail) + city[:0]


@example("ada@example.org", "Bern")
def by_type_check(mail, city):
    return isinstance(mail, str) and city


@example({"mail": "ada@example.org", "city": "Bern"})
def by_items(record):
    return [v for k, v in record.items() if k != "city"]


@example({"mail": "ada@example.org", "city": "Bern"})
def by_values(record):
    return list(record.values())[0]


@example({"mail": "ada@example.org", "city": "Bern"})
def by_changed_input(record):
    record["mail"] = record["city"]
    return record


@example({"mail": "ada@example.org", "city": "Bern"})
def by_removed_member(record):
    del record["mail"]
    return record


@example({"mail": "ada@example.org", "city": "Bern"})
def by_comprehension(record):
    return {k.upper(): v for k, v in record.items()}


@example([{"mail": "ada@example.org", "city": "Bern"}, {"mail": "bob@example.org", "city": "Rome"}])
def by_members_of_elements(records):
    return {r["city"]: r["mail"] for r in records}


@example([{"mail": "ada@example.org", "city": "Bern"}, {"mail": "bob@example.org", "city": "Rome"}])
def by_filtered_elements(records):
    return [r["city"] for r in records if r["mail"].startswith("a")]


@example([{"mail": "ada@example.org", "city": "Bern"}, {"mail": "bob@example.org", "city": "Rome"}])
def by_first_match(records):
    return next((r["city"] for r in records if "@" in r["mail"]), None)
