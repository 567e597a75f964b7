"""The questions: which writes were captured, and what values of an output were made of."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any

import strawberry
from strawberry.extensions import MaxTokensLimiter

from headwater_backend.domain.errors import BadQuestion, QuestionError
from headwater_backend.domain.roles import Caller, Permission
from headwater_cli.records.serving.types import CapturedRun, NodeInput, RecordsAnswer, SourceRecord
from headwater_graphql.engine.errors import ErrorCodes, QuietSchema
from headwater_records.nested.pattern_objects import read_pattern
from headwater_records.nested.pattern_text import parse_pattern
from headwater_records.nested.patterns import Pattern, PatternError
from headwater_records_spark import RecordsError, captured_runs, origins, written

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


@dataclass
class Asking:
    """The context of a request."""

    folder: Folder
    caller: Caller
    answer_seconds: float | None = None
    served: bool = True

    def begin(self, about: str) -> None:
        """Values are for those who may ask who is exposed. What was asked for is not logged, as it is a value."""
        self.caller.require(Permission.AUDIT)
        _log.info("%s asks about records of %s", self.caller.name, about)


@strawberry.type
class Query:
    """Questions about what was captured in one folder."""

    @strawberry.field(description="The writes that were captured, the oldest first.")
    def runs(self, info: strawberry.Info[Asking, None]) -> list[CapturedRun]:
        asking = info.context
        asking.begin("all outputs")
        with asking.folder.lock:
            runs = captured_runs(asking.folder.spark, asking.folder.records)
        return [
            CapturedRun(
                output=each.output.root, written=each.written, mode=each.mode, refused=each.refused or None
            )
            for each in runs
        ]

    @strawberry.field(
        description="The records of the sources that values of an output were made of: those that match the `pattern`, "
        'which may also be a `text` (`user{id_str="lp"}/name`), or the `paths` of all its records. `through` all jobs '
        "that were captured, these are the records of the first sources, else those that the output's own job read."
    )
    def why(
        self,
        info: strawberry.Info[Asking, None],
        output: str,
        pattern: list[NodeInput] | None = None,
        text: str | None = None,
        paths: list[str] = [],  # noqa: B006 - strawberry copies it
        first: int = 100,
        through: bool = False,
    ) -> RecordsAnswer:
        asking = info.context
        asking.begin(output)
        if not 1 <= first <= MOST_RECORDS:
            raise BadQuestion(f"first is {first}", f"it is from 1 to {MOST_RECORDS}")
        with asking.folder.lock:
            return _why(asking.folder, output, pattern, text, paths, first, through=through)


def _why(
    folder: Folder,
    output: str,
    pattern: list[NodeInput] | None,
    text: str | None,
    paths: Sequence[str],
    first: int,
    *,
    through: bool,
) -> RecordsAnswer:
    try:
        asked = _pattern(pattern, text)
        of_output = written(folder.spark, output, records=folder.records, program=folder.program)
        way = origins(of_output, asked, paths=paths) if through else None
        answer = way.sources if way else of_output.why(asked, paths=paths)
        items = sorted(answer.items(), key=lambda each: (each.source, str(each.id[0]), each.id[1]))[:first]
        shown = of_output.shown(items, [each.run for each in way.stages] if way else ())
    except (PatternError, RecordsError) as problem:
        error = QuestionError(str(problem), problem.hint or None)
        error.code = problem.code.upper()
        raise error from problem
    return RecordsAnswer.of(answer, list(map(SourceRecord.of, items, shown)), way)


def _pattern(pattern: list[NodeInput] | None, text: str | None) -> Pattern | None:
    if pattern is not None and text is not None:
        raise BadQuestion("a pattern and a text", "ask by one of them")
    if pattern is not None:
        return read_pattern([each.plain() for each in pattern])
    return None if text is None else parse_pattern(text)


schema = QuietSchema(Query, extensions=[ErrorCodes, lambda: MaxTokensLimiter(max_token_count=2_000)])
