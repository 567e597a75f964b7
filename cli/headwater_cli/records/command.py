"""``headwater records``: which records of the sources made what Spark wrote while it was captured.

It reads what was kept beside the data, with a Spark session of its own, and asks no server; but for ``runs``, which
says where that is. ``serve`` shows it in a browser.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from headwater_cli.records.options import CONF, PROGRAM, RECORDS
from headwater_cli.records.runs import runs
from headwater_cli.records.serve import serve
from headwater_cli.records.session import spark_session
from headwater_cli.terminal.errors import CommandError
from headwater_cli.terminal.escaping import visible, visible_lines
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_json, print_note

if TYPE_CHECKING:
    from headwater_records.nested.answer import Answer, Item
    from headwater_records_spark import Breach, Written

Command = TypeVar("Command", bound=Callable[..., Any])
MOST_ROWS = 20
Place = tuple[str, int]


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


def _record(name: str, parameter: str, text: str, *, required: bool = False) -> Callable[[Command], Command]:
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


def _about_an_output(question: Callable[..., None]) -> Callable[..., None]:
    """Give a question ``asked`` out of its own argument and options."""

    @wraps(question)
    def call(output: str, records: str, program: str | None, conf: Sequence[str], **more: Any) -> None:
        question(Asked(output, records, program, conf), **more)

    command: Callable[..., None] = call
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        CONF,
        PROGRAM,
        RECORDS,
        click.argument("output"),
    ):
        command = option(command)
    return command


def _sources(command: Command) -> Command:
    return click.option(
        "--source", default="", help="The source that the records are of, if several have the file."
    )(command)


_ONES = _record("--record", "places", "A record of a source; may be repeated.", required=True)


@click.group(cls=Group)
def records() -> None:
    """Say which records made what Spark wrote and captured.

    OUTPUT is a path or a table that was written inside `headwater_records_spark.capture`. Records are named by file and
    position in it, from 1.
    """


records.add_command(runs)
records.add_command(serve)


@records.command("why")
@_about_an_output
@click.argument("pattern", required=False)
@click.option("--where", metavar="SQL", help="Only these rows: a condition over the columns of the output.")
@click.option(
    "--path", "paths", multiple=True, help="Only this path of them, as tweets[2].text; may be repeated."
)
def why(
    asked: Asked,
    as_json: bool,
    pattern: str | None,
    where: str | None,
    paths: Sequence[str],
) -> None:
    """List the records that values of the output were made of.

    PATTERN asks for what it matches; without it and without --where, the whole output is asked about.

    \b
    headwater records why /lake/by_user --records /lake/records 'user/id_str="lp", tweets[2..2]/text="Hello"'
    headwater records why /lake/by_user --records /lake/records --where "user.id_str = 'lp'" --path 'tweets[2].text'
    """
    with _written(asked) as written:
        answer = written.why(pattern, where=where, paths=paths)
    if as_json:
        print_json(_answer(answer))
        return
    for line in answer.lines():
        click.echo(visible(line))
    if not answer.found:
        print_note(
            "nothing of the output is asked for" if not answer.records else "no record of a source made it"
        )
        return
    click.echo(
        "operators: " + ", ".join(f"{number} {visible(title)}" for number, title in answer.steps.items())
    )


@records.command("forward")
@_about_an_output
@_ONES
@_sources
@click.option(
    "--limit", type=click.IntRange(1), default=MOST_ROWS, show_default=True, help="At most so many rows."
)
def forward(
    asked: Asked,
    as_json: bool,
    places: Sequence[Place],
    source: str,
    limit: int,
) -> None:
    """Show the rows of the output that records were made into.

    \b
    headwater records forward /lake/by_user --records /lake/records --record /lake/tweets/part-00000.parquet:12
    """
    with _written(asked) as written:
        frame = written.forward(_named(written, places, source))
        rows = [json.loads(row[0]) for row in frame.selectExpr("to_json(struct(*))").take(limit)]
        count = frame.count()
    if as_json:
        print_json({"count": count, "rows": rows})
        return
    for row in rows:
        click.echo(visible(json.dumps(row, ensure_ascii=False)))
    print_note(f"{count} rows" + (f", of which {len(rows)} are shown" if count > len(rows) else ""))


@records.command("erase")
@_about_an_output
@_ONES
@_sources
def erase(
    asked: Asked,
    as_json: bool,
    places: Sequence[Place],
    source: str,
) -> None:
    """List what of the output has to go with records of a person.

    Says by file and position which records of the output were made of these alone, and can be deleted, and which also
    of others, and have to be made again without them (`replay --without`). It deletes nothing.

    \b
    headwater records erase /lake/by_user --records /lake/records --record /lake/tweets/part-00000.parquet:12
    """
    with _written(asked) as written:
        found = written.erase(_named(written, places, source))
    if as_json:
        print_json([{"file": each.file, "position": each.position, "others": each.others} for each in found])
        return
    for each in found:
        what = "delete" if each.alone else f"make again, it is also of {each.others} more"
        click.echo(f"{visible(each.file)}: {each.position}  {what}")
    if not found:
        print_note("no record of the output was made of these")


@records.command("breach")
@_about_an_output
@click.argument("pattern", required=False)
@click.option(
    "--where", metavar="SQL", help="The rows that have leaked: a condition over the columns of the output."
)
@click.option("--path", "paths", multiple=True, help="Only this path of them has leaked; may be repeated.")
@click.option(
    "--people",
    required=True,
    metavar="TABLE",
    help="The source that says whose a record is: a table or a folder.",
)
@click.option(
    "--key", required=True, metavar="SQL", help="The person's key in it: a column, or a path as user.id_str."
)
@click.option(
    "--format",
    "kind",
    default="parquet",
    show_default=True,
    help="The format of --people, if it is a folder.",
)
def breach(
    asked: Asked,
    as_json: bool,
    pattern: str | None,
    where: str | None,
    paths: Sequence[str],
    people: str,
    key: str,
    kind: str,
) -> None:
    """Say whose records leaked rows were made of.

    For each person: which attributes leaked, and which can be inferred, as they decided that a row is there. Of records
    that have no key in --people, their number is printed: whose they are is not known.

    \b
    headwater records breach /lake/by_user --records /lake/records --where "user.id_str = 'lp'" \\
        --people /lake/tweets --key user.id_str
    """
    with _written(asked) as written:
        found = written.breach(pattern, where=where, paths=paths, people=written.read(people, kind), key=key)
        leaks = _breach(found)
    if as_json:
        print_json(leaks)
        return
    for each in leaks["persons"]:
        click.echo(
            f"{visible(str(each['person']))}  rows: {each['rows']}, fewest persons of one: {each['among']}"
        )
        for role in ("leaked", "inferred"):
            for attribute in each[role]:
                click.echo(f"├── {visible(attribute)}  {role}")
    for source, count in leaks["unknown"].items():
        print_note(f"whose {count} records of {visible(source)} are is not known")
    if not found.rows:
        print_note("nothing of the output is asked for")


@records.command("why-not")
@_about_an_output
@_ONES
@_sources
def why_not(
    asked: Asked,
    as_json: bool,
    places: Sequence[Place],
    source: str,
) -> None:
    """Name the operators that dropped records.

    \b
    headwater records why-not /lake/by_user --records /lake/records --record /lake/tweets/part-00000.parquet:2
    """
    with _written(asked) as written:
        dropped = written.why_not(_named(written, places, source))
    if as_json:
        print_json([{"operator": number, "title": title} for number, title in dropped])
        return
    for number, title in dropped:
        click.echo(f"{number} {visible(title)}")
    if not dropped:
        print_note("the records reached the output")


@records.command("replay")
@_about_an_output
@_record("--only", "only", "A record that the sources would have, alone; may be repeated.")
@_record("--without", "without", "A record that the sources would not have; may be repeated.")
@click.option("--into", required=True, metavar="FOLDER", help="Where to write it; it must not be there yet.")
@_sources
def replay(
    asked: Asked,
    as_json: bool,
    only: Sequence[Place],
    without: Sequence[Place],
    into: str,
    source: str,
) -> None:
    """Write the output as it would be from other records.

    What it would be is written to a place of its own, as Parquet; the output stays. Says how many rows are gone, and
    how many are new.

    \b
    headwater records replay /lake/by_user --records /lake/records --program jobs.users:by_user \\
        --without /lake/tweets/part-00000.parquet:12 --into /tmp/without
    """
    if bool(only) == bool(without):
        raise click.UsageError("name records with either --only or --without")
    with _written(asked) as written:
        named = _named(written, only or without, source)
        again = written.replay(only=named) if only else written.replay(without=named)
        again.write.parquet(into)
        gone, new = written.changed(again)
        found = {"rows": again.count(), "gone": gone.count(), "new": new.count(), "into": into}
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['rows']} rows in {visible(into)}: {found['gone']} are gone, {found['new']} are new")


@contextmanager
def _written(asked: Asked) -> Iterator[Written]:
    """The output, in a session that ends afterwards; a failure of Spark is one line."""
    from pyspark.errors import PySparkException

    import headwater_records_spark

    with spark_session(asked.conf) as spark:
        try:
            yield headwater_records_spark.written(
                spark, asked.output, records=asked.records, program=asked.program
            )
        except LookupError as problem:
            raise CommandError(
                "NO_RECORD", str(problem.args[0]), "`headwater records why` names files as they are"
            ) from None
        except PySparkException as problem:
            raise CommandError("SPARK", visible_lines(str(problem).split("\n\n")[0])) from problem


def _named(written: Written, places: Sequence[Place], source: str) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for file, position in places:
        for name, records in written.record(file, position, source).items():
            found.setdefault(name, []).extend(records)
    return found


def _breach(found: Breach) -> dict[str, Any]:
    return {
        "rows": found.rows,
        "persons": [
            {
                "person": each.key,
                "rows": each.rows,
                "among": each.among,
                "leaked": [f"{source}#{path}" for source, path in sorted(each.leaked)],
                "inferred": [f"{source}#{path}" for source, path in sorted(each.inferred)],
            }
            for each in found.persons
        ],
        "unknown": found.unknown,
    }


def _answer(answer: Answer) -> dict[str, Any]:
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
