"""The frame of a plan that is run once more, with the ends of what may be rounded otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pyspark.sql import DataFrame

from headwater_records_spark.batches import plan_of
from headwater_records_spark.errors import UnrepeatableError
from headwater_records_spark.jvm import Jvm, key, output
from headwater_records_spark.normal import normal
from headwater_records_spark.rebuild import Rebuilt
from headwater_records_spark.repeated.bounded import Bounding


@dataclass(frozen=True, slots=True)
class Repeated:
    """A frame with the columns of the plan, then ends, and the derivation of each row as the last column.

    ``rounded`` has by the place of a column those of its least and its greatest value; None if these are not known.
    """

    frame: DataFrame
    rounded: dict[int, tuple[int, int] | None] = field(default_factory=dict)


def is_rounded(jvm: Jvm, frame: DataFrame) -> bool:
    """Whether a frame has values that may be rounded otherwise, or is decided by some."""
    bounding = Bounding(jvm)
    return bool(bounding.of(normal(jvm, plan_of(jvm, frame))).rounded or bounding.decisions)


def repeated(rebuilt: Rebuilt) -> Repeated:
    """The plan, to be run again; an UnrepeatableError if it decides by values that rounding may change.

    Where it may also choose other rows, only what is the same, or between ends, shows that it did not: a value of which
    these are not known has to be the same then.
    """
    bounding = Bounding(rebuilt.jvm)
    bounded = bounding.of(rebuilt.normal)
    versions = rebuilt.context.versions

    def run(plan: Any) -> DataFrame:
        plan.setAnalyzed()
        again = Rebuilt(rebuilt.jvm.frame(plan), versions=versions)
        return again.frame.drop(again.made_of)

    for each in bounding.decisions:
        if not each.is_settled(run):
            raise UnrepeatableError(
                f"{each.title} is decided by sums of floating point numbers that are too close to tell"
            )
    rounded = {
        name: ends for name, ends in bounded.rounded.items() if ends is not None or not rebuilt.ordered
    }
    if not rounded:
        return Repeated(rebuilt.frame)
    places = {key(each): place for place, each in enumerate(output(bounded.plan))}
    bounded.plan.setAnalyzed()
    again = Rebuilt(rebuilt.jvm.frame(bounded.plan), versions=versions)
    return Repeated(
        again.frame,
        {
            places[name]: None if ends is None else (places[key(ends.low)], places[key(ends.high)])
            for name, ends in rounded.items()
        },
    )
