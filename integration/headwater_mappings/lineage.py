"""What an attribute is populated of: by which transformation, and what can be read back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from headwater_facets.kinds import Access, Manipulation, Retains, Subtype, retained
from headwater_mappings import tree
from headwater_mappings.tree import attributes

_AGGREGATES: Final = {
    "SUM": (Manipulation.AGGREGATE, Retains.STATISTIC),
    "AVG": (Manipulation.AGGREGATE, Retains.STATISTIC),
    "MIN": (Manipulation.PICK, Retains.VALUE),
    "MAX": (Manipulation.PICK, Retains.VALUE),
}


@dataclass(frozen=True, slots=True)
class Flow:
    """An attribute that another is made of, or, without ``retains``, that only decides about it."""

    source: tree.Attribute
    subtype: Subtype
    manipulations: tuple[Manipulation, ...] = ()
    functions: tuple[str, ...] = ()
    retains: Retains | None = None
    access: Access | None = None


def flows_of(populate: tree.Populate) -> Iterator[Flow]:
    """All that the attribute is made of, by whichever choice, and all that decides between the choices."""
    for choice in populate.choices:
        yield from _flows(choice.expression, populate.attribute.name)
    for choice in populate.choices:
        for each in attributes(choice.condition):
            yield Flow(each, Subtype.CONDITIONAL, access=Access.CONDITION)


def _flows(node: tree.Expression, name: str) -> Iterator[Flow]:
    match node:
        case tree.Attribute():
            moved = Manipulation.COPY if node.name == name else Manipulation.RENAME
            yield Flow(node, Subtype.IDENTITY, (moved,), retains=Retains.VALUE)
        case tree.Substring(of=of):
            yield _computed(of, "substr", Retains.PART)
        case tree.Aggregation(function, of):
            manipulation, retains = _AGGREGATES[function]
            yield Flow(of, Subtype.AGGREGATION, (manipulation,), (function.lower(),), retains)
        case tree.Concatenation(parts):
            for part in parts:
                yield from _inside(part, "concat")
        case tree.Computation(operator, left, right):
            for part in (left, right):
                yield from _inside(part, operator)
        case _:
            return


def _computed(source: tree.Attribute, function: str, retains: Retains) -> Flow:
    return Flow(source, Subtype.TRANSFORMATION, (Manipulation.COMPUTE,), (function,), retains)


def _inside(node: tree.Expression, function: str) -> Iterator[Flow]:
    """What a part of a concatenation or a computation brings, with what these do to it."""
    for each in _flows(node, ""):
        if each.subtype is Subtype.IDENTITY:
            yield _computed(each.source, function, Retains.CONTAINS)
        elif each.retains is not None:
            yield Flow(
                each.source,
                each.subtype,
                tuple(dict.fromkeys((*each.manipulations, Manipulation.COMPUTE))),
                (*each.functions, function),
                retained(each.retains, Retains.CONTAINS),
            )
