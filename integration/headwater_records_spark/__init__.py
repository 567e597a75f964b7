"""Records on Spark: which nested values, of which records of the sources, made a result.

``why(frame, pattern)`` answers on demand: nothing is captured, the plan is rebuilt with identifiers and run for the
rows that are asked about. ``capture(spark, into=…)`` keeps, beside what is written, what is needed to ask about it
later with ``written(spark, output, records=…)``. What cannot be traced raises an error with the operator's name. Values
are read to find what is asked for, and never kept.
"""

from headwater_records_spark.ask import why
from headwater_records_spark.breach import Breach, Person, breach
from headwater_records_spark.captured.capture import Capture, RecordsWarning, capture
from headwater_records_spark.captured.outputs import Erasure
from headwater_records_spark.captured.questions import Written, written
from headwater_records_spark.captured.shown import Shown
from headwater_records_spark.captured.store import captured_runs
from headwater_records_spark.errors import (
    ChangedInputError,
    NotCapturedError,
    RecordsError,
    UnrepeatableError,
    UntraceableError,
)
from headwater_records_spark.forward import forward, why_not
from headwater_records_spark.replay import difference, replay

__all__ = [
    "Breach",
    "Capture",
    "ChangedInputError",
    "Erasure",
    "NotCapturedError",
    "Person",
    "RecordsError",
    "RecordsWarning",
    "Shown",
    "UnrepeatableError",
    "UntraceableError",
    "Written",
    "breach",
    "capture",
    "captured_runs",
    "difference",
    "forward",
    "replay",
    "why",
    "why_not",
    "written",
]
