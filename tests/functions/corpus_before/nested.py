import copy
import itertools
import json
from collections import OrderedDict
from operator import itemgetter

from functions.examples import example
from pyspark.sql import Row

ADDRESS = Row(street="Rue 1", city="Paris", zip="75001", geo=Row(lat=48.8, lon=2.3))
PERSON = Row(id=7, name=Row(first="Ada", last="Lovelace"), mail="ada@example.org", address=ADDRESS)
ITEMS = [Row(sku="a", price=2.5, quantity=2), Row(sku="b", price=4.0, quantity=1)]


@example(ADDRESS)
def city(a):
    return a.city


@example(PERSON)
def deep(person):
    return person.address.geo.lat


@example(PERSON)
def by_item(person):
    return person["name"]["last"]


@example(ADDRESS)
def address_line(a):
    return f"{a.street}, {a.zip} {a.city}"


@example("Ada", ITEMS)
def name_and_count(name, items):
    return {"n": name, "k": len(items)}


@example(PERSON)
def flat(person):
    return Row(id=person.id, first=person.name.first, city=person.address.city)


@example(PERSON)
def as_tuple(person):
    return (person.id, person.mail.lower())


@example(ITEMS)
def item_skus(items):
    return [i.sku for i in items]


@example(ITEMS)
def item_totals(items):
    return [{"sku": i.sku, "total": i.price * i.quantity} for i in items]


@example(ITEMS)
def basket_total(items):
    total = 0.0
    for item in items:
        total += item.price * item.quantity
    return total


@example(ITEMS)
def expensive(items):
    return [i.sku for i in items if i.price > 3]


@example(ITEMS)
def by_sku(items):
    return {i.sku: i.price for i in items}


@example(ITEMS)
def first_item(items):
    return items[0].sku if items else None


@example(PERSON)
def as_json(person):
    return json.dumps({"id": person.id, "name": person.name.first})


@example(PERSON)
def to_dict(person):
    return person.asDict()


@example(PERSON)
def dict_city(person):
    d = person.asDict(True)
    return d["address"]["city"]


@example({"a": 1, "b": {"c": 2}})
def merged(props):
    result = dict(props)
    result["x"] = 1
    return result


@example({"a": 1, "b": 2}, 5)
def with_key(props, value):
    return {**props, "c": value}


@example({"name": "Ada", "city": "Paris"})
def pop_name(props):
    props = copy.deepcopy(props)
    name = props.pop("name")
    return {"name": name, "rest": props}


@example({"k": "v", "w": "x"})
def values_only(props):
    return sorted(props.values())


@example({"k": "v"}, "k")
def lookup(props, key):
    return props.get(key, "missing")


@example([[1, 2], [3]])
def flattened(lists):
    return list(itertools.chain.from_iterable(lists))


@example([1, 2], ["a", "b"])
def zipped(numbers, letters):
    return [{"n": n, "l": l} for n, l in zip(numbers, letters)]


@example(ITEMS)
def enumerated(items):
    return [(i, item.sku) for i, item in enumerate(items)]


@example(ITEMS)
def grouped(items):
    groups = {}
    for item in items:
        groups.setdefault(item.sku, []).append(item.price)
    return groups


@example(ITEMS)
def sorted_items(items):
    return [i.sku for i in sorted(items, key=lambda i: i.price)]


@example({"first": "Ada", "last": "L"})
def getter(person):
    return itemgetter("first", "last")(person)


@example(PERSON)
def nested_build(person):
    contact = {"mail": person.mail}
    address = {"city": person.address.city, "geo": {"lat": person.address.geo.lat}}
    return {"contact": contact, "address": address}


@example(PERSON)
def mutate(person):
    out = {}
    out["id"] = person.id
    out["name"] = {}
    out["name"]["full"] = person.name.first + " " + person.name.last
    return out


@example(PERSON, True)
def conditional_member(person, show):
    result = {"id": person.id, "mail": None}
    if show:
        result["mail"] = person.mail
    return result


@example(Row(kind="a", a=1, b=2))
def choose(row):
    return row.a if row.kind == "a" else row.b


@example(Row(kind="card", number="4111", holder="Ada"))
def match_row(payment):
    match payment.kind:
        case "card":
            return payment.number[-4:]
        case "cash":
            return "cash"
        case _:
            return payment.holder


@example({"type": "circle", "r": 2.0, "w": 1.0, "h": 3.0})
def area(shape):
    match shape:
        case {"type": "circle", "r": r}:
            return 3.14 * r * r
        case {"type": "square", "w": w, "h": h}:
            return w * h
    return 0.0


@example(PERSON)
def aliasing(person):
    a = {"x": person.id}
    b = a
    b["y"] = person.mail
    return a


@example([Row(k="x", v=1), Row(k="y", v=2)])
def as_map(pairs):
    return OrderedDict((p.k, p.v) for p in pairs)


@example(PERSON)
def with_helper(person):
    return initials(person.name)


def initials(name):
    return name.first[0] + name.last[0]


@example(PERSON)
def getattr_constant(person):
    return getattr(person, "mail")


@example(PERSON, "mail")
def getattr_variable(person, field):
    return getattr(person, field)


@example(PERSON)
def loop_over_fields(person):
    return {f: getattr(person, f) for f in ("id", "mail")}


@example(PERSON)
def unpack(person):
    identifier, name, *rest = person
    return {"id": identifier, "first": name.first}


@example([Row(a=1, b=2)])
def generator(rows):
    for row in rows:
        yield {"a": row.a, "twice": row.b * 2}


@example(ITEMS)
def any_expensive(items):
    return any(i.price > 3 for i in items)


@example(ITEMS)
def star(items):
    first, *others = items
    return first.sku


@example({"a": {"b": {"c": 5}}})
def safe_get(doc):
    return (((doc or {}).get("a") or {}).get("b") or {}).get("c")


@example(ADDRESS, PERSON)
def two_structs(address, person):
    return {"street": address.street, "mail": person.mail}
