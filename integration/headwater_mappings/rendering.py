"""Mappings as text: what ``parse`` reads as the same mappings."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from headwater_mappings import tree

KEYWORDS: Final = frozenset(
    [
        "WHEN",
        "POPULATING",
        "FROM",
        "POPULATE",
        "WITH",
        "IF",
        "SELECT",
        "ROWS",
        "WHERE",
        "NAVIGATE",
        "TO",
        "USING",
        "AND",
        "OR",
        "LIKE",
        "CONTAINS",
        "IN",
    ]
) | {"SUM", "AVG", "MIN", "MAX", "substr", "x"}
"""Words that end a name, unless it stands in backquotes."""
_NAME: Final = re.compile(r"[^\W\d]\w*( \w+)*")
_PRODUCT: Final = frozenset({"x", "/"})


def render(mappings: Iterable[tree.Mapping]) -> str:
    """The text of mappings, one behind the other."""
    return "\n\n".join(map(_mapping, mappings)) + "\n"


def _mapping(mapping: tree.Mapping) -> str:
    lines = list(map(comment, mapping.remarks))
    lines.append(f"WHEN POPULATING {_name(mapping.target)} FROM {_name(mapping.driving)}")
    for each in mapping.populates:
        lines += [f"  {comment(remark)}" for remark in each.remarks]
        lines.append(f"  POPULATE {_attribute(each.attribute)}")
        for choice in each.choices:
            condition = f" IF {condition_text(choice.condition)}" if choice.condition else ""
            lines.append(f"    WITH {expression_text(choice.expression)}{condition}")
    if mapping.filter is not None:
        lines.append(f"  SELECT ROWS WHERE {condition_text(mapping.filter)}")
    if (way := mapping.navigation) is not None:
        pairs = ", ".join(f"{_attribute(left)} = {_attribute(right)}" for left, right in way.pairs)
        lines.append(f"  NAVIGATE FROM {_name(way.source)} TO {_name(way.target)} USING {pairs}")
    return "\n".join(lines)


def comment(text: str) -> str:
    """The text as a comment, in one line."""
    return "# " + "".join(each if each.isprintable() else " " for each in text)


def _name(name: str) -> str:
    plain = _NAME.fullmatch(name) is not None and not KEYWORDS.intersection(name.split(" "))
    return name if plain else f"`{name}`"


def _attribute(each: tree.Attribute) -> str:
    return f"{_name(each.entity)}.{_name(each.name)}"


def expression_text(node: tree.Expression) -> str:
    """The text of an expression."""
    match node:
        case tree.Attribute():
            return _attribute(node)
        case tree.Text(value):
            return f'"{value}"'
        case tree.Value(text):
            return text
        case tree.Substring(of, start, end):
            return f"substr({_attribute(of)}, {start}, {end})"
        case tree.Concatenation(parts):
            return " || ".join(map(expression_text, parts))
        case tree.Aggregation(function, of):
            return f"{function}({_attribute(of)})"
        case tree.Computation(operator, left, right):
            return (
                f"{_operand(left, operator, right=False)} {operator} {_operand(right, operator, right=True)}"
            )


def _operand(node: tree.Expression, outer: str, *, right: bool) -> str:
    text = expression_text(node)
    if not isinstance(node, tree.Computation):
        return text
    looser = outer in _PRODUCT and node.operator not in _PRODUCT
    same = (outer in _PRODUCT) == (node.operator in _PRODUCT)
    return f"({text})" if looser or (right and same) else text


def condition_text(node: tree.Condition) -> str:
    """The text of a condition."""
    match node:
        case tree.Comparison(left, operator, right):
            return f"{_attribute(left)} {operator} {expression_text(right)}"
        case tree.AllOf(parts):
            return " AND ".join(_inner(each) for each in parts)
        case tree.AnyOf(parts):
            return " OR ".join(
                _inner(each) if isinstance(each, tree.AnyOf) else condition_text(each) for each in parts
            )


def _inner(node: tree.Condition) -> str:
    text = condition_text(node)
    return text if isinstance(node, tree.Comparison) else f"({text})"
