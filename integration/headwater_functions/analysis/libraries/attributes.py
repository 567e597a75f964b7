"""Functions that take members by names that are values, and that ask what a value is."""

from __future__ import annotations

from dataclasses import replace

from headwater_functions.analysis.callables import Call, OwnClass
from headwater_functions.analysis.calls import super_of
from headwater_functions.analysis.constants import member_of
from headwater_functions.analysis.frame import Frame
from headwater_functions.analysis.heap import Object
from headwater_functions.analysis.instructions.matching import size_of
from headwater_functions.analysis.values import COMPUTED, FACT, NOTHING, Value, join


def attribute_by_name(f: Frame, call: Call) -> Value:
    name = call.argument(1)
    if name is None:
        return f.compute(call.all)
    values = [c.value for c in name.constants]
    if name.refs or name.calls or name.other or not values or not all(isinstance(v, str) for v in values):
        refuse = any(m.kind == "object" for _, m in f.objects(call.args[0]))
        return (
            f.touched(call.all, "it reads an attribute by a computed name")
            if refuse
            else f.compute(call.args)
        )
    found = join(*(f.attribute(call.args[0], v) for v in values), *call.args[2:])
    return f.decided(found, [name])


def part_of(f: Frame, call: Call) -> Value:
    """``operator.getitem``."""
    return f.item(*call.args) if len(call.args) == 2 and not call.spread else f.touched(call.all)


def getter(f: Frame, call: Call) -> Value:
    """``operator.itemgetter``, ``operator.attrgetter``."""
    made = call.name.rpartition(".")[2]
    return f.new(Object("getter", members=dict(enumerate(call.args)), made=made), "getter")


def map_of_maps(f: Frame, call: Call) -> Value:
    """``ChainMap``: shows what its dictionaries hold, also later, if the function can change these."""
    if any(made.kind != "argument" for value in call.all for _, made in f.objects(value)):
        raise f.unreadable("CONSTRUCT", "it makes a ChainMap of what it may change", "merge dictionaries")
    return f.compute(call.all)


def fields_of(f: Frame, call: Call) -> Value:
    """``asdict``, ``astuple``, ``replace`` of an instance of a dataclass that has no parts in its fields."""
    made = _flat_instance(f, call)
    if made is None:
        return f.compute(call.all)
    if call.name.endswith("replace"):
        return f.new(replace(made, members={**made.members, **call.keywords}), "replaced")
    if call.name.endswith("asdict"):
        return f.new(Object("dict", made.own, made.members), "fields")
    members = {i: made.members[name] for i, name in enumerate(made.made.fields)}
    return f.new(Object("tuple", made.own, members), "fields")


def _flat_instance(f: Frame, call: Call) -> Object | None:
    objects = f.objects(call.args[0]) if len(call.args) == 1 and not call.spread else []
    made = objects[0][1] if len(objects) == 1 and call.args[0] == Value(refs=call.args[0].refs) else None
    kind = made.made if made is not None else None
    if made is None or not isinstance(kind, OwnClass) or kind.kind != "dataclass":
        return None
    known = list(made.members) == list(kind.fields) and made.elements is NOTHING
    given = call.keywords.keys() <= made.members.keys() and not any(v.refs for v in made.members.values())
    return made if known and given and member_of(kind, "__post_init__") is None else None


def with_fixed(f: Frame, call: Call) -> Value:
    """``functools.partial``."""
    if call.spread or "**" in call.keywords or not call.args:
        raise f.unreadable(
            "CONSTRUCT", "it gives functools.partial what is not known", "write a function with the arguments"
        )
    return f.partial(call.args[0], tuple(call.args[1:]), tuple(call.keywords.items()))


def seen_from_above(f: Frame, call: Call) -> Value:
    """``super()``, also with the class and the instance."""
    if call.args:
        return super_of(f, call.args)
    code = f.function.code
    names = ("__class__", *code.variables[:1])
    return super_of(f, [_variable(f, name) for name in names])


def _variable(f: Frame, name: str) -> Value:
    """A variable of the function, also if it lies in a cell."""
    code = f.function.code
    if name not in code.cells and name not in code.free:
        return f.state.names.get(name, COMPUTED)
    held = f.state.names.get(f"\0{name}", COMPUTED)
    cells = [made.part("content") for _, made in f.objects(held) if made.kind == "cell"]
    return join(*cells) if cells else held


def type_of(f: Frame, call: Call) -> Value:
    if len(call.args) != 1:
        raise f.unreadable("CONSTRUCT", "it makes a class by calling type", "write a class statement")
    return f.compute(call.args[:1], FACT)


def is_instance(f: Frame, call: Call) -> Value:
    return f.compute(call.args, FACT)


def length(f: Frame, call: Call) -> Value:
    return join(*(size_of(f, a) for a in call.args)) if call.args else COMPUTED
