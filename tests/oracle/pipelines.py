"""Random pipelines over nested tables: valid PySpark programs of three to eight operators, the same for a seed.

A pipeline is built operator by operator on a typed description of its columns, so that every program is well typed.
Column names are never reused, so that joins and unions stay unambiguous.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from headwater_plan.types import ArrayType, AtomicType, DataType, MapType, StructField, StructType

STRING, LONG = AtomicType("string"), AtomicType("long")
MENTION = StructType((StructField("id", LONG), StructField("name", STRING)))
ITEM = StructType((StructField("sku", STRING), StructField("qty", LONG)))

TABLES: dict[str, tuple[str, dict[str, DataType]]] = {
    "posts": (
        "text string, likes long, user struct<id:long,name:string>, mentions array<struct<id:long,name:string>>",
        {"text": STRING, "likes": LONG, "user": MENTION, "mentions": ArrayType(MENTION)},
    ),
    "orders": (
        "buyer long, items array<struct<sku:string,qty:long>>, props map<string,string>",
        {"buyer": LONG, "items": ArrayType(ITEM), "props": MapType(STRING, STRING)},
    ),
}


@dataclass
class Pipeline:
    """A program in the making: its lines, and the columns of ``df``."""

    chance: random.Random
    lines: list[str] = field(default_factory=list)
    columns: dict[str, DataType] = field(default_factory=dict)
    tables: set[str] = field(default_factory=set)
    names: Iterator[int] = field(default_factory=lambda: iter(range(10_000)))

    @property
    def program(self) -> str:
        return "\n".join([*self.lines, "result = df"])

    def name(self) -> str:
        return f"c{next(self.names)}"

    def step(self, line: str, columns: dict[str, DataType]) -> None:
        self.lines.append(line)
        self.columns = columns

    def read(self, variable: str = "df") -> dict[str, DataType]:
        """Read a table under fresh names into a variable; gives its columns."""
        table = self.chance.choice(sorted(TABLES))
        self.tables.add(table)
        types = TABLES[table][1]
        fresh = {column: self.name() for column in types}
        chosen = ", ".join(f'F.col("{column}").alias("{name}")' for column, name in fresh.items())
        self.lines.append(f'{variable} = spark.table("{table}").select({chosen})')
        return {fresh[column]: kind for column, kind in types.items()}

    def scalars(self, kind: DataType | None = None) -> list[tuple[str, DataType]]:
        """Expressions of atomic type that can be read without flattening."""
        found: list[tuple[str, DataType]] = []
        for name, column in self.columns.items():
            found += _scalars(f'F.col("{name}")', column)
        return [(text, type_) for text, type_ in found if kind is None or type_ == kind]

    def scalar(self, kind: DataType | None = None) -> tuple[str, DataType]:
        constant = ("F.lit(1)", LONG) if kind == LONG else ('F.lit("x")', STRING)
        return self.chance.choice(self.scalars(kind) or [constant])

    def of(self, wanted: type) -> list[str]:
        """The columns of a sort of type."""
        return [name for name, kind in self.columns.items() if isinstance(kind, wanted)]


def _scalars(text: str, kind: DataType) -> Iterator[tuple[str, DataType]]:
    match kind:
        case AtomicType():
            yield text, kind
        case StructType(fields):
            for f in fields:
                yield from _scalars(f'{text}["{f.name}"]', f.type)
        case MapType(_, value):
            yield from _scalars(f'{text}["k"]', value)
        case ArrayType():
            return


def pipeline(seed: int, more: Sequence[Step] = ()) -> Pipeline:
    """The pipeline of a seed, of the steps below and of ``more``."""
    p = Pipeline(random.Random(seed))
    p.columns = p.read()
    for _ in range(p.chance.randint(3, 8)):
        p.chance.choice((*STEPS, *more))(p)
    return p


def filter_(p: Pipeline) -> None:
    text, kind = p.scalar()
    condition = f"{text} > 0" if kind == LONG else f'{text} != "Bern"'
    p.step(f"df = df.where(({condition}) | {text}.isNull())", p.columns)


def compute(p: Pipeline) -> None:
    name = p.name()
    if p.chance.random() < 0.5:
        (a, _), (b, _) = p.scalar(LONG), p.scalar(LONG)
        p.step(
            f'df = df.withColumn("{name}", {a}.cast("long") + {b}.cast("long"))', {**p.columns, name: LONG}
        )
    else:
        (a, _), (b, _) = p.scalar(STRING), p.scalar(STRING)
        p.step(f'df = df.withColumn("{name}", F.concat(F.upper({a}), {b}))', {**p.columns, name: STRING})


def choose(p: Pipeline) -> None:
    name, (a, kind) = p.name(), p.scalar()
    (b, _), (test, test_kind) = p.scalar(kind), p.scalar()
    predicate = f"{test} > 1" if test_kind == LONG else f"{test}.isin('a', 'x')"
    other = f"{b}.cast('{_name(kind)}')"
    form = p.chance.choice([f"F.when({predicate}, {a}).otherwise({other})", f"F.coalesce({a}, {other})"])
    p.step(f'df = df.withColumn("{name}", {form})', {**p.columns, name: kind})


def construct(p: Pipeline) -> None:
    name, (a, a_kind), (b, b_kind) = p.name(), p.scalar(), p.scalar()
    kind = StructType((StructField("m", a_kind), StructField("n", b_kind)))
    p.step(
        f'df = df.withColumn("{name}", F.struct({a}.alias("m"), {b}.alias("n")))', {**p.columns, name: kind}
    )


def drop(p: Pipeline) -> None:
    if len(p.columns) > 2:
        gone = p.chance.choice(sorted(p.columns))
        p.step(f'df = df.drop("{gone}")', {n: k for n, k in p.columns.items() if n != gone})


def flatten(p: Pipeline) -> None:
    arrays = p.of(ArrayType)
    if arrays:
        array, name = p.chance.choice(arrays), p.name()
        kind = p.columns[array]
        assert isinstance(kind, ArrayType)
        rest = {n: k for n, k in p.columns.items() if n != array}
        kept = ", ".join(f'"{n}"' for n in rest)
        comma = ", " if kept else ""
        p.step(
            f'df = df.select({kept}{comma}F.explode("{array}").alias("{name}"))', {**rest, name: kind.element}
        )


def map_elements(p: Pipeline) -> None:
    arrays = [n for n in p.of(ArrayType) if isinstance(getattr(p.columns[n], "element", None), StructType)]
    if arrays:
        array, name = p.chance.choice(arrays), p.name()
        kind = p.columns[array]
        assert isinstance(kind, ArrayType) and isinstance(kind.element, StructType)
        first, second = kind.element.fields[0], kind.element.fields[-1]
        if p.chance.random() < 0.5:
            text = f'F.transform("{array}", lambda e: F.struct(e["{second.name}"].alias("t")))'
            result = ArrayType(StructType((StructField("t", second.type),)))
        else:
            text = f'F.filter("{array}", lambda e: e["{first.name}"].cast("string") != "1")'
            result = kind
        p.step(f'df = df.withColumn("{name}", {text})', {**p.columns, name: result})


def group(p: Pipeline) -> None:
    (key, key_kind), (a, a_kind), (b, _) = p.scalar(), p.scalar(), p.scalar(LONG)
    names = [p.name() for _ in range(4)]
    p.step(
        f'df = df.groupBy({key}.alias("{names[0]}")).agg(F.collect_list(F.struct({a}.alias("v"))).alias("{names[1]}"),'
        f' F.sum({b}.cast("long")).alias("{names[2]}"), F.min({a}).alias("{names[3]}"))',
        {
            names[0]: key_kind,
            names[1]: ArrayType(StructType((StructField("v", a_kind),))),
            names[2]: LONG,
            names[3]: a_kind,
        },
    )


def join(p: Pipeline) -> None:
    (left, _), other = p.scalar(LONG), p.read("other")
    right = next(
        text for n, k in other.items() for text, kind in _scalars(f'F.col("{n}")', k) if kind == LONG
    )
    how = p.chance.choice(["inner", "left", "left_semi", "left_anti"])
    p.step(
        f'df = df.join(other, {left}.cast("long") == {right}, "{how}")',
        p.columns if how in ("left_semi", "left_anti") else {**p.columns, **other},
    )


def union(p: Pipeline) -> None:
    """A union by position. Both sides have names of their own: Spark 4.3 cannot plan one that names a column twice."""
    (a, kind), (b, _) = p.scalar(), p.scalar()
    (c, _) = p.scalar(kind)
    first, second, third, fourth = (p.name() for _ in range(4))
    p.step(
        f'df = df.select({a}.alias("{first}"), {b}.cast("string").alias("{second}")).unionAll('
        f"df.select({c}.cast('{_name(kind)}').alias('{third}'), {a}.cast('string').alias('{fourth}')))",
        {first: kind, second: STRING},
    )


def rank(p: Pipeline) -> None:
    name, (by, _), (order, _) = p.name(), p.scalar(), p.scalar()
    window = f"Window.partitionBy({by}).orderBy({order})"
    p.step(f'df = df.withColumn("{name}", F.rank().over({window}).cast("long"))', {**p.columns, name: LONG})


def running(p: Pipeline) -> None:
    name, (by, _), (order, _), (value, _) = p.name(), p.scalar(), p.scalar(), p.scalar(LONG)
    window = f"Window.partitionBy({by}).orderBy({order})"
    p.step(
        f'df = df.withColumn("{name}", F.max({value}.cast("long")).over({window}))', {**p.columns, name: LONG}
    )


def distinct(p: Pipeline) -> None:
    if not p.of(MapType):
        p.step("df = df.distinct()", p.columns)


def sort(p: Pipeline) -> None:
    text, _ = p.scalar()
    p.step(f"df = df.orderBy({text})", p.columns)


def _name(kind: DataType) -> str:
    return kind.name if isinstance(kind, AtomicType) else "string"


Step: TypeAlias = Callable[[Pipeline], None]
STEPS: tuple[Step, ...] = (
    filter_, compute, choose, construct, drop, flatten, flatten, map_elements, group, join, union, rank, running,
    distinct, sort,
)  # fmt: skip
