"""Forward: what records of sources became, in one output and in all of them, and which operators dropped them."""

from __future__ import annotations

from typing import cast

import strawberry
from strawberry.scalars import JSON

from headwater_cli.records.asking import as_json
from headwater_cli.records.serving.asking import Asking, places_of, records_of
from headwater_cli.records.serving.types import PlaceInput, Step, UnknownOutput, steps_of
from headwater_records_spark import Became, Descendants, descendants


@strawberry.type(name="BecamePath", description="A path of a record of an output.")
class BecamePath:
    """Contributes if values of the records that are asked about are in it."""

    path: str
    contributes: bool


@strawberry.type(
    name="BecameRecord",
    description="A record of an output that was made of the records that are asked about.",
)
class BecameRecord:
    """A record, with the paths in it that others made or decided about."""

    file: str
    position: int
    value: JSON
    paths: list[BecamePath]

    @classmethod
    def of(cls, found: Became) -> BecameRecord:
        file, position = cast("tuple[str, int]", found.place)  # each row of an output has one
        paths = [BecamePath(path=str(each), contributes=each.contributes) for each in found.paths]
        return cls(file=file, position=position, value=as_json(found.row), paths=paths)


@strawberry.type(name="BecameAnswer", description="What records became in an output.")
class BecameAnswer:
    """The first records of the output."""

    records: list[BecameRecord]
    more: bool = strawberry.field(description="Whether there are more than these.")


@strawberry.type(
    name="DescendantRecord",
    description="A record of an output that was made of the records that are asked about, by its file and its position "
    "in it, from 1.",
)
class DescendantRecord:
    """A record of any output."""

    output: str
    file: str
    position: int
    alone: bool = strawberry.field(
        description="Whether it was made of them alone: then it can be deleted, else it is made again without them."
    )
    there: bool = strawberry.field(description="Whether it is still there, and was not replaced since.")


@strawberry.type(name="DescendantsAnswer", description="What became of records, in all outputs.")
class DescendantsAnswer:
    """The first of them, and what is not known."""

    asked: int = strawberry.field(description="How many records of sources are asked about.")
    total: int = strawberry.field(description="How many records of outputs were made of them.")
    records: list[DescendantRecord]
    unknown: list[UnknownOutput] = strawberry.field(
        description="Outputs of which nobody knows which of their records were made of these."
    )

    @classmethod
    def of(cls, found: Descendants, first: int) -> DescendantsAnswer:
        return cls(
            asked=sum(map(len, found.records.values())),
            total=len(found.found),
            records=[
                DescendantRecord(
                    output=each.output,
                    file=each.file,
                    position=each.position,
                    alone=each.alone,
                    there=each.there,
                )
                for each in found.found[:first]
            ],
            unknown=[UnknownOutput(output=output, reason=reason) for output, reason in found.unknown.items()],
        )


@strawberry.type
class Forward:
    """Questions from records of sources to outputs."""

    @strawberry.field(
        description="The records of an output that were made of these, each with the paths in it that they made or "
        "decided about."
    )
    def became(
        self, info: strawberry.Info[Asking, None], output: str, records: list[PlaceInput], first: int = 100
    ) -> BecameAnswer:
        with info.context.about(output, first) as folder:
            of_output = folder.written(output)
            found = of_output.became(records_of(of_output, records), limit=first + 1)
        shown = [BecameRecord.of(each) for each in found[:first]]
        return BecameAnswer(records=shown, more=len(found) > first)

    @strawberry.field(
        description="The operators after which nothing is left that was made of these records; none if they reached "
        "the output."
    )
    def why_not(
        self, info: strawberry.Info[Asking, None], output: str, records: list[PlaceInput]
    ) -> list[Step]:
        with info.context.about(output) as folder:
            of_output = folder.written(output)
            dropped = of_output.why_not(records_of(of_output, records))
        return steps_of(dropped)

    @strawberry.field(
        description="Every record of every captured output that was made of these records, through all jobs."
    )
    def descendants(
        self, info: strawberry.Info[Asking, None], records: list[PlaceInput], first: int = 100
    ) -> DescendantsAnswer:
        with info.context.about("all outputs", first) as folder:
            found = descendants(folder.spark, places_of(records), records=[folder.records])
        return DescendantsAnswer.of(found, first)
