"""``headwater records``: questions across all jobs that were captured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.records.asking import (
    FORMAT,
    JSON,
    KEY,
    PATHS,
    PEOPLE,
    RECORDS_ASKED,
    WHERE,
    Asked,
    Place,
    about_an_output,
    answer_as_json,
    asked_session,
    read,
    written_output,
)
from headwater_cli.records.options import CONF
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.output import print_json, print_note
from headwater_cli.terminal.report_files import form_of_answer, rendered, report_options

if TYPE_CHECKING:
    from headwater_records_spark import Descendants, Origins, Usage

HEAT = "▁▂▃▄▅▆▇█"
FOLDERS = click.option(
    "--records",
    "folders",
    required=True,
    multiple=True,
    metavar="FOLDER",
    help="A folder that `capture` kept records in; may be repeated.",
)


@click.command("origins")
@about_an_output
@click.argument("pattern", required=False)
@WHERE
@PATHS
@click.option(
    "--also", multiple=True, metavar="FOLDER", help="Another folder that runs on the way kept records in."
)
@report_options("for an audit")
def origins(
    asked: Asked,
    as_json: bool,
    pattern: str | None,
    where: str | None,
    paths: Sequence[str],
    also: Sequence[str],
    report: Path | None,
    language: str,
) -> None:
    """List records of the first sources of values.

    Of which records are values of the output made? Goes through all jobs that were captured: what one of them read,
    another one wrote. Asks as `why` does, and adds the operators of each job.

    \b
    headwater records origins /lake/report --records /lake/records --where "land = 'A'" --path total
    headwater records origins /lake/report --records /lake/records --path total --report audit.pdf

    --report writes where the values come from, sealed with its hash, which `headwater report verify` checks. It has the
    question as it was asked.
    """
    from headwater_records_spark import origins as asked_origins

    form = form_of_answer(report)
    with written_output(asked) as written:
        found = asked_origins(written, pattern, where=where, paths=paths, records=also)
    if report is not None:
        question = {"output": asked.output, "pattern": pattern, "where": where, "paths": list(paths)}
        report.write_bytes(_report(found, {**question, "records": [asked.records, *also]}, form, language))
    if as_json:
        stages = [{"output": each.output, "run": each.run} for each in found.stages]
        print_json({**answer_as_json(found.sources), "stages": stages, "unknown": found.unknown})
        return
    for line in found.lines():
        click.echo(visible(line))
    if not found.sources.found:
        print_note("nothing of the output is asked for")
    if report is not None:
        print_note(f"{report} written")


def _report(found: Origins, question: dict[str, Any], form: str, language: str) -> bytes:
    from headwater_cli.records.report import report_of

    return rendered(
        lambda language, as_of: report_of(found, question, language=language, as_of=as_of),
        "headwater records origins",
        form,
        language,
    )


@click.command("descendants")
@FOLDERS
@RECORDS_ASKED
@CONF
@JSON
def descendants(folders: Sequence[str], places: Sequence[Place], conf: Sequence[str], as_json: bool) -> None:
    """List what became of records, in all outputs.

    Says of each record of an output, by file and position, whether it was made of these alone, and can be deleted, or
    also of others. Of an output of which that is not known, it gives the reason. Nothing is deleted.

    \b
    headwater records descendants --records /lake/records --record /lake/tweets/part-00000.parquet:12
    """
    import headwater_records_spark

    with asked_session(conf) as spark:
        found = headwater_records_spark.descendants(spark, {"": places}, records=folders)
    _print_descendants(found, as_json)


@click.command("subject")
@click.argument("person")
@FOLDERS
@PEOPLE
@KEY
@FORMAT
@CONF
@JSON
def subject(
    person: str, folders: Sequence[str], people: str, key: str, kind: str, conf: Sequence[str], as_json: bool
) -> None:
    """List where records of a PERSON are, for access or erasure.

    The rows of --people that have PERSON under --key are made of the person's records, and what became of these is
    listed as by `descendants`.

    \b
    headwater records subject lp --records /lake/records --people /lake/tweets --key user.id_str
    """
    import headwater_records_spark

    with asked_session(conf) as spark:
        found = headwater_records_spark.subject(read(spark, people, kind), key, person, records=folders)
    if not found.records and not as_json:
        print_note(f"{visible(people)} has no record of {visible(person)}")
    _print_descendants(found, as_json)


@click.command("usage")
@FOLDERS
@click.option("--source", metavar="NAME", help="Only this source.")
@CONF
@JSON
def usage(folders: Sequence[str], source: str | None, conf: Sequence[str], as_json: bool) -> None:
    """Show what captured jobs use of their sources.

    For each source: its paths, in how many jobs a value of each contributes and which operators look at it; which paths
    are used together; which parts of its files are used most; and what follows for its layout.

    \b
    headwater records usage --records /lake/records
    """
    import headwater_records_spark

    with asked_session(conf) as spark:
        used = headwater_records_spark.usage(spark, records=folders)
        found = [(each, each.heat()) for each in used if source in (None, each.source)]
    if as_json:
        print_json([_usage_as_json(each, heat) for each, heat in found])
        return
    for each, heat in found:
        _print_usage(each, heat)
    if not found:
        print_note("no job that was captured reads that")


def _print_descendants(found: Descendants, as_json: bool) -> None:
    if as_json:
        records = [
            {"source": source, "file": file, "position": position}
            for source, places in sorted(found.records.items())
            for file, position in sorted(places)
        ]
        print_json(
            {"records": records, "found": [asdict(each) for each in found.found], "unknown": found.unknown}
        )
        return
    for each in found.found:
        what = "delete" if each.alone else "make again, it is also of others"
        click.echo(f"{visible(each.file)}: {each.position}  {what if each.there else 'was replaced since'}")
    for output, reason in found.unknown.items():
        print_note(f"which records of {visible(output)} were made of these is not known: {visible(reason)}")
    if not found.found and not found.unknown:
        print_note("no record of an output was made of these")


def _usage_as_json(used: Usage, heat: dict[str, list[float]]) -> dict[str, Any]:
    return {
        "source": used.source,
        "runs": used.runs,
        "paths": [
            {"path": path, "contributes": use.contributes, "accessedBy": dict(use.accessed)}
            for path, use in sorted(used.paths.items())
        ],
        "together": [{"paths": list(pair), "runs": runs} for pair, runs in sorted(used.together.items())],
        "never": used.never,
        "heat": heat,
        "proposals": [asdict(each) for each in used.proposals],
        "unknown": used.unknown,
        "withoutRecords": sorted(used.without_records),
    }


def _print_usage(used: Usage, heat: dict[str, list[float]]) -> None:
    click.echo(f"{visible(used.source)}  jobs: {used.runs}")
    paths = sorted(used.paths)
    width = max(map(len, paths), default=0)
    for number, path in enumerate(paths, 1):
        use = used.paths[path]
        by = ", ".join(f"{visible(title)} {count}" for title, count in sorted(use.accessed.items()))
        accessed = f", accessed by {by}" if by else ""
        click.echo(f"├── {number:2} {visible(path):{width}}  contributes to {use.contributes}{accessed}")
    if len(paths) > 1:
        click.echo("│   used together" + "".join(f"{number:4}" for number in range(1, len(paths) + 1)))
        for number, path in enumerate(paths, 1):
            pairs = (
                used.together[min(path, other), max(path, other)] if other != path else None
                for other in paths
            )
            click.echo(f"│   {number:13}" + "".join(f"{'·' if each is None else each:>4}" for each in pairs))
    most = max((each for parts in heat.values() for each in parts), default=0.0)
    for file, parts in heat.items():
        blocks = "".join(HEAT[round(each / most * (len(HEAT) - 1))] if each else " " for each in parts)
        click.echo(f"├── {visible(file)}  |{blocks}|")
    for each in used.proposals:
        click.echo(
            f"├── {each.change} {'by ' if each.change != 'leave out' else ''}{visible(each.path)}: {each.runs}"
        )
    for output, reason in used.unknown.items():
        print_note(f"what {visible(output)} uses is not known: {visible(reason)}")
    if used.without_records:
        print_note(f"which records {visible(', '.join(sorted(used.without_records)))} use was not kept")
