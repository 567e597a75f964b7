"""Which operator is at fault for a bad value: from the sources on the first one that gives one and has got none.

A value is judged by a condition over ``value``, at every operator on its way: at each, those values are looked at that
contribute to it. Where the condition cannot be asked of their type, the answer is that nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DataType, LongType, MapType, StructField, StructType

from headwater_records.nested.answer import keyed
from headwater_records.nested.backtrace import backtrace
from headwater_records.nested.steps import Operator, Read, inputs_of, title_of
from headwater_records.nested.tree import Path, Tree
from headwater_records_spark.ask import Where, asked_of
from headwater_records_spark.context import NO_VERSIONS, Built
from headwater_records_spark.forward import reaches
from headwater_records_spark.inputs import inputs_of as what_is_read
from headwater_records_spark.inputs import unchanged
from headwater_records_spark.places import Id, places_of
from headwater_records_spark.rebuild import Rebuilt

Derivation = tuple[Any, ...]


@dataclass(slots=True)
class Judged:
    """An operator, by number and title, with how many ``values`` contribute there, and how many of them are ``bad``.

    ``bad`` is None where the condition cannot be asked of them.
    """

    number: int
    title: str
    values: int
    bad: int | None


@dataclass(slots=True)
class Fault:
    """All operators on the way, from the sources on, and the numbers of those that are ``at_fault``.

    One of them is ``possible`` only, if it is not known whether what it got was bad. If a source had the bad value
    already, it is at fault, and ``records`` are those of it, by file and position.
    """

    operators: list[Judged]
    at_fault: list[int] = field(default_factory=list)
    possible: list[int] = field(default_factory=list)
    records: dict[str, list[Id]] = field(default_factory=dict)


def at_fault(
    frame: DataFrame,
    path: str,
    bad: str,
    *,
    where: Where = None,
    versions: Mapping[str, str] = NO_VERSIONS,
) -> Fault:
    """The operators that made values bad at ``path`` (``tweets[2].text``) of the frame's rows, or of some of them.

    ``bad`` is a condition over ``value``, as ``value < 0`` or ``value IS NULL``. Tables with versions are read at those
    of ``versions``, by their roots, else at the newest.
    """
    asked = asked_of(frame, None, where, (path,))
    rebuilt = Rebuilt(frame, versions=versions)
    with unchanged(rebuilt.jvm, what_is_read(rebuilt.jvm, rebuilt.plan)):
        rows = list(asked.bound(asked.narrow(rebuilt.frame).collect()))
        return _Search(rebuilt, bad).judged(rows)


class _Search:
    def __init__(self, rebuilt: Rebuilt, bad: str) -> None:
        self._rebuilt = rebuilt
        self._bad = bad
        # Of a session of its own: what is no number is not below zero, and no error.
        self._lenient = rebuilt.jvm.spark.newSession()
        zone = "spark.sql.session.timeZone"
        self._lenient.conf.set(zone, str(rebuilt.jvm.spark.conf.get(zone)))
        self._lenient.conf.set("spark.sql.ansi.enabled", "false")
        self._steps: dict[int, Operator] = {}
        self._wanted: dict[int, dict[Derivation, Tree]] = {}
        self._ids: dict[str, set[tuple[int, int]]] = {}

    def judged(self, rows: list[tuple[Any, Tree]]) -> Fault:
        """What is at fault for what is asked of these rows."""
        for made_of, tree in rows:
            backtrace(self._rebuilt.step, made_of, keyed(tree, self._rebuilt.columns), self._reached)
        built = self._rebuilt.by_number()
        return self._blamed(
            {number: self._judge(built[number]) for number in sorted(self._steps) if number in built}
        )

    def _reached(self, step: Operator, made_of: Any, tree: Tree) -> None:
        self._steps[step.number] = step
        self._wanted.setdefault(step.number, {}).setdefault(_frozen(made_of), Tree()).unite(tree)
        if isinstance(step, Read):
            self._ids.setdefault(step.name, set()).add((made_of[0], made_of[1]))

    def _judge(self, built: Built) -> tuple[Judged, list[Derivation]]:
        """One operator, and the derivations of its rows that have a bad value."""
        jvm, wanted = self._rebuilt.jvm, self._wanted[built.step.number]
        made_of = jvm.column(built.made_of)
        keys = {str(each.exprId().id()): number for number, each in enumerate(built.columns)}
        columns = [jvm.column(each).alias(f"c{number}") for number, each in enumerate(built.columns)]
        ids = {source: sorted(each) for source, each in self._ids.items()}
        rows = (
            jvm.frame(built.plan)
            .where(reaches(built.step, made_of, ids))
            .select(made_of.alias("d"), *columns)
        )
        values: list[tuple[DataType, Any, Derivation]] = []
        for row in rows.collect():
            derivation = _frozen(row["d"])
            for each in wanted[derivation].found() if derivation in wanted else ():
                if each.contributes and each.path and each.path[0] in keys:
                    number = keys[str(each.path[0])]
                    kind = rows.schema[f"c{number}"].dataType
                    values += [
                        (of, value, derivation)
                        for of, value in _values(kind, row[f"c{number}"], each.path[1:])
                    ]
        title, count = title_of(built.step), len(values)
        try:
            bad = _bad_ones(self._lenient, [(kind, value) for kind, value, _ in values], self._bad)
        except AnalysisException:
            if built.step is self._rebuilt.step:
                raise
            return Judged(built.step.number, title, count, None), []
        return Judged(built.step.number, title, count, len(bad)), [values[each][2] for each in bad]

    def _blamed(self, found: dict[int, tuple[Judged, list[Derivation]]]) -> Fault:
        fault = Fault([judged for judged, _ in found.values()])
        for number, (judged, rows) in found.items():
            below = [found[each.number][0] for each in inputs_of(self._steps[number]) if each.number in found]
            if not judged.bad or any(each.bad for each in below):
                continue
            unknown = any(each.bad is None and each.values for each in below)
            (fault.possible if unknown else fault.at_fault).append(number)
            step = self._steps[number]
            if isinstance(step, Read):
                places = places_of(self._rebuilt.jvm, self._rebuilt.sources[step.name])
                fault.records[step.name] = sorted({places.place(each) for each in rows})
        return fault


def _bad_ones(spark: SparkSession, values: list[tuple[DataType, Any]], bad: str) -> list[int]:
    """The numbers of those values that the condition holds for; an AnalysisException if it does not fit a type."""
    by_type: dict[str, tuple[DataType, list[tuple[int, Any]]]] = {}
    for number, (kind, value) in enumerate(values):
        by_type.setdefault(kind.json(), (kind, []))[1].append((number, value))
    found: list[int] = []
    for kind, some in by_type.values():
        schema = StructType([StructField("number", LongType()), StructField("value", kind)])
        rows = spark.createDataFrame(some, schema).where(F.expr(bad)).select("number")
        found += [row["number"] for row in rows.collect()]
    return found


def _values(kind: DataType, value: Any, path: Path) -> Iterator[tuple[DataType, Any]]:
    """The values at a path with their type: of a field, of the element at a position from 1, or of every element."""
    if not path:
        yield kind, value
        return
    step, rest = path[0], path[1:]
    if value is None:
        return
    if isinstance(kind, StructType) and isinstance(step, str):
        yield from _values(kind[step].dataType, value[step], rest)
    elif isinstance(kind, ArrayType) and not isinstance(step, str):
        for each in value if step is None else value[step - 1 : step]:
            yield from _values(kind.elementType, each, rest)
    elif isinstance(kind, MapType) and rest:
        for key, each in value.items():
            of, inner = (kind.keyType, key) if rest[0] == "key" else (kind.valueType, each)
            yield from _values(of, inner, rest[1:])


def _frozen(value: Any) -> Any:
    """A derivation as something that can be looked up."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return tuple(map(_frozen, value))
    return value
