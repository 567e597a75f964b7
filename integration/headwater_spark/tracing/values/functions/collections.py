"""Rules of functions over arrays and maps."""

from __future__ import annotations

from collections.abc import Sequence

from headwater_facets.kinds import Access, Manipulation, Retains, Subtype
from headwater_plan.nodes import Call, Expression
from headwater_plan.types import ELEMENT, KEY, VALUE, ArrayType, DataType
from headwater_spark.tracing.values.function_names import name_of
from headwater_spark.tracing.values.functions.steps import (
    Rule,
    by_value,
    compute,
    conditional,
    direct,
    extent,
    has_parts,
    named_as,
    serialize,
)
from headwater_spark.tracing.values.value import NOTHING, Value, apply, collapse, construct, extract, merge


def kept(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Elements of the first argument stay as they are; the others only decide which."""
    first, *deciding = args
    return merge((first, *(conditional(d, operator) for d in deciding)))


def kept_by_value(call: Call, args: Sequence[Value], operator: int) -> Value:
    """As ``kept``, where the elements decide which of them stay."""
    return merge((kept(call, args, operator), by_value(args[0], _element_type(call.args[0]), operator)))


def ordered(call: Call, args: Sequence[Value], operator: int) -> Value:
    """As ``kept``, in the elements' order: the members of a struct decide about each other."""
    elements = kept(call, args, operator)
    if not has_parts(_element_type(call.args[0])):
        return elements
    return merge((elements, conditional(args[0], operator)))


def without_nulls(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The elements that are not null."""
    if has_parts(_element_type(call.args[0])):
        return args[0]
    return kept_by_value(call, args, operator)


def _element_type(array: Expression) -> DataType | None:
    return array.type.element if isinstance(array.type, ArrayType) else None


def any_of(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Collections put together: an element of the result is one of any argument's."""
    return merge(named_as(a, e.type, call.type, operator) for e, a in zip(call.args, args, strict=True))


def united(call: Call, args: Sequence[Value], operator: int) -> Value:
    """As ``any_of``, each element once: the elements decide which of them stay."""
    element = _element_type(call)
    return merge((any_of(call, args, operator), *(by_value(a, element, operator) for a in args)))


def with_element(call: Call, args: Sequence[Value], operator: int) -> Value:
    """An array with its second argument as a further element; a third one decides the place."""
    array, *others = args
    item = others[-1] if others else NOTHING
    position = [conditional(p, operator, Access.INDEX) for p in others[:-1]]
    added = construct([(ELEMENT, apply(item, direct(operator, Manipulation.CONSTRUCT)))])
    return merge((array, added, *position))


def concat(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Of arrays: their elements; of strings: text built from them."""
    if isinstance(call.type, ArrayType):
        return any_of(call, args, operator)
    return serialize(call, args, operator)


def reverse(call: Call, args: Sequence[Value], operator: int) -> Value:
    return args[0] if isinstance(call.type, ArrayType) else compute(call, args, operator)


def flatten(call: Call, args: Sequence[Value], operator: int) -> Value:
    outer, inner = args[0], extract(args[0], ELEMENT)
    elements = apply(extract(inner, ELEMENT), direct(operator, Manipulation.FLATTEN))
    return merge((construct([(ELEMENT, elements)]), extent((outer, inner), operator)))


def array_of(*steps: str) -> Rule:
    """A new array of what a map has under the steps: one of them, or entries of key and value."""

    def rule(call: Call, args: Sequence[Value], operator: int) -> Value:
        extracted = [(s, apply(extract(args[0], s), direct(operator, Manipulation.EXTRACT))) for s in steps]
        made = construct([(ELEMENT, extracted[0][1] if len(steps) == 1 else construct(extracted))])
        return merge((made, extent(args[:1], operator)))

    return rule


def map_from_arrays(call: Call, args: Sequence[Value], operator: int) -> Value:
    how = direct(operator, Manipulation.CONSTRUCT)
    keys, values = (apply(extract(a, ELEMENT), how) for a in args[:2])
    return merge((construct([(KEY, keys), (VALUE, values)]), extent(args[:2], operator)))


def map_from_entries(call: Call, args: Sequence[Value], operator: int) -> Value:
    """Entries are structs; their first member is the key, the second the value."""
    names = _member_names(call.args[0])
    how = direct(operator, Manipulation.CONSTRUCT)
    entry = extract(args[0], ELEMENT)
    made = construct(
        (step, apply(extract(entry, n), how)) for step, n in zip((KEY, VALUE), names, strict=False)
    )
    return merge((made, extent(args[:1], operator)))


def _member_names(entries: Expression) -> tuple[str, ...]:
    element = entries.type.element if isinstance(entries.type, ArrayType) else None
    fields = getattr(element, "fields", ())
    return tuple(f.name for f in fields[:2]) or (KEY, VALUE)


def arrays_zip(call: Call, args: Sequence[Value], operator: int) -> Value:
    """An array of structs of one element each; the names are in the result's type."""
    element = call.type.element if isinstance(call.type, ArrayType) else None
    names = [f.name for f in getattr(element, "fields", ())] or [str(i) for i in range(len(args))]
    how = direct(operator, Manipulation.CONSTRUCT)
    members = construct((n, apply(extract(a, ELEMENT), how)) for n, a in zip(names, args, strict=False))
    return merge((construct([(ELEMENT, members)]), extent(args, operator)))


def array_repeat(call: Call, args: Sequence[Value], operator: int) -> Value:
    item, *times = args
    array = construct([(ELEMENT, apply(item, direct(operator, Manipulation.CONSTRUCT)))])
    return merge((array, *(conditional(t, operator) for t in times)))


def array_extreme(call: Call, args: Sequence[Value], operator: int) -> Value:
    """The least or greatest element, chosen by all of them."""
    how = direct(operator, Manipulation.EXTRACT, Manipulation.PICK, subtype=Subtype.TRANSFORMATION)
    return merge((apply(extract(args[0], ELEMENT), how), conditional(args[0], operator)))


def measured(call: Call, args: Sequence[Value], operator: int) -> Value:
    """How many elements there are, not which."""
    how = direct(
        operator,
        Manipulation.COUNT,
        subtype=Subtype.TRANSFORMATION,
        masking=True,
        function=name_of(call),
        retains=Retains.FACT,
    )
    return apply(collapse(merge(args)), how)
