"""What questions about an output have in common: their options, the session that they are asked in, and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from headwater_cli.records.options import CONF, PROGRAM, RECORDS
from headwater_cli.records.session import spark_session
from headwater_cli.terminal.errors import CommandError
from headwater_cli.terminal.escaping import visible_lines

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from headwater_records.nested.answer import Answer, Item
    from headwater_records_spark import Written

Command = TypeVar("Command", bound=Callable[..., Any])
Place = tuple[str, int]


JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
WHERE = click.option(
    "--where", metavar="SQL", help="Only these rows: a condition over the columns of the output."
)
PATHS = click.option(
    "--path", "paths", multiple=True, help="Only this path of them, as tweets[2].text; may be repeated."
)


def _places(context: click.Context, option: click.Parameter, values: Sequence[str]) -> list[Place]:
    """Each ``FILE:POSITION``."""
    found = []
    for value in values:
        file, _, position = value.rpartition(":")
        if not file or not position.isdecimal() or int(position) < 1:
            reason = f"{value!r} is no file with a position from 1, as part-00000.parquet:12"
            raise click.BadParameter(reason, context, option)
        found.append((file, int(position)))
    return found


def record_option(
    name: str, parameter: str, text: str, *, required: bool = False
) -> Callable[[Command], Command]:
    return click.option(
        name,
        parameter,
        multiple=True,
        required=required,
        metavar="FILE:POSITION",
        callback=_places,
        help=text,
    )


class Asked(NamedTuple):
    """The output that a question is about, and where to learn of it: what all questions have in common."""

    output: str
    records: str
    program: str | None
    conf: Sequence[str]


def about_an_output(question: Callable[..., None]) -> Callable[..., None]:
    """Give a question ``asked`` out of its own argument and options."""

    @wraps(question)
    def call(output: str, records: str, program: str | None, conf: Sequence[str], **more: Any) -> None:
        question(Asked(output, records, program, conf), **more)

    command: Callable[..., None] = call
    for option in (
        JSON,
        CONF,
        PROGRAM,
        RECORDS,
        click.argument("output"),
    ):
        command = option(command)
    return command


def sources_option(command: Command) -> Command:
    return click.option(
        "--source", default="", help="The source that the records are of, if several have the file."
    )(command)


PEOPLE = click.option(
    "--people",
    required=True,
    metavar="TABLE",
    help="The source that says whose a record is: a table or a folder.",
)
KEY = click.option(
    "--key", required=True, metavar="SQL", help="The person's key in it: a column, or a path as user.id_str."
)
FORMAT = click.option(
    "--format",
    "kind",
    default="parquet",
    show_default=True,
    help="The format of --people, if it is a folder.",
)
RECORDS_ASKED = record_option("--record", "places", "A record of a source; may be repeated.", required=True)


@contextmanager
def asked_session(conf: Sequence[str]) -> Iterator[SparkSession]:
    """A session that ends afterwards; a failure of Spark is one line."""
    from pyspark.errors import PySparkException

    with spark_session(conf) as spark:
        try:
            yield spark
        except LookupError as problem:
            raise CommandError(
                "NO_RECORD", str(problem.args[0]), "`headwater records why` names files as they are"
            ) from None
        except PySparkException as problem:
            raise CommandError("SPARK", visible_lines(str(problem).split("\n\n")[0])) from problem


@contextmanager
def written_output(asked: Asked) -> Iterator[Written]:
    """The output, in such a session."""
    import headwater_records_spark

    with asked_session(asked.conf) as spark:
        yield headwater_records_spark.written(
            spark, asked.output, records=asked.records, program=asked.program
        )


def read(spark: SparkSession, place: str, kind: str) -> DataFrame:
    """A table, or a folder of files of this format, to say whose records are."""
    return spark.table(place) if spark.catalog.tableExists(place) else spark.read.format(kind).load(place)


def named(written: Written, places: Sequence[Place], source: str) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for file, position in places:
        for name, records in written.record(file, position, source).items():
            found.setdefault(name, []).extend(records)
    return found


def as_json(value: Any) -> Any:
    """A value of a record as JSON has it; what JSON does not know, such as a date, is text."""
    return json.loads(json.dumps(value, default=str))


def answer_as_json(answer: Answer) -> dict[str, Any]:
    return {
        "operators": {str(number): title for number, title in answer.steps.items()},
        "rows": answer.records,
        "records": [
            _item(item) for item in sorted(answer.items(), key=lambda each: (each.source, str(each.id)))
        ],
    }


def _item(item: Item) -> dict[str, Any]:
    file, position = item.id
    paths = [
        {
            "path": str(found),
            "contributes": found.contributes,
            "accessedBy": sorted(found.accessed),
            "manipulatedBy": sorted(found.manipulated),
        }
        for found in item.paths
    ]
    return {"source": item.source, "file": file, "position": position, "paths": paths}
