"""Persons: whose records have leaked, and where all records of a person are.

``people`` says whose records are. It has to be a source or an output of a captured job, and the key a path in it: what
comes over the network names nothing else to be read, and is no SQL.
"""

from __future__ import annotations

import re
from enum import Enum

import strawberry
from pyspark.sql import DataFrame
from strawberry.scalars import JSON

from headwater_backend.domain.errors import BadQuestion
from headwater_cli.records.asking import as_json, read
from headwater_cli.records.serving.asking import Asking, Folder, pattern_of
from headwater_cli.records.serving.forward import DescendantsAnswer
from headwater_cli.records.serving.types import NodeInput
from headwater_records_spark import Breach, captured_runs, subject

_PATH = re.compile(r"[^`.]+(\.[^`.]+)*")


@strawberry.enum(name="PeopleFormat", description="The format of a folder that says whose records are.")
class PeopleFormat(Enum):
    """Formats that Spark reads without options."""

    PARQUET = "parquet"
    ORC = "orc"
    JSON = "json"
    CSV = "csv"
    DELTA = "delta"
    ICEBERG = "iceberg"


@strawberry.type(name="PersonAttribute", description="A path of the records of a source.")
class PersonAttribute:
    """An attribute."""

    source: str
    path: str


@strawberry.type(name="ExposedPerson", description="A person whose records leaked records were made of.")
class ExposedPerson:
    """A person by key."""

    person: JSON
    rows: int = strawberry.field(description="How many leaked records were made of records of this person.")
    among: int = strawberry.field(
        description="Of how many persons the one of these is made that is of the fewest; 1: it is of this person alone."
    )
    leaked: list[PersonAttribute]
    inferred: list[PersonAttribute] = strawberry.field(
        description="What only decided that a leaked record is there, and can be inferred from it."
    )


@strawberry.type(name="UnknownPersons", description="Records of a source of which no person is known.")
class UnknownPersons:
    """How many there are."""

    source: str
    records: int


@strawberry.type(name="BreachAnswer", description="The persons of leaked records.")
class BreachAnswer:
    """All of them, as nobody may be left out."""

    rows: int
    persons: list[ExposedPerson]
    unknown: list[UnknownPersons]

    @classmethod
    def of(cls, found: Breach) -> BreachAnswer:
        return cls(
            rows=found.rows,
            persons=[
                ExposedPerson(
                    person=as_json(each.key),
                    rows=each.rows,
                    among=each.among,
                    leaked=_attributes(each.leaked),
                    inferred=_attributes(each.inferred),
                )
                for each in found.persons
            ],
            unknown=[UnknownPersons(source=source, records=count) for source, count in found.unknown.items()],
        )


def _attributes(found: set[tuple[str, str]]) -> list[PersonAttribute]:
    return [PersonAttribute(source=source, path=path) for source, path in sorted(found)]


@strawberry.type
class Persons:
    """Questions about people."""

    @strawberry.field(
        description="The persons of records of an output that have leaked: those that match the pattern, or the "
        "`paths` of all. `people` is a source or an output that says under `key` whose its records are."
    )
    def breach(
        self,
        info: strawberry.Info[Asking, None],
        output: str,
        people: str,
        key: str,
        format: PeopleFormat = PeopleFormat.PARQUET,  # noqa: A002 - its name in the schema
        pattern: list[NodeInput] | None = None,
        text: str | None = None,
        paths: list[str] = [],  # noqa: B006 - strawberry copies it
    ) -> BreachAnswer:
        with info.context.about(output) as folder:
            asked, named = pattern_of(pattern, text), _key(key)
            known = _people(folder, people, format)
            found = folder.written(output).breach(asked, paths=paths, people=known, key=named)
        return BreachAnswer.of(found)

    @strawberry.field(
        description="Where records of a `person` are, for access or erasure: what became of those records of `people` "
        "that have the person under `key`, through all jobs."
    )
    def subject(
        self,
        info: strawberry.Info[Asking, None],
        people: str,
        key: str,
        person: str,
        format: PeopleFormat = PeopleFormat.PARQUET,  # noqa: A002 - its name in the schema
        first: int = 100,
    ) -> DescendantsAnswer:
        with info.context.about("all outputs", first) as folder:
            named = _key(key)
            found = subject(_people(folder, people, format), named, person, records=[folder.records])
        return DescendantsAnswer.of(found, first)


def _people(folder: Folder, people: str, kind: PeopleFormat) -> DataFrame:
    runs = captured_runs(folder.spark, folder.records)
    known = {each.output.root for each in runs} | {each.output.table for each in runs}
    known |= {name for each in runs for read in each.inputs for name in (read.name, read.root)}
    if not {people, folder.written(people).root} & (known - {""}):
        raise BadQuestion(
            f"no captured job read or wrote {people}", "name a source or an output, as `runs` and answers do"
        )
    return read(folder.spark, people, kind.value)


def _key(path: str) -> str:
    if not _PATH.fullmatch(path):
        raise BadQuestion(f"{path!r} is no path", "a key is a column, or a path such as user.id_str")
    return ".".join(f"`{each}`" for each in path.split("."))
