# ruff: noqa: E501 - a template is read as a whole
"""Steps of random pipelines over arrays and maps: lambdas that see other columns, and collections that become others.

In a template, ``{c}`` is a column that is an array, ``{x}`` and ``{y}`` are texts made of members of its element ``e``,
and ``{n}`` and ``{s}`` are a number and a text of the row.
"""

from __future__ import annotations

from collections.abc import Callable

from headwater_plan.types import ArrayType, AtomicType, DataType, MapType, StructField, StructType
from oracle.pipelines import LONG, STRING, Pipeline

TEXTS = ArrayType(STRING)
PAIR = StructType((StructField("u", STRING), StructField("v", STRING)))
PAIRS = ArrayType(PAIR)
TEXT_MAP = MapType(STRING, STRING)

OF_ARRAYS: dict[str, DataType | None] = {
    'F.filter("{c}", lambda e: F.coalesce({x}, F.lit("")) != {s})': None,
    'F.filter("{c}", lambda e, i: (i < {n}) | {y}.isNull())': None,
    'F.array_distinct("{c}")': None,
    'F.slice("{c}", 1, F.greatest({n}.cast("int"), F.lit(1)))': None,
    'F.array_compact(F.transform("{c}", lambda e: F.when({x} != {s}, {y})))': TEXTS,
    'F.transform("{c}", lambda e: F.concat({x}, {s}))': TEXTS,
    'F.transform("{c}", lambda e: F.lit("x"))': TEXTS,
    'F.transform("{c}", lambda e, i: F.struct(F.concat({x}, i.cast("string")).alias("u"), F.when({y} == {s}, {x}).alias("v")))': PAIRS,
    'F.transform(F.arrays_zip(F.transform("{c}", lambda e: {x}).alias("a"), F.split({s}, "n").alias("b")), lambda z: F.struct(z["a"].alias("u"), z["b"].alias("v")))': PAIRS,
    'F.zip_with("{c}", F.split({s}, "n"), lambda e, t: F.struct({x}.alias("u"), t.alias("v")))': PAIRS,
    'F.flatten(F.transform("{c}", lambda e: F.filter(F.array({x}, {y}, F.lit("z")), lambda t: t != {s})))': TEXTS,
    'F.array_sort(F.transform("{c}", lambda e: F.coalesce({x}, {s})), lambda l, r: F.when(l < r, -1).when(l > r, 1).otherwise(0))': TEXTS,
    'F.aggregate("{c}", F.lit(0).cast("long"), lambda a, e: a + 1)': LONG,
    'F.aggregate("{c}", {s}, lambda a, e: F.concat(a, F.coalesce({x}, F.lit("-"))))': STRING,
    'F.aggregate("{c}", F.struct(F.lit("").alias("a"), F.lit("").alias("b"), F.lit("").alias("c")), lambda a, e: F.struct({x}.alias("a"), a["a"].alias("b"), a["b"].alias("c")), lambda a: a["c"])': STRING,
    'F.exists("{c}", lambda e: {x} == {s}).cast("long")': LONG,
    'F.size(F.array_except(F.transform("{c}", lambda e: {x}), F.array({s}))).cast("long")': LONG,
    'F.array_max(F.transform("{c}", lambda e: F.struct({x}.alias("u"), {y}.alias("v"))))': PAIR,
    'F.get(F.transform("{c}", lambda e: {x}), {n}.cast("int"))': STRING,
    'F.map_from_arrays(F.array_distinct(F.transform("{c}", lambda e: F.coalesce({x}, F.lit("-")))), F.transform(F.array_distinct(F.transform("{c}", lambda e: F.coalesce({x}, F.lit("-")))), lambda t: {s}))': TEXT_MAP,
    'F.array_join(F.transform("{c}", lambda e: F.coalesce({x}, {s})), "-")': STRING,
}
"""Expressions over an array, and what they give; None is the array's own type."""

OF_MAPS: dict[str, DataType | None] = {
    'F.map_filter("{c}", lambda k, v: (v != {s}) | (k == {s}))': None,
    'F.transform_values("{c}", lambda k, v: F.concat(k, F.coalesce(v, {s})))': None,
    'F.transform_values("{c}", lambda k, v: F.lit("x"))': None,
    'F.map_zip_with("{c}", F.create_map(F.lit("k"), {s}), lambda k, v, w: F.coalesce(w, v))': None,
    'F.map_keys("{c}")': TEXTS,
    'F.map_values(F.map_filter("{c}", lambda k, v: k != {s}))': TEXTS,
    'F.transform(F.map_entries("{c}"), lambda x: F.struct(x["key"].alias("u"), x["value"].alias("v")))': PAIRS,
    'F.try_element_at("{c}", {s})': STRING,
    'F.map_from_entries(F.transform(F.map_entries("{c}"), lambda x: F.struct(F.concat(x["key"], F.lit("1")), {s})))': None,
}
"""Expressions over a map of texts, and what they give; None is the map's own type."""


def _members(kind: DataType) -> list[str]:
    match kind:
        case StructType(fields):
            return [f'e["{f.name}"].cast("string")' for f in fields if isinstance(f.type, AtomicType)]
        case AtomicType():
            return ['e.cast("string")']
        case _:
            return []


def over_an_array(p: Pipeline) -> None:
    """An array's elements kept, changed or put together with other columns."""
    arrays = {n: k for n, k in p.columns.items() if isinstance(k, ArrayType) and _members(k.element)}
    if arrays:
        column = p.chance.choice(list(arrays))
        members = _members(arrays[column].element)
        parts = {"x": p.chance.choice(members), "y": p.chance.choice(members)}
        _add(p, OF_ARRAYS, column, parts)


def over_a_map(p: Pipeline) -> None:
    """A map's entries kept, changed or met with another's."""
    maps = [n for n, k in p.columns.items() if k == TEXT_MAP]
    if maps:
        _add(p, OF_MAPS, p.chance.choice(maps), {})


def _add(p: Pipeline, forms: dict[str, DataType | None], column: str, parts: dict[str, str]) -> None:
    text, name = p.chance.choice(list(forms)), p.name()
    parts = {
        "c": column,
        "n": f'{p.scalar(LONG)[0]}.cast("long")',
        "s": f'F.coalesce({p.scalar(STRING)[0]}.cast("string"), F.lit("-"))',
        **parts,
    }
    kind = forms[text] or p.columns[column]
    for part, value in parts.items():
        text = text.replace("{" + part + "}", value)
    p.step(f'df = df.withColumn("{name}", {text})', {**p.columns, name: kind})


def words(p: Pipeline) -> None:
    """A text's parts."""
    name, (text, _) = p.name(), p.scalar(STRING)
    p.step(f'df = df.withColumn("{name}", F.split({text}.cast("string"), "n"))', {**p.columns, name: TEXTS})


def flattened_beside(p: Pipeline) -> None:
    """The elements of an array or the entries of a map beside all other columns, the collection itself left out."""
    found = [n for n, k in p.columns.items() if isinstance(k, ArrayType) or k == TEXT_MAP]
    if len(p.columns) > 1 and found:
        column, names = p.chance.choice(found), [p.name(), p.name()]
        kind = p.columns[column]
        rest = {n: k for n, k in p.columns.items() if n != column}
        kept = ", ".join(f'"{n}"' for n in rest)
        made = dict(
            zip(names, (kind.element,) if isinstance(kind, ArrayType) else (STRING, STRING), strict=False)
        )
        named = ", ".join(f'"{n}"' for n in made)
        p.step(f'df = df.select({kept}, F.explode("{column}").alias({named}))', {**rest, **made})


def collected_by(p: Pipeline) -> None:
    """Values collected by a key: in a list without nulls, in a set, in a list of the chosen."""
    (key, kind), (a, _), (b, _), (c, _) = p.scalar(), p.scalar(STRING), p.scalar(STRING), p.scalar(STRING)
    names = [p.name() for _ in range(4)]
    p.step(
        f'df = df.groupBy({key}.alias("{names[0]}")).agg(F.sort_array(F.collect_list({a}.cast("string"))).alias("{names[1]}"),'
        f' F.sort_array(F.collect_set({b}.cast("string"))).alias("{names[2]}"),'
        f' F.sort_array(F.collect_list(F.when({c} == "a", F.struct({a}.cast("string").alias("u"), {b}.cast("string").alias("v"))))).alias("{names[3]}"))',
        {names[0]: kind, names[1]: TEXTS, names[2]: TEXTS, names[3]: PAIRS},
    )


NESTED_STEPS: tuple[Callable[[Pipeline], None], ...] = (
    *[over_an_array] * 6, *[over_a_map] * 3, words, flattened_beside, flattened_beside, collected_by,
)  # fmt: skip
