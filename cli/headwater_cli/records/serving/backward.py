"""Backward: which writes were captured, and what values of an output were made of."""

from __future__ import annotations

import strawberry

from headwater_cli.records.serving.asking import Asking, pattern_of
from headwater_cli.records.serving.types import CapturedRun, NodeInput, RecordsAnswer, SourceRecord
from headwater_records_spark import captured_runs, origins


@strawberry.type
class Backward:
    """Questions from an output to its sources."""

    @strawberry.field(description="The writes that were captured, the oldest first.")
    def runs(self, info: strawberry.Info[Asking, None]) -> list[CapturedRun]:
        with info.context.about("all outputs") as folder:
            runs = captured_runs(folder.spark, folder.records)
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
        with info.context.about(output, first) as folder:
            asked = pattern_of(pattern, text)
            of_output = folder.written(output)
            way = origins(of_output, asked, paths=paths) if through else None
            answer = way.sources if way else of_output.why(asked, paths=paths)
            items = sorted(answer.items(), key=lambda each: (each.source, str(each.id[0]), each.id[1]))[
                :first
            ]
            shown = of_output.shown(items, [each.run for each in way.stages] if way else ())
        return RecordsAnswer.of(answer, list(map(SourceRecord.of, items, shown)), way)
