"""What the rows of a populated entity have passed, and what their attributes are, for active lineage.

A row of the target is made of one of the driving entity and, where the mapping navigates, of one of the second or of
none. Where the mapping aggregates, it is made of several, and nobody says by what they are grouped. Only texts are
compared: of a comparison with numbers or dates it is known which attributes are in it, because nobody says which type
these have.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from headwater_facets import facets as f
from headwater_mappings import tree
from headwater_mappings.rendering import condition_text
from headwater_mappings.tree import attributes, used_in

_TEXT: Final = "string"
Rows = dict[str, int]
"""The number of the row of each entity."""


def populations(mapping: tree.Mapping, namespace: str) -> list[f.Population]:
    """The rows with a partner, and those without; one population where the mapping does not navigate."""
    way = mapping.navigation
    if way is None or way.target == mapping.driving:
        # Of an entity that is joined with itself, a name does not tell which of the two rows it is of.
        return [] if way else [_population(mapping, namespace, {mapping.driving: 0}, ())]
    joined = [tree.Comparison(left, "=", right) for left, right in way.pairs]
    both = {mapping.driving: 0, way.target: 1}
    return [
        _population(mapping, namespace, both, joined),
        _population(mapping, namespace, {mapping.driving: 0}, ()),
    ]


def _population(
    mapping: tree.Mapping, namespace: str, rows: Rows, joined: Iterable[tree.Condition]
) -> f.Population:
    grouped = any(_aggregates(with_.expression) for each in mapping.populates for with_ in each.choices)
    passed = [*joined, *([mapping.filter] if mapping.filter else [])]
    return f.Population(
        rows=[
            f.PopulationRow(number, [{"namespace": namespace, "name": entity}], kept=True)
            for entity, number in rows.items()
        ],
        conditions=[
            f.Passed(number, condition_text(each), _condition(each, rows))
            for number, each in enumerate(passed)
        ],
        values=[_grouped(each, rows) if grouped else _value(each, rows) for each in mapping.populates],
    )


def _grouped(populate: tree.Populate, rows: Rows) -> f.PopulationValue:
    """A value of a row that is made of several, of which it is not known which one each value is of."""
    expression = {"opaque": True, "of": _columns(used_in(populate), rows), "others": True}
    return f.PopulationValue([populate.attribute.name], expression)


def _value(populate: tree.Populate, rows: Rows) -> f.PopulationValue:
    args: list[dict[str, Any]] = []
    for choice in populate.choices:
        if choice.condition is not None:
            args.append(_condition(choice.condition, rows))
        args.append(_expression(choice.expression, rows))
    always = populate.choices[-1].condition is None
    expression = args[0] if len(args) == 1 and always else {"op": "case", "args": args}
    known = all(isinstance(each.expression, tree.Attribute | tree.Text) for each in populate.choices)
    return f.PopulationValue([populate.attribute.name], expression, _TEXT if known else None)


def _expression(node: tree.Expression, rows: Rows) -> dict[str, Any]:
    if isinstance(node, tree.Attribute | tree.Text):
        return _leaf(node, rows)
    return {"opaque": True, "of": _columns(attributes(node), rows)}


def _aggregates(node: tree.Expression) -> bool:
    match node:
        case tree.Aggregation():
            return True
        case tree.Computation(_, left, right):
            return _aggregates(left) or _aggregates(right)
        case tree.Concatenation(parts):
            return any(map(_aggregates, parts))
        case _:
            return False


def _columns(found: Iterable[tree.Attribute], rows: Rows) -> list[dict[str, Any]]:
    return [_leaf(each, rows) for each in dict.fromkeys(found) if each.entity in rows]


def _leaf(node: tree.Attribute | tree.Text, rows: Rows) -> dict[str, Any]:
    if isinstance(node, tree.Text):
        return {"literal": node.value, "type": _TEXT}
    if node.entity not in rows:
        return {"literal": None, "type": _TEXT}
    return {"row": rows[node.entity], "path": [node.name], "type": _TEXT}


def _condition(node: tree.Condition, rows: Rows) -> dict[str, Any]:
    match node:
        case tree.AllOf(parts):
            return {"op": "and", "args": [_condition(each, rows) for each in parts]}
        case tree.AnyOf(parts):
            return {"op": "or", "args": [_condition(each, rows) for each in parts]}
        case tree.Comparison(left, operator, right):
            if isinstance(right, tree.Value) or operator not in {"=", "!="}:
                return {"opaque": True, "of": _columns(attributes(node), rows)}
            equal = {"op": "=", "args": [_leaf(left, rows), _leaf(right, rows)]}
            return equal if operator == "=" else {"op": "not", "args": [equal]}
