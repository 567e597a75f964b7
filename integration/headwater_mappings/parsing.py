"""Reading of mappings: the grammar is in ``mappings.lark``."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Final

from lark import Lark, v_args
from lark.exceptions import UnexpectedInput
from lark.visitors import Transformer_NonRecursive

from headwater_mappings import tree
from headwater_mappings.errors import MappingError
from headwater_mappings.rendering import KEYWORDS
from headwater_mappings.tree import Place, sources_in

MOST_CHARACTERS: Final = 16 * 1024 * 1024
MOST_DEPTH: Final = 100
"""Of expressions and conditions inside each other; a sum of as many terms is as deep."""
_SHOWN: Final = {
    "NAME": "a name",
    "QUOTED": "a name in backquotes",
    "TEXT": "a text in quotes",
    "NUMBER": "a number",
    "DATE": "a date",
    "SIGN": "+ or -",
    "TIMES": "x or /",
    "AGGREGATE": "SUM, AVG, MIN or MAX",
    "WORD_OPERATOR": "LIKE, CONTAINS or IN",
    "_ENTITY": "Entity:",
    "_ATTRIBUTE": "Attribute:",
    "$END": "the end",
}


def parse(text: str) -> tuple[tree.Mapping, ...]:
    """The mappings of a text. Raises ``MappingError`` with the place of what is wrong."""
    if len(text) > MOST_CHARACTERS:
        raise MappingError(
            1, 1, f"the text is longer than {MOST_CHARACTERS:,} characters", "take several files"
        )
    try:
        parsed = _parser().parse(text)
    except UnexpectedInput as error:
        raise _problem(error) from None
    found: tuple[tree.Mapping, ...] = _builder().transform(parsed)
    for each in found:
        _check(each)
    return found


def _problem(error: UnexpectedInput) -> MappingError:
    ended = getattr(getattr(error, "token", None), "type", "") == "$END"
    shown = getattr(error, "char", "") or str(getattr(error, "token", ""))
    problem = "the text ends too early" if ended else f"{shown!r} is not expected here"
    hint = _expected(error)
    if shown in KEYWORDS:
        hint += f"; a name with the word {shown} in it stands in backquotes"
    return MappingError(max(error.line, 1), max(error.column, 1), problem, hint)


def _expected(error: UnexpectedInput) -> str:
    found = getattr(error, "accepts", None) or getattr(error, "allowed", None) or ()
    names = sorted({_SHOWN.get(each) or _literal(each) for each in found})
    return (
        f"expected {', '.join(names[:-1])} or {names[-1]}"
        if len(names) > 1
        else f"expected {names[0]}"
        if names
        else ""
    )


def _literal(name: str) -> str:
    return next((str(each.pattern.value) for each in _parser().terminals if each.name == name), name)


@cache
def _parser() -> Any:
    grammar = files(__package__).joinpath("mappings.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", propagate_positions=True, maybe_placeholders=True)


@cache
def _builder() -> Any:
    @v_args(inline=True, meta=True)
    class Builder(Transformer_NonRecursive):  # type: ignore[type-arg, misc, unused-ignore]
        """Builds the tree from what the grammar recognised."""

        def start(self, _: Any, *mappings: Any) -> tuple[Any, ...]:
            return mappings

        def name(self, _: Any, token: Any) -> str:
            return str(token)[1:-1] if token.type == "QUOTED" else " ".join(str(token).split())

        def entity(self, meta: Any, *parts: Any) -> tuple[str, Place]:
            return parts[-1], Place(meta.line, meta.column)

        def attribute(self, meta: Any, *parts: Any) -> tree.Attribute:
            return tree.Attribute(parts[-2], parts[-1], Place(meta.line, meta.column))

        def text(self, _: Any, token: Any) -> tree.Text:
            return tree.Text(str(token)[1:-1])

        def value(self, _: Any, token: Any) -> tree.Value:
            return tree.Value(str(token))

        def substring(self, _: Any, of: Any, start: Any, end: Any) -> tree.Substring:
            return tree.Substring(of, str(start), str(end))

        def concatenation(self, _: Any, *parts: Any) -> tree.Concatenation:
            return tree.Concatenation(parts)

        def computation(self, _: Any, left: Any, operator: Any, right: Any) -> tree.Computation:
            return tree.Computation("x" if str(operator) == "*" else str(operator), left, right)

        def aggregation(self, _: Any, function: Any, of: Any) -> tree.Aggregation:
            return tree.Aggregation(str(function), of)

        def operator(self, _: Any, token: Any) -> str:
            return str(token)

        def comparison(self, _: Any, left: Any, operator: Any, right: Any) -> tree.Comparison:
            return tree.Comparison(left, operator, right)

        def all_of(self, _: Any, *parts: Any) -> tree.AllOf:
            return tree.AllOf(parts)

        def any_of(self, _: Any, *parts: Any) -> tree.AnyOf:
            return tree.AnyOf(parts)

        def with_clause(self, _: Any, expression: Any, condition: Any) -> tree.With:
            return tree.With(expression, condition)

        def populate(self, _: Any, attribute: Any, *choices: Any) -> tree.Populate:
            return tree.Populate(attribute, choices)

        def filter(self, _: Any, condition: Any) -> tuple[str, Any]:
            return "filter", condition

        def pair(self, _: Any, left: Any, right: Any) -> tuple[Any, Any]:
            return left, right

        def navigation(self, meta: Any, source: Any, target: Any, *pairs: Any) -> tree.Navigation:
            return tree.Navigation(source[0], target[0], pairs, Place(meta.line, meta.column))

        def mapping(self, meta: Any, target: Any, driving: Any, *rest: Any) -> tree.Mapping:
            populates = tuple(each for each in rest if isinstance(each, tree.Populate))
            conditions = [each[1] for each in rest if isinstance(each, tuple)]
            navigations = [each for each in rest if isinstance(each, tree.Navigation)]
            return tree.Mapping(
                target[0],
                driving[0],
                populates,
                conditions[0] if conditions else None,
                navigations[0] if navigations else None,
                Place(meta.line, meta.column),
            )

    return Builder()


def _check(mapping: tree.Mapping) -> None:
    """Raise an error for what can be written, and has no meaning."""
    _check_navigation(mapping)
    seen: set[str] = set()
    for each in mapping.populates:
        _check_populate(each, mapping.target)
        if each.attribute.name in seen:
            raise MappingError(
                *each.attribute.place,
                f"{each.attribute.name} is populated twice",
                "put the second expression behind another WITH",
            )
        seen.add(each.attribute.name)
    _check_depth(mapping.filter, mapping.place)
    known = {mapping.driving} | ({mapping.navigation.target} if mapping.navigation else set())
    for attribute in sources_in(mapping):
        if attribute.entity not in known:
            raise _stranger(attribute, known)


def _check_navigation(mapping: tree.Mapping) -> None:
    navigation = mapping.navigation
    if navigation and navigation.source != mapping.driving:
        raise MappingError(
            *navigation.place,
            f"NAVIGATE begins at {navigation.source}",
            f"it begins at the driving entity, {mapping.driving}",
        )


def _check_populate(populate: tree.Populate, target: str) -> None:
    if populate.attribute.entity != target:
        raise _stranger(populate.attribute, {target})
    for choice in populate.choices:
        _check_depth(choice.expression, populate.attribute.place)
        _check_depth(choice.condition, populate.attribute.place)
    if any(choice.condition is None for choice in populate.choices[:-1]):
        raise MappingError(
            *populate.attribute.place,
            f"of {populate.attribute.name}, a WITH behind one without IF is never taken",
            "let the one without IF be the last",
        )


def _check_depth(node: tree.Expression | tree.Condition | None, place: Place) -> None:
    if tree.depth(node) > MOST_DEPTH:
        raise MappingError(*place, f"what stands here is nested more than {MOST_DEPTH} deep", "split it")


def _stranger(attribute: tree.Attribute, known: set[str]) -> MappingError:
    near = get_close_matches(attribute.entity, known, 1) or sorted(known)
    return MappingError(
        *attribute.place,
        f"{attribute.entity} is no entity of this mapping",
        f"did you mean {' or '.join(near)}?",
    )
