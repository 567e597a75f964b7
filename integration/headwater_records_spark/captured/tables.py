"""Tables of ids beside the data: which records made each record of an output, and each record on the way.

Where the write did not carry the derivations of its records, they come of a run of the plan with identifiers, after the
write, over inputs that are compared before and after it: so the job's own plan, its files and their order are what they
would have been. A record of the output is found among those of that run by its values (``matching``); if one is not
there, the plan does not repeat, and nothing is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from headwater_records.nested.kept import to_json
from headwater_records.nested.steps import Group, Operator, Same, Select
from headwater_records.nested.steps import Window as Framed
from headwater_records_spark.captured.ids import (
    below,
    has_table,
    id_of,
    is_plain,
    passes_all,
    passes_once,
    row_of,
    tables_kept,
)
from headwater_records_spark.captured.matching import matched
from headwater_records_spark.captured.outputs import carried, stored
from headwater_records_spark.captured.store import CARRIED, OPERATORS, Run, Store
from headwater_records_spark.context import Built
from headwater_records_spark.errors import UnrepeatableError
from headwater_records_spark.jvm import Jvm
from headwater_records_spark.places import places_of
from headwater_records_spark.rebuild import Rebuilt
from headwater_records_spark.repeated.repeated import repeated

RECORDS = "records"
WHOLE = "derivations"
SAME_ROWS = {"parquet", "orc"}
"""The formats that are read back with the rows that were written, whatever is in them."""


def ends(store: Store, run: Run, rebuilt: Rebuilt) -> Run:
    """Keep file and position of each record of the output, and its derivation.

    If the write did not carry the derivations, a run of its own gives the table ``records``.
    """
    _derive(store, run, rebuilt, RECORDS)
    _describe(store, run, rebuilt)
    return run


def full(store: Store, run: Run, rebuilt: Rebuilt) -> Run:
    """Keep what each record of every operator was made of: as in ``ends``, and the tables that this does not tell.

    Where derivations have lists of members, ids are kept in their place: records that have members in common would
    each repeat what these were made of.
    """
    kept = tables_kept(rebuilt.step)
    plain = is_plain(rebuilt.step)
    table = RECORDS if plain else WHOLE
    _derive(store, run, rebuilt, table)
    if kept or not plain:
        whole = (
            carried(store, run) if run.carried else store.jvm.spark.read.parquet(store.place(run.run, table))
        )
        if not plain:
            ids = whole.select("f", "r", id_of(rebuilt.step, F.col("d")).alias("id"))
            ids.write.parquet(store.place(run.run, RECORDS))
        _operators(store, run, rebuilt, whole, kept)
    _describe(store, run, rebuilt)
    for folder in () if plain else (CARRIED, WHOLE):
        store.remove(run.run, folder)
    return run


def _derive(store: Store, run: Run, rebuilt: Rebuilt, table: str) -> None:
    """Have the derivations of the output's records, as the write carried them or else in this table."""
    run.carried = run.carried and _matches(store, run)
    if not run.carried:
        run.rows[RECORDS] = _associate(store, run, rebuilt, table)
    elif RECORDS not in run.rows:
        run.rows[RECORDS] = int(carried(store, run).count())


def _operators(store: Store, run: Run, rebuilt: Rebuilt, records: DataFrame, kept: set[int]) -> None:
    """Write the tables that are kept."""
    built = rebuilt.by_number()
    for reached in _steps(Reached(rebuilt.step, records.select("d"))):
        number = reached.step.number
        if number in kept:
            run.rows[str(number)] = _operator(store, run, built[number], reached)


def _one_to_one(step: Operator) -> Iterator[int]:
    """The operators that gave as many records as the output has."""
    if has_table(step):
        yield step.number
    if isinstance(step, Select | Framed) or (isinstance(step, Same) and passes_all(step)):
        yield from _one_to_one(step.input)


def _matches(store: Store, run: Run) -> bool:
    """Whether each file is read back with as many records as the write gave ids: a text with a line end is two rows."""
    if run.output.format in SAME_ROWS:
        return True
    written, place = stored(store.jvm, run, run.output.files)
    of_output = written.select(place(F.col(written.columns[-1])).alias("p")).groupBy("p.f").count()
    if of_output.exceptAll(carried(store, run).groupBy("f").count()).isEmpty():
        return True
    run.again = f"{run.output.format} is read back with other rows than were written"
    store.remove(run.run, CARRIED)
    return False


def _describe(store: Store, run: Run, rebuilt: Rebuilt) -> None:
    if run.mode == "full":
        run.rows |= dict.fromkeys(map(str, _one_to_one(rebuilt.step)), run.rows[RECORDS])
    run.steps = to_json(rebuilt.step)
    run.columns = rebuilt.columns
    run.sources = {name: asdict(places_of(store.jvm, each)) for name, each in rebuilt.sources.items()}


def found_again(jvm: Jvm, run: Run, files: Iterable[str], rebuilt: Rebuilt) -> tuple[DataFrame, DataFrame]:
    """The output in these files, with the place of each record as its last column, and each record with those of
    another run of the plan (``matched``).
    """
    written, place = stored(jvm, run, files)
    *names, own = written.columns
    written = written.withColumn(own, place(F.col(own))).select(*[f"`{each}`" for each in names], own)
    schema = StructType.fromJson(run.output.schema)
    return written, matched(written, repeated(rebuilt), schema, id_of(rebuilt.step, F.col("d")))


def _associate(store: Store, run: Run, rebuilt: Rebuilt, table: str) -> int:
    """Write ``f``, ``r`` and ``d``, the derivation, of each record of the output; how many there are."""
    _, found = found_again(store.jvm, run, run.output.files, rebuilt)
    found.select("o.f", "o.r", "d").sortWithinPartitions("f", "r").write.parquet(store.place(run.run, table))
    kept = store.jvm.spark.read.parquet(store.place(run.run, table))
    confused = F.count(F.when(F.col("f").isNull() & F.col("d").isNull(), 1))
    counts = kept.agg(F.count("*"), F.count("f"), F.count("d"), confused).first()
    rows, of_output, again_rows, confused_rows = counts or (0, 0, 0, 0)
    if confused_rows:
        raise UnrepeatableError(
            f"{confused_rows} records of the output differ by no more than rounding may change: which of them was made"
            " of which records is not known",
        )
    if not rows == of_output == again_rows:
        reasons = ", ".join(sorted(rebuilt.ordered)) or "values that depend on the order of rows"
        again = of_output + again_rows - rows
        raise UnrepeatableError(f"of {of_output} records of the output {again} come again: it has {reasons}")
    return int(rows)


@dataclass(frozen=True, slots=True)
class Reached:
    """The derivations ``d`` of those records of a step that reached the output: of ``every`` one, and each ``once``."""

    step: Operator
    made_of: DataFrame
    every: bool = True
    once: bool = True


def _steps(given: Reached) -> Iterator[Reached]:
    """Every operator with those of its records that reached the output."""
    yield given
    every = given.every and passes_all(given.step)
    once = given.once and passes_once(given.step)
    for step, made_of in below(given.step, given.made_of):
        yield from _steps(Reached(step, made_of, every, once))


def _operator(store: Store, run: Run, built: Built, given: Reached) -> int:
    """Write the table of an operator; how many records there are in it.

    What reached the output stands in it as it did; the others, if there may be some, are of a run of their own.
    """
    step, jvm = built.step, store.jvm
    marks = _marks(jvm.type_of(built.made_of)) if isinstance(step, Group) else []
    table = given.made_of.select(*row_of(step, F.col("d"), marks))
    reached = table if given.once else table.distinct()
    place = store.place(run.run, OPERATORS, str(step.number))
    whole = None if given.every else _again(jvm, built, marks)
    if whole is not None:
        there = reached.select(F.col("out").alias("__out"))
        others = whole.join(there, F.col("out").eqNullSafe(F.col("__out")), "left_anti")
        reached = reached.unionByName(others)
    reached.write.parquet(place)
    kept = int(jvm.spark.read.parquet(place).count())
    if whole is not None and kept != whole.count():
        raise UnrepeatableError(f"operator {step.number} gives other records when it runs again")
    return kept


def _again(jvm: Jvm, built: Built, marks: list[str]) -> DataFrame:
    """The table of an operator by a run of its own."""
    records = jvm.frame(built.plan).select(jvm.column(built.made_of).alias("d"))
    return records.select(*row_of(built.step, F.col("d"), marks))


def _marks(kind: Any) -> list[str]:
    return [name for name in kind["m"].dataType.elementType.names if name != "m"]
