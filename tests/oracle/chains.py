"""Chains of two jobs over files: the second one reads what the first has written, in any format and under any names."""

from __future__ import annotations

from dataclasses import dataclass

from headwater_plan.types import ArrayType, AtomicType, DataType, MapType, StructField, StructType
from oracle.functions import MORE_STEPS
from oracle.pipelines import LONG, STEPS, STRING, Pipeline, pipeline

PLACE = "file:/{place}"
"""Stands in programs for the directory between the two jobs."""


@dataclass(frozen=True)
class Chain:
    """The first job's lines until ``df`` is what it writes, the line that writes it, and the second job's lines."""

    format: str
    tables: tuple[str, ...]
    first: tuple[str, ...]
    write: str
    second: tuple[str, ...]

    def writes(self) -> str:
        """The first job as a query."""
        return "\n".join([*self.first, "result = df"])

    def reads(self, place: str) -> str:
        """The second job, whose files are there."""
        return "\n".join([*self.first, *self.second, "result = df"]).replace("{place}", place)

    def whole(self, place: str) -> str:
        """Both jobs."""
        return "\n".join([*self.first, self.write, *self.second, "result = df"]).replace("{place}", place)


def chain(seed: int) -> Chain:
    """The chain of a seed."""
    p = pipeline(seed, MORE_STEPS)
    form = p.chance.choice(list(FORMATS))
    write, names = FORMATS[form](p)
    made = tuple(p.lines)
    _read(p, names)
    for _ in range(p.chance.randint(1, 4)):
        p.chance.choice((*STEPS, *MORE_STEPS))(p)
    return Chain(form, tuple(sorted(p.tables)), made, write, tuple(p.lines[len(made) :]))


def _read(p: Pipeline, names: tuple[str, dict[str, DataType]]) -> None:
    """``df`` is what the reader gives, its columns under fresh names."""
    reader, columns = names
    fresh = {name: p.name() for name in columns}
    chosen = ", ".join(f'F.col("{name}").alias("{new}")' for name, new in fresh.items())
    p.step(f"df = {reader}.select({chosen})", {fresh[name]: kind for name, kind in columns.items()})


Written = tuple[str, tuple[str, dict[str, DataType]]]
"""The line that writes, and the reader with the columns that it gives."""


def _flat(p: Pipeline) -> dict[str, DataType]:
    """Only texts and numbers as texts: what CSV can hold."""
    chosen = {p.name(): text for text, _ in (p.scalar() for _ in range(p.chance.randint(1, 4)))}
    parts = ", ".join(f'{text}.cast("string").alias("{name}")' for name, text in chosen.items())
    columns: dict[str, DataType] = dict.fromkeys(chosen, STRING)
    p.step(f"df = df.select({parts})", columns)
    return columns


def csv_with_header(p: Pipeline) -> Written:
    columns = _flat(p)
    return (
        f'df.write.mode("overwrite").option("header", True).csv("{PLACE}")',
        (f'spark.read.option("header", True).csv("{PLACE}")', columns),
    )


def csv_without_header(p: Pipeline) -> Written:
    columns = _flat(p)
    read: dict[str, DataType] = {f"_c{i}": STRING for i in range(len(columns))}
    return f'df.write.mode("overwrite").csv("{PLACE}")', (f'spark.read.csv("{PLACE}")', read)


def csv_under_own_names(p: Pipeline) -> Written:
    columns = _flat(p)
    read: dict[str, DataType] = {f"mine{i}": STRING for i in range(len(columns))}
    schema = ", ".join(f"{name} string" for name in read)
    return f'df.write.mode("overwrite").csv("{PLACE}")', (
        f'spark.read.schema("{schema}").csv("{PLACE}")',
        read,
    )


def text(p: Pipeline) -> Written:
    name, (value, _) = p.name(), p.scalar()
    p.step(f'df = df.select({value}.cast("string").alias("{name}"))', {name: STRING})
    return f'df.write.mode("overwrite").text("{PLACE}")', (f'spark.read.text("{PLACE}")', {"value": STRING})


def json_by_schema(p: Pipeline) -> Written:
    return _same(p, "json", dict(p.columns), f'spark.read.schema("{ddl(p.columns)}").json("{PLACE}")')


def json_with_structs_for_maps(p: Pipeline) -> Written:
    columns = {name: _without_maps(kind) for name, kind in p.columns.items()}
    return _same(p, "json", columns, f'spark.read.schema("{ddl(columns)}").json("{PLACE}")')


def parquet(p: Pipeline) -> Written:
    return _same(p, "parquet", dict(p.columns), f'spark.read.parquet("{PLACE}")')


def orc(p: Pipeline) -> Written:
    return _same(p, "orc", dict(p.columns), f'spark.read.orc("{PLACE}")')


def parquet_in_capitals(p: Pipeline) -> Written:
    columns = {name.upper(): kind for name, kind in p.columns.items()}
    return _same(p, "parquet", columns, f'spark.read.schema("{ddl(columns)}").parquet("{PLACE}")')


def _same(p: Pipeline, form: str, columns: dict[str, DataType], reader: str) -> Written:
    """Every column, cast to the type that it is noted with."""
    parts = ", ".join(
        f'F.col("{name}").cast("{type_of(kind)}").alias("{name}")' for name, kind in p.columns.items()
    )
    p.step(f"df = df.select({parts})", p.columns)
    return f'df.write.mode("overwrite").{form}("{PLACE}")', (reader, columns)


def _without_maps(kind: DataType) -> DataType:
    match kind:
        case MapType(_, value):
            return StructType((StructField("k", value), StructField("e", value)))
        case ArrayType(element):
            return ArrayType(_without_maps(element))
        case StructType(fields):
            return StructType(tuple(StructField(f.name, _without_maps(f.type)) for f in fields))
        case _:
            return kind


def ddl(columns: dict[str, DataType]) -> str:
    """The columns as Spark's DDL."""
    return ", ".join(f"{name} {type_of(kind)}" for name, kind in columns.items())


def type_of(kind: DataType) -> str:
    """The type as Spark's DDL."""
    match kind:
        case AtomicType(name):
            return "bigint" if name == LONG.name else name
        case ArrayType(element):
            return f"array<{type_of(element)}>"
        case MapType(key, value):
            return f"map<{type_of(key)},{type_of(value)}>"
        case StructType(fields):
            return "struct<" + ",".join(f"{f.name}:{type_of(f.type)}" for f in fields) + ">"


FORMATS = {
    each.__name__: each
    for each in (
        csv_with_header,
        csv_without_header,
        csv_under_own_names,
        text,
        json_by_schema,
        json_with_structs_for_maps,
        parquet,
        parquet_in_capitals,
        orc,
    )
}
