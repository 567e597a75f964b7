"""``headwater records``: which records of the sources made what Spark wrote while it was captured.

It reads what was kept beside the data, with a Spark session of its own, and asks no server; but for ``runs``, which
says where that is. ``serve`` shows it in a browser.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.records.across import descendants, origins, subject, usage
from headwater_cli.records.asking import (
    FORMAT,
    KEY,
    PATHS,
    PEOPLE,
    RECORDS_ASKED,
    WHERE,
    Asked,
    Place,
    about_an_output,
    answer_as_json,
    as_json,
    named,
    read,
    record_option,
    sources_option,
    written_output,
)
from headwater_cli.records.runs import runs
from headwater_cli.records.serve import serve
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.output import print_json, print_note

if TYPE_CHECKING:
    from headwater_records_spark import Became, Breach

MOST_ROWS = 20


@click.group(cls=Group)
def records() -> None:
    """Say which records made what Spark wrote and captured.

    OUTPUT is a path or a table that was written inside `headwater_records_spark.capture`. Records are named by file and
    position in it, from 1.
    """


for each in (descendants, origins, runs, serve, subject, usage):
    records.add_command(each)


@records.command("why")
@about_an_output
@click.argument("pattern", required=False)
@WHERE
@PATHS
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
    with written_output(asked) as written:
        answer = written.why(pattern, where=where, paths=paths)
    if as_json:
        print_json(answer_as_json(answer))
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
@about_an_output
@RECORDS_ASKED
@sources_option
@click.option(
    "--limit", type=click.IntRange(1), default=MOST_ROWS, show_default=True, help="At most so many rows."
)
@click.option("--paths", is_flag=True, help="Say which values of each row the records made or decided about.")
def forward(
    asked: Asked,
    as_json: bool,
    places: Sequence[Place],
    source: str,
    limit: int,
    paths: bool,
) -> None:
    """Show the rows of the output that records were made into.

    \b
    headwater records forward /lake/by_user --records /lake/records --record /lake/tweets/part-00000.parquet:12 --paths
    """
    with written_output(asked) as written:
        given = named(written, places, source)
        if paths:
            _show_paths(written.became(given, limit=limit), as_json)
            return
        frame = written.forward(given)
        rows = [json.loads(row[0]) for row in frame.selectExpr("to_json(struct(*))").take(limit)]
        count = frame.count()
    if as_json:
        print_json({"count": count, "rows": rows})
        return
    for row in rows:
        click.echo(visible(json.dumps(row, ensure_ascii=False)))
    print_note(f"{count} rows" + (f", of which {len(rows)} are shown" if count > len(rows) else ""))


def _show_paths(found: Sequence[Became], as_json: bool) -> None:
    """Rows with the paths in them."""
    if as_json:
        print_json({"rows": [_became_as_json(each) for each in found]})
        return
    for each in found:
        click.echo(visible(json.dumps(each.row, ensure_ascii=False, default=str)))
        if each.place:
            click.echo(f"    {visible(each.place[0])}: {each.place[1]}")
        for path in each.paths:
            click.echo(f"    {visible(str(path))}  {'contributes' if path.contributes else 'influenced'}")
    if not found:
        print_note("no row of the output was made of these")


def _became_as_json(each: Became) -> dict[str, Any]:
    paths = [{"path": str(path), "contributes": path.contributes} for path in each.paths]
    file, position = each.place or (None, None)
    return {"row": as_json(each.row), "file": file, "position": position, "paths": paths}


@records.command("erase")
@about_an_output
@RECORDS_ASKED
@sources_option
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
    with written_output(asked) as written:
        found = written.erase(named(written, places, source))
    if as_json:
        print_json([{"file": each.file, "position": each.position, "others": each.others} for each in found])
        return
    for each in found:
        what = "delete" if each.alone else f"make again, it is also of {each.others} more"
        click.echo(f"{visible(each.file)}: {each.position}  {what}")
    if not found:
        print_note("no record of the output was made of these")


@records.command("breach")
@about_an_output
@click.argument("pattern", required=False)
@click.option(
    "--where", metavar="SQL", help="The rows that have leaked: a condition over the columns of the output."
)
@click.option("--path", "paths", multiple=True, help="Only this path of them has leaked; may be repeated.")
@PEOPLE
@KEY
@FORMAT
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
    with written_output(asked) as written:
        known = read(written.store.jvm.spark, people, kind)
        found = written.breach(pattern, where=where, paths=paths, people=known, key=key)
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
@about_an_output
@RECORDS_ASKED
@sources_option
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
    with written_output(asked) as written:
        dropped = written.why_not(named(written, places, source))
    if as_json:
        print_json([{"operator": number, "title": title} for number, title in dropped])
        return
    for number, title in dropped:
        click.echo(f"{number} {visible(title)}")
    if not dropped:
        print_note("the records reached the output")


@records.command("at-fault")
@about_an_output
@click.option("--path", required=True, help="Where the bad value is, as total or tweets[2].text.")
@click.option("--bad", required=True, metavar="SQL", help="What is bad: a condition, as 'value < 0'.")
@WHERE
def at_fault(
    asked: Asked,
    as_json: bool,
    path: str,
    bad: str,
    where: str | None,
) -> None:
    """Name the operator that made a bad value.

    Asks the condition of the values that it was made of, at each operator, from the sources on. The first that gives a
    bad one and has got none is at fault, or a source that had it already: then its records are listed. The plan is
    built again.

    \b
    headwater records at-fault /lake/totals --records /lake/records --program jobs.sales:totals \\
        --path total --bad 'value < 0' --where "land = 'A'"
    """
    with written_output(asked) as written:
        faults = written.at_fault(path, bad, where=where)
    if as_json:
        print_json([asdict(each) for each in faults])
        return
    for fault in faults:
        for each in fault.operators:
            found = "not comparable" if each.bad is None else f"{each.bad} bad"
            mark = "  at fault" if each.number in fault.at_fault else ""
            mark = mark or ("  possibly at fault" if each.number in fault.possible else "")
            click.echo(f"{each.number} {visible(each.title)}  values: {each.values}, {found}{mark}")
        for source, places in fault.records.items():
            for file, position in places:
                click.echo(f"├── {visible(source)}  {visible(file)}: {position}")
    if not any(each.at_fault or each.possible for each in faults):
        print_note("no value of these is bad")


@records.command("replay")
@about_an_output
@record_option("--only", "only", "A record that the sources would have, alone; may be repeated.")
@record_option("--without", "without", "A record that the sources would not have; may be repeated.")
@click.option("--into", required=True, metavar="FOLDER", help="Where to write it; it must not be there yet.")
@sources_option
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
    with written_output(asked) as written:
        given = named(written, only or without, source)
        again = written.replay(only=given) if only else written.replay(without=given)
        again.write.parquet(into)
        gone, new = written.changed(again)
        found = {"rows": again.count(), "gone": gone.count(), "new": new.count(), "into": into}
    if as_json:
        print_json(found)
        return
    click.echo(f"{found['rows']} rows in {visible(into)}: {found['gone']} are gone, {found['new']} are new")


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
