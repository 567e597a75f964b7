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

from headwater_records_spark.captured.carried.flat import derivation, flattened
from headwater_records_spark.captured.store import OPERATORS, Run, Store, hadoop_of
from headwater_records_spark.context import NAME, Built, Key
from headwater_records_spark.jvm import EXPRESSIONS, LOGICAL

MARK = "k"
TYPES = "org.apache.spark.sql.types."
SEEDS = (1, 2)
TO_WORD = ("java.util.function.LongBinaryOperator", "applyAsLong", "LongType")
TO_NUMBER = ("java.util.function.ToLongFunction", "applyAsLong", "LongType")
TO_BOOLEAN = ("java.util.function.Predicate", "test", "BooleanType")


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
        return Key(*[jvm.column(self._invoked(each, *TO_WORD, words)) for each in self._hashes])

    @cached_property
    def _hashes(self) -> list[Any]:
        return [self._made("KeyedHash") for _ in SEEDS]

    def kept(self, number: int, built: Built, key: Key, marks: Sequence[Column]) -> Any:
        """The first number of the key for a row, an expression which keeps the row when it is evaluated."""
        files, row = self._files(number, built, key, marks)
        return self._invoked(files, *TO_NUMBER, [row])

    def passed(self, number: int, built: Built, key: Key) -> Any:
        """The plan, of which each row is kept as it passes: by a filter, which no other one goes past."""
        files, row = self._files(number, built, key, ())
        return self._store.jvm.type(LOGICAL + "Filter")(
            self._invoked(files, *TO_BOOLEAN, [row], is_repeatable=False), built.plan
        )

    def _files(self, number: int, built: Built, key: Key, marks: Sequence[Column]) -> tuple[Any, Any]:
        """What writes the members of a step, and the row that it takes."""
        jvm = self._store.jvm
        parts = [each.alias(name) for name, each in flattened(jvm, built.made_of)]
        numbered = [each.cast("int").alias(f"{MARK}{place}") for place, each in enumerate(marks)]
        row = F.struct(key.a.alias("a"), key.b.alias("b"), *parts, *numbered)
        named = jvm.expression(built.plan, row.alias("x"))
        schema = jvm.type_of(named.toAttribute())
        names = jvm.type("org.apache.spark.util.CollectionAccumulator")()
        jvm.spark.sparkContext._jsc.sc().register(names)
        folder = self._store.place(self._folder, str(number))
        self._steps[number] = _Step(schema, folder, names)
        return self._made("MemberFiles", folder, schema.json(), hadoop_of(jvm), names), named.child()

    def _invoked(
        self, target: Any, of: str, method: str, type_of: str, given: list[Any], *, is_repeatable: bool = True
    ) -> Any:
        """A call of the method of an interface of Java, which code that Spark generates finds everywhere."""
        jvm = self._store.jvm
        interface = jvm.type(TYPES + "ObjectType")(jvm.view.java.lang.Class.forName(of))
        literal = jvm.one(EXPRESSIONS + "Literal").fromObject(target, interface)
        return jvm.type(EXPRESSIONS + "objects.Invoke")(
            literal,
            method,
            jvm.one(TYPES + type_of),
            jvm.seq(given),
            jvm.seq([]),
            False,
            False,
            is_repeatable,
        )

    @property
    def types(self) -> set[str]:
        """The types of what would be written."""
        return {each.dataType.simpleString() for step in self._steps.values() for each in step.schema.fields}

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


def members_of(table: DataFrame) -> DataFrame:
    """Key (``out``) and a list of one (``m``) for each member that tasks have kept of a step."""
    parts = [each for each in table.columns if each.startswith(NAME)]
    marks = [each for each in table.columns if each.startswith(MARK)]
    out = F.struct(F.struct("a", "b").alias("g"))
    member = F.struct(
        derivation(parts).alias("m"), *[F.col(each).cast("boolean").alias(each) for each in marks]
    )
    return table.select(out.alias("out"), F.array(member).alias("m"))
