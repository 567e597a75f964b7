"""Rows of an output with what they were made of, by a run of the plan that may round sums otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from headwater_records_spark.ask import Asked, Traced
from headwater_records_spark.captured.store import Run
from headwater_records_spark.captured.tables import found_again
from headwater_records_spark.errors import UnrepeatableError
from headwater_records_spark.inputs import at_versions, inputs_of, unchanged
from headwater_records_spark.jvm import Jvm
from headwater_records_spark.places import places_of
from headwater_records_spark.rebuild import Rebuilt


def rounded_rows(jvm: Jvm, run: Run, files: Iterable[str], asked: Asked, frame: DataFrame) -> Traced:
    """The rows that are asked about, found among all of the plan as those of a write are.

    Conditions are over what was written: the plan may have other values. An UnrepeatableError if one is not found, or
    the plan has rows that were not written.
    """
    rebuilt = Rebuilt(frame, versions=at_versions(run.inputs))
    written, found = found_again(jvm, run, files, rebuilt)
    own = written.columns[-1]
    found = found.persist()
    try:
        with unchanged(jvm, inputs_of(jvm, rebuilt.plan)):
            if not found.where("o IS NULL OR d IS NULL").isEmpty():
                raise UnrepeatableError(
                    "records of the output do not come again, or differ by no more than rounding may change"
                )
        rows = asked.narrow(written).join(found, F.col(own) == F.col("o")).drop(own, "o")
        narrowed = list(asked.bound(rows.collect()))
    finally:
        found.unpersist()
    return Traced(rebuilt.step, rebuilt.columns, narrowed, lambda name: places_of(jvm, rebuilt.sources[name]))
