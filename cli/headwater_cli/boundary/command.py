"""``headwater plan`` and ``headwater split``: what a job would write, before it runs, and its parts along a
boundary.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import click

from headwater_cli.agent.script import CONTEXT, require, script_arguments
from headwater_cli.boundary.answers import answers as planned_answers
from headwater_cli.terminal.errors import EXIT_CODES, FAILED, INCOMPLETE, VIOLATED, CommandError
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.output import print_json
from headwater_cli.terminal.report_files import form_of_answer, rendered, report_options

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
rules_option = click.option(
    "--rules",
    type=_FILE,
    envvar="HEADWATER_RULES",
    show_envvar=True,
    help="A YAML file that classifies personal attributes.",
)


@click.command(context_settings=CONTEXT, epilog=EXIT_CODES)
@rules_option
@click.option("--policies", type=_FILE, help="A YAML file of policies, as `headwater check` takes it.")
@click.option(
    "--events", type=click.Path(dir_okay=False, path_type=Path), help="Write the planned events to a file."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@script_arguments
@click.pass_context
def plan(
    context: click.Context,
    rules: Path | None,
    policies: Path | None,
    events: Path | None,
    as_json: bool,
    script: Path,
    arguments: Sequence[str],
) -> None:
    """Show what a PySpark script would write, without running it.

    No data are read or written: reads give schemas, writes are planned and skipped, and values that the script would
    collect are not known. Where it needs one, planning ends, and says so. Lists the outputs with the lines that write
    them, the personal data that they would hold, in which form, and with --policies what violates one.

    \b
    headwater plan --rules rules.yaml --policies policy.yaml job.py --day 2026-06-11

    Exits with 6 if a policy would be violated, and with 4 if the script could not be planned to its end.
    """
    found = _planned(script, {"arguments": list(arguments)})
    if events is not None:
        events.write_text("".join(f"{each}\n" for each in found.get("events", ())), "utf-8")
    with tempfile.TemporaryDirectory(prefix="headwater-planned-") as folder:
        answers = planned_answers(Path(folder), found.get("events", ()), rules, policies)
    if as_json:
        shown = {key: each for key, each in found.items() if key != "events"}
        print_json({**shown, **{name: answer for name, answer in answers.items() if answer is not None}})
    else:
        _print_writes(found)
        _print_answers(answers)
    if (answers.get("check") or {}).get("outcome") == "VIOLATED":
        context.exit(VIOLATED)
    if found["stops"]:
        context.exit(INCOMPLETE)


@click.command(context_settings=CONTEXT, epilog=EXIT_CODES)
@rules_option
@click.option("--policy", type=_FILE, help="What may cross the boundary, a YAML file: docs/boundary.md.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("split"),
    show_default=True,
    help="The folder for the programs and schemas.",
)
@click.option(
    "--events",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append an event to this file, by which the explorer shows the split: `headwater import FILE`.",
)
@report_options("of the split")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@script_arguments
@click.pass_context
def split(
    context: click.Context,
    rules: Path | None,
    policy: Path | None,
    out: Path,
    events: Path | None,
    report: Path | None,
    language: str,
    as_json: bool,
    script: Path,
    arguments: Sequence[str],
) -> None:
    """Split a PySpark script along a boundary of regions.

    Plans the script as `headwater plan` does, and writes inside.py, which runs in each region, outside.py, which puts
    together what left the regions, and the schemas of what may leave. What was written is planned and judged again
    before it is kept. A script that cannot be split is refused, with the operator, its line and the reason.

    --report draws what is computed inside and outside, and says why of each statement and of each column that leaves,
    to be filed with the assessment of the transfer.

    \b
    headwater split --rules rules.yaml --policy boundary.yaml --out split job.py
    headwater split --rules rules.yaml --report split.pdf job.py

    Exits with 1 if the script is refused.
    """
    form = form_of_answer(report)
    asked = {
        "arguments": list(arguments),
        "split": True,
        "rules": str(rules.resolve()) if rules else None,
        "policy": str(policy.resolve()) if policy else None,
    }
    made = _planned(script, asked).get("split")
    if made is None:
        raise CommandError("NO_SESSION", f"{script} made no Spark session")
    if "refused" not in made:
        for name, content in made["files"].items():
            file = out / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(content, "utf-8")
        if report is not None:
            beside = {"rules": rules, "policy": policy}
            report.write_bytes(_report(made, script, beside, form, language))
        if events is not None:
            _append_event(made, events)
    if as_json:
        print_json(made)
    elif "refused" in made:
        click.echo(visible(f"not split: {made['refused']}"), err=True)
    else:
        _print_split(made, out)
        for written in filter(None, (report, events)):
            click.echo(f"{written} written")
    if "refused" in made:
        context.exit(FAILED)


def _report(
    made: dict[str, Any], script: Path, beside: dict[str, Path | None], form: str, language: str
) -> bytes:
    from headwater_boundary.policy import read_policy
    from headwater_boundary.report import report_of

    policy = read_policy(beside["policy"])
    return rendered(
        lambda language, as_of: report_of(made, script, beside, policy, language=language, as_of=as_of),
        "headwater split",
        form,
        language,
    )


def _append_event(made: dict[str, Any], events: Path) -> None:
    from headwater_boundary.job_event import job_event

    with events.open("a", encoding="utf-8") as file:
        file.write(job_event(made, datetime.now(timezone.utc)) + "\n")


def _planned(script: Path, asked: dict[str, Any]) -> dict[str, Any]:
    from headwater_boundary.planning.launch import PlanningError, in_own_process

    require(script)
    try:
        return in_own_process({"script": str(script.resolve()), **asked})
    except PlanningError as error:
        raise CommandError("NOT_PLANNED", str(error)) from error


def _print_writes(found: dict[str, Any]) -> None:
    if found["server"]:
        click.echo(
            visible(f"planned in a session of its own, in place of Spark Connect at {found['server']}"),
            err=True,
        )
    for each in found["writes"]:
        click.echo(visible(f"{each['line']}  would write {each['place']} ({each['mode']})"))
    if not found["writes"]:
        click.echo("nothing would be written")
    for stop in found["stops"]:
        how = "could not go on" if stop["ended"] else "is not known in part"
        click.echo(visible(f"{stop['line']}  {how}: {stop['reason']}"), err=True)


def _print_answers(answers: dict[str, Any]) -> None:
    from headwater_cli.privacy.policies.check_formats import as_text

    exposure = answers.get("exposure")
    if exposure is not None:
        for attribute, category, dataset, path, form, *_ in exposure["rows"]:
            click.echo(visible(f"{dataset}  {path} would hold {attribute} ({category}) as {form}"))
        if not exposure["rows"]:
            click.echo("no output would hold what is known to be personal")
        for line in exposure["gaps"]:
            click.echo(visible(line), err=True)
    if answers.get("check") is not None:
        click.echo(as_text(answers["check"]))


def _print_split(made: dict[str, Any], out: Path) -> None:
    stages = made["stages"]
    click.echo(
        f"{out}: inside.py, outside.py and {len(made['intermediates'])} schemas; {stages} stage{'s' * (stages > 1)}"
    )
    for each in made["intermediates"]:
        way = "goes back into the regions" if each["back"] else "leaves the regions"
        click.echo(visible(f"{each['line']}  {each['name']} {way} in stage {each['stage']}"))
        for column in each["columns"]:
            click.echo(visible(f"    {column['name']} {column['type']}: {column['why']}"))
    for each in made["placements"]:
        click.echo(visible(f"{each['line']}  {each['operator']} {each['side']}: {each['why']}"))
    for each in made["open"]:
        click.echo(visible(f"taken as not personal: {each}"), err=True)
    if made["leastGroup"] == 1:
        click.echo("no policy names a least group: groups of a single person leave", err=True)
