"""Records on Spark: which nested values, of which records of the sources, made a result.

``why(frame, pattern)`` answers on demand: nothing is captured, the plan is rebuilt with identifiers and run for the
rows that are asked about. ``capture(spark, into=…)`` keeps, beside what is written, what is needed to ask about it
later with ``written(spark, output, records=…)``; ``origins`` and ``descendants`` go through all jobs that were
captured. What cannot be traced raises an error with the operator's name. Values are read to find what is asked for,
and never kept.
"""

from headwater_records_spark.across.descendants import Descendant, Descendants, descendants, subject
from headwater_records_spark.across.origins import Origins, Stage, continued, origins
from headwater_records_spark.across.usage import PathUse, Proposal, Usage, usage
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
from headwater_records_spark.faults import Fault, Judged, at_fault
from headwater_records_spark.forward import Became, became, forward, why_not
from headwater_records_spark.replay import difference, replay

__all__ = [
    "Became",
    "Breach",
    "Capture",
    "ChangedInputError",
    "Descendant",
    "Descendants",
    "Erasure",
    "Fault",
    "Judged",
    "NotCapturedError",
    "Origins",
    "PathUse",
    "Person",
    "Proposal",
    "RecordsError",
    "RecordsWarning",
    "Shown",
    "Stage",
    "UnrepeatableError",
    "UntraceableError",
    "Usage",
    "Written",
    "at_fault",
    "became",
    "breach",
    "capture",
    "captured_runs",
    "continued",
    "descendants",
    "difference",
    "forward",
    "origins",
    "replay",
    "subject",
    "usage",
    "why",
    "why_not",
    "written",
]
