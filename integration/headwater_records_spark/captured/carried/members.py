"""Members of groups and semi joins, kept by the tasks of a write that see them, in files of numbers beside it.

A group that would have a list of its members gets a key instead: the maximum of a value that all of them have, so that
Spark runs the operators that it would have run. When that value is evaluated for a row, it is written with the row's
derivation and marks. Of a semi join by equal values, the right rows pass a filter that writes them with these.

The files of attempts that ended well are counted, and no others; an attempt more of the same partition has the same
rows. If one row could not be kept, none is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from uuid import uuid4

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from headwater_records.nested.steps import Group, Operator
from headwater_records_spark.captured.carried.calls import (
    OF_LISTS,
    OF_WORDS,
    TO_BOOLEAN,
    TO_NUMBER,
    TYPES,
    call,
)
from headwater_records_spark.captured.carried.flat import derivation, flattened
from headwater_records_spark.captured.store import OPERATORS, Run, Store, hadoop_of
from headwater_records_spark.context import NAME, Built, Key
from headwater_records_spark.jvm import LOGICAL

MARK = "k"
SEEDS = (1, 2)


@dataclass(frozen=True, slots=True)
class _Step:
    """The members of one step: their schema, where its files are, and the names of those that count."""

    schema: StructType
    folder: str
    names: Any


class KeptMembers:
    """The members of one write; ``made`` makes an object of a class of the jar."""

    def __init__(self, store: Store, made: Callable[..., Any]) -> None:
        self._store = store
        self._made = made
        self._folder = f"members-{uuid4().hex}"
        self._steps: dict[int, _Step] = {}

    def keyed(self, built: Built, parts: Sequence[Column]) -> Key:
        """The key that these values of a row are: hashes with secrets of this write."""
        jvm = self._store.jvm
        hashed = [F.xxhash64(F.lit(seed), *parts).alias("x") for seed in SEEDS]
        words = [jvm.expression(built.plan, each).child() for each in hashed]
        return Key(*[jvm.column(call(jvm, each, OF_WORDS, words)) for each in self._hashes])

    def hashed(self, plan: Any, values: Column, parts: Callable[[Column], Sequence[Column]]) -> Column:
        """Of a list of values, each by its parts, a list of the first numbers of their keys."""
        jvm = self._store.jvm

        def word(seed: int) -> Column:
            return F.transform(values, lambda each: F.xxhash64(F.lit(seed), *parts(each))).alias("x")

        words = [jvm.expression(plan, word(seed)).child() for seed in SEEDS]
        type_of = jvm.type(TYPES + "ArrayType")(jvm.one(TYPES + "LongType"), False)
        return jvm.column(call(jvm, self._hashes[0], OF_LISTS, words, type_of=type_of))

    @cached_property
    def _hashes(self) -> list[Any]:
        return [self._made("KeyedHash") for _ in SEEDS]

    def kept(self, number: int, built: Built, key: Key, marks: Sequence[Column]) -> Any:
        """The first number of the key for a row, an expression which keeps the row when it is evaluated."""
        files, row = self._files(number, built, key, marks)
        return call(self._store.jvm, files, TO_NUMBER, [row])

    def passed(self, number: int, built: Built, key: Key) -> Any:
        """The plan, of which each row is kept as it passes: by a filter, which no other one goes past."""
        files, row = self._files(number, built, key, ())
        jvm = self._store.jvm
        condition = call(jvm, files, TO_BOOLEAN, [row], is_repeatable=False)
        return jvm.type(LOGICAL + "Filter")(condition, built.plan)

    def _files(self, number: int, built: Built, key: Key, marks: Sequence[Column]) -> tuple[Any, Any]:
        """What writes the members of a step, and the row that it takes."""
        jvm = self._store.jvm
        parts = [each.alias(name) for name, each in flattened(jvm, built.made_of)]
        numbered = [each.alias(f"{MARK}{place}") for place, each in enumerate(marks)]
        row = F.struct(key.a.alias("a"), key.b.alias("b"), *parts, *numbered)
        named = jvm.expression(built.plan, row.alias("x"))
        schema = jvm.type_of(named.toAttribute())
        names = jvm.type("org.apache.spark.util.CollectionAccumulator")()
        jvm.spark.sparkContext._jsc.sc().register(names)
        folder = self._store.place(self._folder, str(number))
        self._steps[number] = _Step(schema, folder, names)
        session = jvm.spark._jsparkSession
        return self._made("MemberFiles", session, folder, schema.json(), hadoop_of(jvm), names), named.child()

    @property
    def numbers(self) -> set[int]:
        """The numbers of the steps of which members are kept."""
        return set(self._steps)

    def collect(self, run: Run) -> bool:
        """Move what counts to the tables of a run; False if it is not all there."""
        for number, step in self._steps.items():
            names = sorted(set(step.names.value()))
            if "" in names:
                return False
            for name in names:
                if not self._store.take(f"{step.folder}/{name}", run.run, OPERATORS, str(number), name):
                    return False
            if not names:
                none = self._store.jvm.spark.createDataFrame([], step.schema)
                none.write.parquet(self._store.place(run.run, OPERATORS, str(number)))
        return True

    def discard(self) -> None:
        """Remove what is left of attempts that do not count."""
        if self._steps:
            self._store.remove(self._folder)


def members_of(table: DataFrame, *others: str) -> DataFrame:
    """``key`` and ``member``, with its derivation ``m`` and its marks, of what tasks have kept of a step.

    ``others`` are more columns of the table.
    """
    parts = [each for each in table.columns if each.startswith(NAME)]
    marks = [each for each in table.columns if each.startswith(MARK)]
    member = F.struct(derivation(parts).alias("m"), *marks)
    return table.select(F.struct("a", "b").alias("key"), member.alias("member"), *others)


def sets_of(step: Operator) -> list[int]:
    """The numbers of marks for sets that a group collects."""
    return (
        [each.mark for each in step.aggregates if each.collects == "set"] if isinstance(step, Group) else []
    )


def with_positions(step: Group, identity: Sequence[Any], lists: tuple[Any, ...]) -> tuple[Any, ...]:
    """The list of members of a group, with positions in the places of hashes for sets that were collected.

    A group that is kept by its key has the hashes of elements after that.
    """
    places = {
        mark: {hashed: place for place, hashed in enumerate(of, 1)}
        for mark, of in zip(sets_of(step), identity[1:], strict=True)
    }

    def placed(member: Sequence[Any]) -> tuple[Any, ...]:
        made_of, *marks = member
        for mark, of in places.items():
            marks[mark] = None if marks[mark] is None else of[marks[mark]]
        return (made_of, *marks)

    return (tuple(map(placed, lists[0])),)
