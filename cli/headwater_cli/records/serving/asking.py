"""What a request is asked with: the folder, the session and the caller; and what becomes of errors."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

from pyspark.errors import PySparkException

from headwater_backend.domain.errors import BadQuestion, QuestionError
from headwater_backend.domain.roles import Caller, Permission
from headwater_cli.records.asking import named
from headwater_cli.records.serving.types import NodeInput, PlaceInput
from headwater_records.nested.pattern_objects import read_pattern
from headwater_records.nested.pattern_text import parse_pattern
from headwater_records.nested.patterns import Pattern, PatternError
from headwater_records_spark import RecordsError, Written, written

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MOST_RECORDS = 1_000
_log = logging.getLogger(__name__)


@dataclass
class Folder:
    """The folder that writes were captured into, and a session; Spark's plans are built by one question at a time."""

    spark: SparkSession
    records: str
    program: str | None = None
    lock: Any = field(default_factory=Lock)

    def written(self, output: str) -> Written:
        return written(self.spark, output, records=self.records, program=self.program)


@dataclass
class Asking:
    """The context of a request."""

    folder: Folder
    caller: Caller
    answer_seconds: float | None = None
    served: bool = True

    @contextmanager
    def about(self, what: str, first: int = 1) -> Iterator[Folder]:
        """The folder, for a question about an output, of which the first records are shown.

        Values are for those who may ask who is exposed. What was asked for is not logged, as it is a value.
        """
        self.caller.require(Permission.AUDIT)
        _log.info("%s asks about records of %s", self.caller.name, what)
        if not 1 <= first <= MOST_RECORDS:
            raise BadQuestion(f"first is {first}", f"it is from 1 to {MOST_RECORDS}")
        with self.folder.lock:
            try:
                yield self.folder
            except (PatternError, RecordsError) as problem:
                error = QuestionError(str(problem), problem.hint or None)
                error.code = problem.code.upper()
                raise error from problem
            except LookupError as problem:
                raise BadQuestion(
                    str(problem.args[0]), "answers to `why` name files as they are"
                ) from problem
            except PySparkException as problem:
                raise BadQuestion(str(problem).split("\n\n")[0]) from problem


def pattern_of(pattern: list[NodeInput] | None, text: str | None) -> Pattern | None:
    """What is asked for, by nodes or by text; None for all records."""
    if pattern is not None and text is not None:
        raise BadQuestion("a pattern and a text", "ask by one of them")
    if pattern is not None:
        return read_pattern([each.plain() for each in pattern])
    return None if text is None else parse_pattern(text)


def records_of(output: Written, records: Sequence[PlaceInput]) -> dict[str, list[tuple[str, int]]]:
    """Records of the sources of an output, by source."""
    given: dict[str, list[tuple[str, int]]] = {}
    for each in _some(records):
        for source, places in named(output, [(each.file, each.position)], each.source).items():
            given.setdefault(source, []).extend(places)
    return given


def places_of(records: Sequence[PlaceInput]) -> dict[str, list[tuple[str, int]]]:
    """Records by file and position, whichever job read them."""
    return {"": [(each.file, each.position) for each in _some(records)]}


def _some(records: Sequence[PlaceInput]) -> Sequence[PlaceInput]:
    if not records:
        raise BadQuestion("no record is named", "give at least one of `records`")
    for each in records:
        if each.position < 1:
            raise BadQuestion(f"position {each.position} of {each.file}", "positions are from 1")
    return records
