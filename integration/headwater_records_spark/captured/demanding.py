"""Rows of an output with what they were made of, by a run of the plan that may round sums otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from headwater_records.nested.answer import Answer
from headwater_records.nested.tree import Tree
from headwater_records_spark.ask import Asked, Traced, made_of_whole
from headwater_records_spark.captured.store import Run
from headwater_records_spark.captured.tables import found_again
from headwater_records_spark.errors import ChangedInputError, UnrepeatableError
from headwater_records_spark.forward import Ids, asked_ids, reaches
from headwater_records_spark.inputs import at_versions, inputs_of, listing, unchanged
from headwater_records_spark.jvm import Jvm
from headwater_records_spark.places import Id, Places, places_of
from headwater_records_spark.rebuild import Rebuilt
from headwater_records_spark.replay import Records, is_one_of


def rounded_rows(jvm: Jvm, run: Run, files: Iterable[str], asked: Asked, frame: DataFrame) -> Traced:
    """The rows that are asked about, found among all of the plan as those of a write are.

    Conditions are over what was written: the plan may have other values. An UnrepeatableError if one is not found, or
    the plan has rows that were not written.
    """
    with _found(jvm, run, files, frame) as (rebuilt, written, found):
        own = written.columns[-1]
        rows = asked.narrow(written).join(found, F.col(own) == F.col("o")).drop(own, "o")
        return _traced(jvm, rebuilt, list(asked.bound(rows.collect())))


def placed_rows(jvm: Jvm, run: Run, frame: DataFrame, trees: Mapping[tuple[int, int], Tree]) -> Traced:
    """The rows of the output at these places, with what is asked of each; they are found in the same way."""
    with _of_all(jvm, run, frame) as (rebuilt, found):
        rows = found.where(is_one_of(F.col("o"), trees)).select("o", "d").collect()
        return _traced(jvm, rebuilt, [(row["d"], trees[row["o"]["f"], row["o"]["r"]]) for row in rows])


def reached_rows(
    jvm: Jvm, run: Run, frame: DataFrame, wanted: Iterable[Id]
) -> tuple[dict[str, Places], dict[tuple[int, int], Answer]]:
    """By source its places, and by its own place in the output what each row was made of that these records reached."""
    with _of_all(jvm, run, frame) as (rebuilt, found):
        places = {name: places_of(jvm, source) for name, source in rebuilt.sources.items()}
        ids = {name: sorted(each.known(wanted)) for name, each in places.items()}
        rows = found.where(reaches(rebuilt.step, F.col("d"), ids)).select("o", "d").collect()
        return places, {
            (row["o"]["f"], row["o"]["r"]): made_of_whole(rebuilt.step, rebuilt.columns, row["d"])
            for row in rows
        }


def forward_rows(
    jvm: Jvm, run: Run, files: Iterable[str], frame: DataFrame, records: Records
) -> tuple[Rebuilt, Ids, DataFrame]:
    """The plan again, the internal ids of these records, and each row of the output that was made of them: its own
    place, ``o``, and its derivation, ``d``.
    """
    with _found(jvm, run, files, frame) as (rebuilt, _, found):
        ids = asked_ids(rebuilt, records)
        return rebuilt, ids, found.where(reaches(rebuilt.step, F.col("d"), ids)).localCheckpoint()


@contextmanager
def _of_all(jvm: Jvm, run: Run, frame: DataFrame) -> Iterator[tuple[Rebuilt, DataFrame]]:
    """The same of all files that the run wrote, which have to be there."""
    files = {} if run.output.version else run.output.files
    now = listing(jvm, [run.output.root]) if files else {}
    for path, stamp in sorted(files.items()):
        if now.get(path) != stamp:
            raise ChangedInputError(run.output.root, path, "was changed" if path in now else "is gone")
    with _found(jvm, run, run.output.files, frame) as (rebuilt, _, found):
        yield rebuilt, found


@contextmanager
def _found(
    jvm: Jvm, run: Run, files: Iterable[str], frame: DataFrame
) -> Iterator[tuple[Rebuilt, DataFrame, DataFrame]]:
    """The plan again, what was written, and which is which: each place ``o`` with its derivation ``d``."""
    rebuilt = Rebuilt(frame, versions=at_versions(run.inputs))
    written, found = found_again(jvm, run, files, rebuilt)
    found = found.persist()
    try:
        with unchanged(jvm, inputs_of(jvm, rebuilt.plan)):
            if not found.where("o IS NULL OR d IS NULL").isEmpty():
                raise UnrepeatableError(
                    "records of the output do not come again, or differ by no more than rounding may change"
                )
        yield rebuilt, written, found
    finally:
        found.unpersist()


def _traced(jvm: Jvm, rebuilt: Rebuilt, rows: Sequence[tuple[Any, Tree]]) -> Traced:
    return Traced(rebuilt.step, rebuilt.columns, rows, lambda name: places_of(jvm, rebuilt.sources[name]))
