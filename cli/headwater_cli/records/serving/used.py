"""Usage: what the captured jobs use of their sources, hot and cold."""

from __future__ import annotations

import strawberry

from headwater_cli.records.serving.asking import Asking
from headwater_cli.records.serving.types import UnknownOutput
from headwater_records_spark import Usage, usage


@strawberry.type(name="OperatorUse", description="In how many jobs operators of a kind look at a path.")
class OperatorUse:
    """A kind by its title."""

    title: str
    runs: int


@strawberry.type(name="PathUse", description="What jobs do with a path.")
class UsedPath:
    """In how many jobs a value of it contributes."""

    path: str
    contributes: int
    accessed_by: list[OperatorUse]


@strawberry.type(name="PathsUsedTogether", description="Two paths, and in how many jobs both are used.")
class UsedPair:
    """A pair."""

    paths: list[str]
    runs: int


@strawberry.type(
    name="FileHeat",
    description="A file, in parts of equal size: in how many jobs a record of each is used, in the mean.",
)
class FileHeat:
    """Parts from the beginning to the end."""

    file: str
    parts: list[float]


@strawberry.type(name="LayoutProposal", description="A change of a source's layout that jobs would gain by.")
class LayoutProposal:
    """``partition`` or ``cluster`` by a path, or ``leave out`` a column."""

    change: str
    path: str
    runs: int


@strawberry.type(name="SourceUsage", description="What the captured jobs use of a source.")
class SourceUsage:
    """Of one source."""

    source: str
    runs: int
    paths: list[UsedPath]
    together: list[UsedPair]
    never: list[str] = strawberry.field(description="Columns of which no job uses anything.")
    heat: list[FileHeat]
    proposals: list[LayoutProposal]
    unknown: list[UnknownOutput]
    without_records: list[str] = strawberry.field(
        description="Outputs of which it was not kept which records they use."
    )

    @classmethod
    def of(cls, used: Usage) -> SourceUsage:
        return cls(
            source=used.source,
            runs=used.runs,
            paths=[
                UsedPath(
                    path=path,
                    contributes=use.contributes,
                    accessed_by=[
                        OperatorUse(title=title, runs=runs) for title, runs in sorted(use.accessed.items())
                    ],
                )
                for path, use in sorted(used.paths.items())
            ],
            together=[UsedPair(paths=list(pair), runs=runs) for pair, runs in sorted(used.together.items())],
            never=used.never,
            heat=[FileHeat(file=file, parts=parts) for file, parts in used.heat().items()],
            proposals=[
                LayoutProposal(change=each.change, path=each.path, runs=each.runs) for each in used.proposals
            ],
            unknown=[UnknownOutput(output=output, reason=reason) for output, reason in used.unknown.items()],
            without_records=sorted(used.without_records),
        )


@strawberry.type
class Used:
    """Questions about all captured jobs together."""

    @strawberry.field(
        description="What the captured jobs use of their sources, or of one `source`: which paths and together with "
        "which, and which parts of its files."
    )
    def usage(self, info: strawberry.Info[Asking, None], source: str | None = None) -> list[SourceUsage]:
        with info.context.about("all outputs") as folder:
            used = usage(folder.spark, records=[folder.records])
            return [SourceUsage.of(each) for each in used if source in (None, each.source)]
