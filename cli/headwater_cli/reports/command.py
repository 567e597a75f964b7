"""``headwater report``: a command for each kind of report, and for verifying and signing them."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client
from headwater_cli.client.references import node_ref
from headwater_cli.client.times import TIME
from headwater_cli.privacy.breach import leaked_place
from headwater_cli.reports.matrix import write_matrix
from headwater_cli.reports.options import Common, common_options, node_arguments
from headwater_cli.reports.sign import sign, signed
from headwater_cli.reports.verify import verify
from headwater_cli.terminal.errors import EXIT_CODES, INCOMPLETE, NOTHING_CLASSIFIED
from headwater_cli.terminal.groups import Group
from headwater_cli.terminal.report_files import FORMATS, format_of


@click.group(cls=Group)
def report() -> None:
    """Write reports on personal data, verify and sign them.

    Names follow the articles of the GDPR. A report says what it does not know, and what it is based on. Without
    DATASET (and PATH), it is about all personal attributes, else about those that are declared there.
    """


@report.command("art30", epilog=EXIT_CODES)
@node_arguments
@common_options
@click.pass_context
def art30(context: click.Context, /, dataset: str | None, path: str | None, **given: Any) -> None:
    """Article 30(1): record of processing activities."""
    _report(context, "ART30", given, node=(dataset, path))


@report.command("art30-processor", epilog=EXIT_CODES)
@node_arguments
@common_options
@click.pass_context
def art30_processor(context: click.Context, /, dataset: str | None, path: str | None, **given: Any) -> None:
    """Article 30(2): record of a processor."""
    _report(context, "ART30_PROCESSOR", given, node=(dataset, path))


@report.command("art15", epilog=EXIT_CODES)
@node_arguments
@common_options
@click.pass_context
def art15(context: click.Context, /, dataset: str | None, path: str | None, **given: Any) -> None:
    """Article 15(1): information for persons."""
    _report(context, "ART15", given, node=(dataset, path))


@report.command("art17", epilog=EXIT_CODES)
@node_arguments
@click.option(
    "--order",
    type=click.Choice(["sources-first", "sources-last"]),
    default="sources-first",
    show_default=True,
    help="The order of erasure.",
)
@common_options
@click.pass_context
def art17(context: click.Context, /, dataset: str | None, path: str | None, order: str, **given: Any) -> None:
    """Article 17: where to erase, in which order."""
    _report(context, "ART17", given, node=(dataset, path), order=order.replace("-", "_").upper())


@report.command("art33", epilog=EXIT_CODES)
@click.argument("leaked", nargs=-1)
@click.option("--in-namespace", "namespaces", metavar="NS", multiple=True, help="A whole store that leaked.")
@common_options
@click.pass_context
def art33(context: click.Context, /, leaked: Sequence[str], namespaces: Sequence[str], **given: Any) -> None:
    """Article 33(3): notification of a breach.

    LEAKED are datasets, or paths of them: DATASET or DATASET#PATH.
    """
    if not leaked and not namespaces:
        raise click.UsageError("expected a LEAKED dataset or --in-namespace")
    client = create_client(context, given["store"], given["url"])
    places = [leaked_place(client, text) for text in leaked]
    places += [{"namespace": namespace, "name": "*"} for namespace in namespaces]
    _report(context, "ART33", given, leaked=places)


@report.command("exposure", epilog=EXIT_CODES)
@node_arguments
@click.option("--influenced", is_flag=True, help="Also list paths that an attribute only influences.")
@common_options
@click.pass_context
def exposure(
    context: click.Context, /, dataset: str | None, path: str | None, influenced: bool, **given: Any
) -> None:
    """Where attributes are, and in which form.

    An HTML page of a store's exposure has the strongest paths of each attribute; all paths are in a CSV and a JSON file
    beside it. Of a server's, `headwater exposure --csv --url URL` lists them.
    """
    _report(context, "EXPOSURE", given, node=(dataset, path), influenced=influenced)


@report.command("review", epilog=EXIT_CODES)
@node_arguments
@click.option(
    "--since",
    type=TIME,
    help="The time of the last review: 2026-11-01, or an age: 30d.  [default: the last signed one]",
)
@common_options
@click.pass_context
def review(
    context: click.Context, /, dataset: str | None, path: str | None, since: str | None, **given: Any
) -> None:
    """What has changed since a time, to be signed.

    Without --since, since the last review that was signed (`headwater report sign`) and covers what is asked.
    """
    _report(context, "REVIEW", given, node=(dataset, path), since=since)


@report.command("transfers", epilog=EXIT_CODES)
@node_arguments
@common_options
@click.pass_context
def transfers(context: click.Context, /, dataset: str | None, path: str | None, **given: Any) -> None:
    """Chapter V: what crosses between countries.

    And on what that rests, by the stated locations, recipients and safeguards (--organisation) and by policies with
    countries (--policy), as `headwater residency --crossings`; to be filed with the assessment of the transfers.
    """
    _report(context, "TRANSFERS", given, node=(dataset, path))


report.add_command(verify)
report.add_command(sign)
report.add_command(signed)


def _report(
    context: click.Context,
    kind: str,
    given: Mapping[str, Any],
    *,
    node: tuple[str | None, str | None] = (None, None),
    **more: Any,
) -> None:
    """Write the report, and exit with 5 or 4 as the other commands on personal data do."""
    form = given["form"] or format_of(given["out"], FORMATS, "add --format, or another end")
    common = Common(**{**given, "form": form})
    if common.lenient and not common.rules:
        raise click.UsageError("--lenient goes with --rules: add --rules, or omit --lenient")
    client = create_client(context, common.store, common.url)
    variables = {**common.variables(), **more, "kind": kind, "node": _node(client, node)}
    found = client.query("report", variables)["report"]
    content = found["text"].encode() if found["text"] is not None else base64.b64decode(found["base64"])
    beside = []
    if kind == "EXPOSURE" and common.form == "html" and not common.url:
        beside = write_matrix(common, variables, found["asOf"])
    common.out.write_bytes(content)
    click.echo(f"{common.out} written" + "".join(f", {file.name} beside it" for file in beside))
    if not found["classified"]:
        click.echo(
            "No data is classified as personal, so holders cannot be determined; the report says so.",
            err=True,
        )
        context.exit(NOTHING_CLASSIFIED)
    if common.strict and not found["complete"]:
        context.exit(INCOMPLETE)


def _node(client: GraphQLClient, node: tuple[str | None, str | None]) -> dict[str, Any] | None:
    dataset, path = node
    return node_ref(client, dataset, path, None) if dataset else None
