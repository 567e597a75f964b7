"""``headwater report sign`` and ``signed``: signing a report that was read, and who signed which."""

from __future__ import annotations

from pathlib import Path

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import limit_option, print_nodes
from headwater_cli.privacy.answer_text import Answer
from headwater_cli.privacy.exposure import rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.reports.options import stated_options, stated_variables
from headwater_cli.reports.verify import question_of
from headwater_cli.terminal.errors import EXIT_CODES, CommandError
from headwater_cli.terminal.escaping import visible
from headwater_cli.terminal.output import print_json

HEADINGS = ("signed", "by", "kind", "as of", "since", "about", "complete", "hash", "reason")
_json_option = click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")


@click.command("sign", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--reason", required=True, metavar="TEXT", help="The reason, for the history.")
@stated_options
@rules_option
@store_or_url
@_json_option
@click.pass_context
def sign(
    context: click.Context,
    file: Path,
    reason: str,
    organisation: Path | None,
    policy: Path | None,
    rules: Path | None,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Sign a report's FILE that you have read.

    The file has to be as it was written, and its question to have the same answer still; give the same --rules,
    --organisation and --policy. Who signed which report, when and why is kept for good. After a signed review,
    `headwater report review` and `headwater exposure --since last-review` list what has changed since. On a server, the
    API key must belong to an auditor or an administrator.
    """
    from headwater_backend.reports.verification import verify

    found = verify(file.read_bytes())
    if not found.intact:
        raise CommandError("FILE", f"{file} is not as it was written", "sign the file that Headwater wrote")
    variables = {
        **question_of(found.sealed.report),
        **rule_variables(rules),
        **stated_variables(organisation, policy),
        "hash": found.sealed.hash,
        "reason": reason,
    }
    answer = create_client(context, store, url).query("sign_report", variables)["signReport"]
    if as_json:
        print_json(answer)
        return
    click.echo(
        visible(f"{answer['kind']} as of {answer['asOf'][:19]} signed by {answer['by']}: {answer['hash']}")
    )


@click.command("signed", epilog=EXIT_CODES)
@click.option("--kind", metavar="KIND", help="Only reports of this kind, such as review.")
@limit_option
@store_or_url
@_json_option
@click.pass_context
def signed(
    context: click.Context, kind: str | None, limit: int, store: str, url: str | None, as_json: bool
) -> None:
    """List signed reports, the last signed first."""
    print_nodes(
        create_client(context, store, url),
        "sign_offs",
        {"kind": kind},
        limit,
        _row,
        HEADINGS,
        as_json=as_json,
        empty="nothing is signed",
    )


def _row(signed_report: Answer) -> tuple[str, ...]:
    about = (signed_report["name"], signed_report["path"], signed_report["category"])
    return (
        signed_report["at"][:19],
        signed_report["by"],
        signed_report["kind"],
        signed_report["asOf"][:19],
        (signed_report["since"] or "")[:19],
        " ".join(filter(None, about)) or "everything",
        "yes" if signed_report["complete"] else "no",
        signed_report["hash"],
        signed_report["reason"],
    )
