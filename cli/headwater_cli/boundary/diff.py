"""``headwater diff``: what a change of jobs does to lineage, personal data and policies."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from headwater_cli.boundary.changes_formats import as_markdown, as_sarif, as_text, summary
from headwater_cli.boundary.command import rules_option
from headwater_cli.terminal.errors import EXIT_CODES, INCOMPLETE, NOTHING_CLASSIFIED, VIOLATED
from headwater_cli.terminal.output import as_json

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FORMATS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "text": as_text,
    "json": as_json,
    "markdown": as_markdown,
}
_EXITS = {"VIOLATED": VIOLATED, "UNCLASSIFIED": NOTHING_CLASSIFIED, "UNKNOWN": INCOMPLETE}


@click.command(epilog=EXIT_CODES)
@click.option("--base", type=_FILE, required=True, help="The events before the change, one per line.")
@click.option("--head", type=_FILE, required=True, help="The events after the change.")
@rules_option
@click.option("--policies", type=_FILE, help="A YAML file of policies, as `headwater check` takes it.")
@click.option("--strict", is_flag=True, help="Exit with 4 if lineage is incomplete on either side.")
@click.option(
    "--format",
    "form",
    type=click.Choice([*_FORMATS, "sarif"]),
    default="text",
    show_default=True,
    help="Markdown is for a comment on a pull request, SARIF 2.1.0 for build servers.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the result to a file.")
@click.pass_context
def diff(
    context: click.Context,
    base: Path,
    head: Path,
    rules: Path | None,
    policies: Path | None,
    strict: bool,
    form: str,
    out: Path | None,
) -> None:
    """Show what a change does to lineage and policies.

    Compares the events of the same jobs before and after the change: paths that outputs gain and lose, personal data in
    them, and violations. `headwater plan --events` writes events without running a job.

    \b
    headwater plan --events main.ndjson job.py        (on the main branch)
    headwater plan --events branch.ndjson job.py      (on the branch)
    headwater diff --base main.ndjson --head branch.ndjson --rules rules.yaml --policies policy.yaml

    Exits with 6 if the change violates a policy that it did not violate there before, with 5 if nothing says what is
    personal, and with 4 if it is not known whether it violates one.
    """
    from headwater_cli.boundary.answers import read
    from headwater_cli.boundary.changes import changes, is_incomplete, side
    from headwater_cli.privacy.holdings import rule_variables

    variables, wanted = rule_variables(rules), read(policies) if policies else ()
    with tempfile.TemporaryDirectory(prefix="headwater-diff-") as folder:
        files = {"base": base, "head": head}
        sides = {
            name: side(Path(folder) / f"{name}.db", file, variables, wanted) for name, file in files.items()
        }
    found = changes(**sides)
    text = as_sarif(found, policies, head) if form == "sarif" else _FORMATS[form](found)
    if out is None:
        click.echo(text)
    else:
        out.write_text(f"{text}\n", "utf-8")
        click.echo(f"{out} written: {summary(found)}")
    incomplete = INCOMPLETE if strict and is_incomplete(found) else 0
    context.exit(_EXITS.get(found["outcome"], incomplete))
