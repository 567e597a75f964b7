"""Values that a job packs in CSV, XML or a text of places, and that it, or a later one, takes out in that notation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from oracle.companies.features import Feature
from oracle.companies.kinds import Leaf, Noted, Take
from oracle.companies.program import Program

_BETWEEN: Final = (",", "|", ";", "@", "-", ".", "::")
"""Some stand in the values of some attributes."""
_PATTERN: Final = {"|": "[|]", ".": "[.]"}
Part = tuple[str, Leaf]
Text = tuple[str, Sequence[Take]]
"""An expression that makes a text, and what may be taken of it."""


def note(p: Program) -> None:
    """Some leaves become a text."""
    found = p.leaves()
    if len(found) < 2 or not p.may(Feature.NOTATIONS, 0.8):
        return
    parts = p.chance.sample(found, min(len(found), p.chance.randint(2, 4)))
    expression, takes = p.chance.choice((_csv, _xml, _places, _places, _format, _address, _pairs))(p, parts)
    p.with_column(expression, Noted(tuple(takes)))


def take_noted(p: Program) -> None:
    """One value is taken out of such a text."""
    if (column := p.of(Noted)) is None or not p.may(Feature.NOTATIONS, 0.9):
        return
    kind = p.columns[column]
    assert isinstance(kind, Noted)
    expression, leaf = p.chance.choice(kind.takes)
    p.with_column(expression.format(column), leaf)


def _csv(p: Program, parts: Sequence[Part]) -> Text:
    separator = p.chance.choice((",", "|", ";", "@"))
    options = "" if separator == "," else f", map('sep', '{separator}')"
    members = ", ".join(f"{name} AS m{at}" for at, (name, _) in enumerate(parts))
    schema = ", ".join(f"m{at} string" for at in range(len(parts)))
    takes = [
        (f"from_csv({{0}}, '{schema}'{options}).m{at}", _text(leaf)) for at, (_, leaf) in enumerate(parts)
    ]
    return f"to_csv(struct({members}){options})", takes


def _xml(_: Program, parts: Sequence[Part]) -> Text:
    """``to_xml`` is of Spark 4; the same elements are written by hand."""
    elements = ", ".join(f"'<m{at}>', {_shown(name)}, '</m{at}>'" for at, (name, _) in enumerate(parts))
    takes = [
        (form.format(at), _text(leaf))
        for at, (_, leaf) in enumerate(parts)
        for form in ("xpath_string({{0}}, 'ROW/m{0}')", "xpath({{0}}, '/ROW/m{0}/text()')[0]")
    ]
    return f"concat('<ROW>', {elements}, '</ROW>')", takes


def _places(p: Program, parts: Sequence[Part]) -> Text:
    between = p.chance.choice(_BETWEEN)
    shown = [_shown(name) for name, _ in parts]
    made = p.chance.choice(
        (
            f"concat_ws('{between}', {', '.join(shown)})",
            "concat(" + f", '{between}', ".join(name for name, _ in parts) + ")",
            "concat(" + f", '{between}', ".join(shown) + ")",
        )
    )
    return made, _at_places(between)


def _format(p: Program, parts: Sequence[Part]) -> Text:
    between = p.chance.choice(_BETWEEN)
    pattern = between.join("%s" for _ in parts)
    names = ", ".join(name for name, _ in parts)
    return f"format_string('{pattern}', {names})", _at_places(between)


def _at_places(between: str) -> list[Take]:
    """What is at the first places and the last one; values that hold what stands between move the others."""
    pattern = _PATTERN.get(between, between)
    forms = (
        f"split({{0}}, '{pattern}')[0]",
        f"split({{0}}, '{pattern}')[1]",
        f"split_part({{0}}, '{between}', 1)",
        f"split_part({{0}}, '{between}', -1)",
        f"substring_index({{0}}, '{between}', 1)",
        f"substring_index({{0}}, '{between}', -1)",
        f"element_at(split({{0}}, '{pattern}'), 2)",
    )
    return [(form, Leaf()) for form in forms]


def _address(_: Program, parts: Sequence[Part]) -> Text:
    pairs = ", ".join(
        f"'{'&' if at else ''}m{at}=', url_encode({_shown(name)})" for at, (name, _) in enumerate(parts)
    )
    takes = [
        (form.format(at), Leaf())
        for at in range(len(parts))
        for form in (
            "parse_url({{0}}, 'QUERY', 'm{0}')",
            "url_decode(parse_url({{0}}, 'QUERY', 'm{0}'))",
        )
    ]
    return f"concat('https://example.org/?', {pairs})", takes


def _pairs(_: Program, parts: Sequence[Part]) -> Text:
    pairs = ", ".join(f"'{',' if at else ''}m{at}:', {_shown(name)}" for at, (name, _) in enumerate(parts))
    takes = [(f"str_to_map({{0}}, ',', ':')['m{at}']", Leaf()) for at in range(len(parts))]
    return f"concat({pairs})", takes


def _shown(name: str) -> str:
    """The leaf as a text that is never null."""
    return f"coalesce(cast({name} AS string), '')"


def _text(leaf: Leaf) -> Leaf:
    return Leaf("string", leaf.of, leaf.words)
