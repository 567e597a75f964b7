"""The types that several questions about records have in common, and those of the answer to `why`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any

import strawberry
from strawberry.scalars import JSON

from headwater_cli.records.asking import as_json
from headwater_records.nested.answer import Answer, Item
from headwater_records.nested.patterns import CHILD, DESCENDANT
from headwater_records_spark import Origins, Shown


@strawberry.enum(name="RecordEdge", description="Where a field is: right below, or anywhere below.")
class Edge(Enum):
    """The edges of a pattern."""

    CHILD = CHILD
    DESCENDANT = DESCENDANT


@strawberry.input(
    name="RecordCondition", one_of=True, description="A condition on a leaf; NULL meets none of them."
)
class ConditionInput:
    """Exactly one of these."""

    equal: JSON | None = strawberry.UNSET
    contains: JSON | None = strawberry.UNSET
    not_contains: JSON | None = strawberry.UNSET
    greater: JSON | None = strawberry.UNSET
    less: JSON | None = strawberry.UNSET
    length: int | None = strawberry.UNSET

    def plain(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if value is not strawberry.UNSET}


@strawberry.input(
    name="RecordPatternNode",
    description="A field that has to match `least` to `most` times, with what is below it. Arrays are looked through: "
    "each element counts.",
)
class NodeInput:
    """A node of a pattern."""

    name: str
    edge: Edge = Edge.CHILD
    least: int = 1
    most: int | None = None
    condition: ConditionInput | None = None
    children: list[NodeInput] = strawberry.field(default_factory=list)

    def plain(self) -> dict[str, Any]:
        """The node as ``headwater_records`` reads it."""
        return {
            "name": self.name,
            "edge": self.edge.value,
            "least": self.least,
            "most": self.most,
            "condition": self.condition.plain() if self.condition else None,
            "children": [each.plain() for each in self.children],
        }


@strawberry.input(
    name="RecordPlace", description="A record of a source, by its file and its position in it, from 1."
)
class PlaceInput:
    """``source`` is needed where several sources have the file."""

    file: str
    position: int
    source: str = ""


@strawberry.type(name="CapturedRun", description="A write that was captured.")
class CapturedRun:
    """A run of an output."""

    output: str
    written: str
    mode: str
    refused: str | None


@strawberry.type(name="RecordStep", description="An operator of the program that wrote.")
class Step:
    """An operator by its number."""

    number: int
    title: str


@strawberry.type(
    name="RecordPath", description="A path of a record, and what it had to do with what is asked about."
)
class FoundPath:
    """Contributes if its value is needed, else it only decided."""

    path: str
    contributes: bool
    accessed_by: list[int]
    manipulated_by: list[int]


@strawberry.type(
    name="SourceRecord", description="A record of a source, by its file and its position in it, from 1."
)
class SourceRecord:
    """A record with its paths."""

    source: str
    file: str
    position: int
    paths: list[FoundPath]
    value: JSON | None = strawberry.field(
        description="The record itself, with maps as lists of `key` and `value`; null if it cannot be read."
    )
    unread: str | None = strawberry.field(description="Why it cannot be read.")

    @classmethod
    def of(cls, item: Item, shown: Shown) -> SourceRecord:
        paths = [
            FoundPath(
                path=str(each),
                contributes=each.contributes,
                accessed_by=sorted(each.accessed),
                manipulated_by=sorted(each.manipulated),
            )
            for each in item.paths
        ]
        file, position = item.id
        return cls(
            source=item.source,
            file=file,
            position=position,
            paths=paths,
            value=as_json(shown.record),
            unread=shown.unread or None,
        )


@strawberry.type(name="RecordStage", description="A job on the way from values to the first sources.")
class JobOnTheWay:
    """A job by the output that it wrote, with its operators."""

    output: str
    steps: list[Step]


@strawberry.type(name="UnknownRecordFile", description="A file of which it is not known how it was made.")
class UnknownFile:
    """It is among the sources, though it is none."""

    file: str
    reason: str


@strawberry.type(name="UnknownRecordOutput", description="An output of which something is not known.")
class UnknownOutput:
    """With the reason."""

    output: str
    reason: str

    @classmethod
    def each_of(cls, reasons: Mapping[str, str]) -> list[UnknownOutput]:
        """The outputs, each with its reason."""
        return [cls(output=output, reason=reason) for output, reason in reasons.items()]


@strawberry.type(name="RecordsAnswer", description="The records that values were made of.")
class RecordsAnswer:
    """An answer, of which the first records are shown."""

    rows: int = strawberry.field(description="How many records of the output are asked about.")
    total: int = strawberry.field(description="How many records of the sources there are.")
    steps: list[Step]
    records: list[SourceRecord]
    stages: list[JobOnTheWay] = strawberry.field(
        description="The jobs on the way, the last one first, if it was asked `through` all of them."
    )
    unknown: list[UnknownFile]

    @classmethod
    def of(cls, answer: Answer, records: list[SourceRecord], way: Origins | None) -> RecordsAnswer:
        return cls(
            rows=answer.records,
            total=len(answer.found),
            steps=steps_of(answer.steps.items()),
            records=records,
            stages=[
                JobOnTheWay(output=each.output, steps=steps_of(each.answer.steps.items()))
                for each in way.stages
            ]
            if way
            else [],
            unknown=[UnknownFile(file=file, reason=reason) for file, reason in way.unknown.items()]
            if way
            else [],
        )


def steps_of(titles: Iterable[tuple[int, str]]) -> list[Step]:
    """Operators by number and title."""
    return [Step(number=number, title=title) for number, title in titles]
