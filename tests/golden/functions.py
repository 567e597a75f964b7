"""Sample calls of every function of Spark, in SQL and in the DataFrame API, and the programs that make many at once.

``functions.txt`` has a line ``name: SQL ~> Python`` for each function, over the columns of ``TYPED``, in a section that
says what the call is: ``[program]`` is a query or frame of its own, the other ones are columns. ``-`` stands for a
language that does not have the function; ``@spark-4`` behind the calls names the only line that they are for.
``[uncalled]`` functions have a reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

TYPED = (
    "id long, an_int int, a_long long, a_double double, a_decimal decimal(10,2), a_text string, b_text string, "
    "a_flag boolean, some_bytes binary, a_date date, a_stamp timestamp, ints array<int>, more_ints array<int>, "
    "texts array<string>, pairs map<string,int>, a_pair struct<x:int,y:string>, "
    "items array<struct<k:string,v:int>>, a_doc string, digits string, a_day string, a_time string, a_zone string, "
    "a_url string, a_xml string, a_unit string, a_point binary, floats array<float>"
)
"""One column of each type that functions take, and texts in the forms that functions parse."""

PREVIEWS = (
    "spark.sql.timeType.enabled",
    "spark.sql.timestampNanosTypes.enabled",
    "spark.sql.geospatial.enabled",
    "spark.sql.pyspark.worker.logging.enabled",
)
"""Settings without which Spark refuses some of the functions."""

SQL, API = "sql", "api"
COLUMNS = frozenset(part.split()[0] for part in re.split(r", (?=\w+ )", TYPED))
_COLUMN = re.compile(rf"\b({'|'.join(sorted(COLUMNS))})\b")
_LINE = re.compile(r"^(?P<name>\S+): (?P<sql>.*?)(?: ~> (?P<api>.*?))?(?: @(?P<line>spark-[\d.]+))?$")
_WINDOWS = {
    SQL: " OVER (PARTITION BY id ORDER BY a_long)",
    API: '.over(Window.partitionBy("id").orderBy("a_long"))',
}


@dataclass(frozen=True)
class Sample:
    """A call of a function in one language; ``line`` names the only Spark line that has it."""

    name: str
    language: str
    kind: str
    call: str
    line: str | None

    def __str__(self) -> str:
        return f"{self.language} {self.call}"

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the call names."""
        return frozenset(_COLUMN.findall(self.call))

    def of_outer(self, name: str) -> str:
        """The call with every second column that it names taken of the outer query of that name."""
        outer = sorted(self.columns)[::2]
        return _COLUMN.sub(lambda m: f"{name}.{m[0]}" if m[0] in outer else m[0], self.call)


def samples() -> list[Sample]:
    """All samples; ``ValueError`` names a line out of form."""
    found: list[Sample] = []
    kind = ""
    for line in Path(__file__).with_name("functions.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif line and not line.startswith("#"):
            if (parts := _LINE.match(line)) is None:
                raise ValueError(f"functions.txt: {line}")
            calls = {SQL: parts["sql"], API: parts["sql"] if kind == "uncalled" else parts["api"] or "-"}
            found += [
                Sample(parts["name"], language, kind, call, parts["line"])
                for language, call in calls.items()
                if call != "-"
            ]
    return found


def in_portions(found: Sequence[Sample], size: int = 120) -> Iterator[Sequence[Sample]]:
    """The samples, all of one language and kind, in portions that fit into one program each."""
    size = 1 if found and found[0].kind == "program" else size
    for start in range(0, len(found), size):
        yield found[start : start + size]


def _called(found: Sequence[Sample]) -> str:
    """Python: ``calls`` is a frame of the calls as columns ``c0``, ``c1`` … with the ``id`` of the row or group."""
    language, kind = found[0].language, found[0].kind
    if kind == "program":
        frame = f"spark.sql({found[0].call!r})" if language == SQL else found[0].call
        columns = 'F.lit(1).alias("id"), F.struct("*").alias("c0")'
        return f'df = spark.table("typed")\ncalls = ({frame}).select({columns})\n'
    over = _WINDOWS[language] if kind == "window" else ""
    if language == SQL:
        columns = ", ".join(f"{s.call}{over} AS c{i}" for i, s in enumerate(found))
        text = f"SELECT id, {columns} FROM typed{' GROUP BY id' if kind == 'aggregate' else ''}"
        return f"calls = spark.sql({text!r})\n"
    columns = ", ".join(f'{s.call}{over}.alias("c{i}")' for i, s in enumerate(found))
    frame = f'groupBy("id").agg({columns})' if kind == "aggregate" else f'select("id", {columns})'
    return f'calls = spark.table("typed").{frame}\n'


def alone(found: Sequence[Sample]) -> str:
    """Python: the calls as columns of a frame."""
    return f"{_called(found)}result = calls"


def over_itself(found: Sequence[Sample]) -> str:
    """Python: the calls of the right side of a frame that is joined with itself."""
    joined = "calls.alias('x').join(calls.alias('y'), F.col('x.id') == F.col('y.id')).select('y.*')"
    return f"{_called(found)}result = {joined}"


def in_scalar_subquery(found: Sequence[Sample]) -> str:
    """Python: the calls as members of a scalar subquery's struct, taken out of it again."""
    members = ", ".join(f"q.c{i}" for i in range(len(found)))
    columns = ", ".join(f"r.c{i}" for i in range(len(found)))
    query = f"SELECT (SELECT first(struct({members})) FROM calls q) AS r FROM typed"
    return _queried(found, f"SELECT {columns} FROM ({query})")


def in_exists(found: Sequence[Sample]) -> str:
    """Python: each call in a correlated EXISTS of its own."""
    tests = ", ".join(
        f"EXISTS (SELECT 1 FROM calls t WHERE t.id = o.id AND t.c{i} IS NOT NULL) AS c{i}"
        for i in range(len(found))
    )
    return _queried(found, f"SELECT {tests} FROM typed o")


def _queried(found: Sequence[Sample], query: str) -> str:
    return f'{_called(found)}calls.createOrReplaceTempView("calls")\nresult = spark.sql({query!r})'


PLACES = {each.__name__: each for each in (alone, over_itself, in_scalar_subquery, in_exists)}


def over_outer_rows(found: Sequence[Sample]) -> str:
    """Python: SQL calls over columns of both queries of a correlated EXISTS; aggregates in correlated scalars."""
    if found[0].kind == "aggregate":
        tests = [f"(SELECT {s.call} FROM typed t WHERE t.id = o.id)" for s in found]
    else:
        tests = [
            f"EXISTS (SELECT 1 FROM typed t WHERE t.id = o.id AND ({s.of_outer('o')}) IS NOT NULL)"
            for s in found
        ]
    columns = ", ".join(f"{test} AS c{i}" for i, test in enumerate(tests))
    return f"result = spark.sql({f'SELECT {columns} FROM typed o'!r})"
