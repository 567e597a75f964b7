"""``headwater usages``: what a path is used for, and together with what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client
from headwater_cli.client.references import node_ref
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import answer_options, as_known_at_option, namespace_option
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.output import job_title, print_answer, print_table

USES: Final = ("value", "aggregate", "filter", "join", "group-key", "sort", "window", "condition", "other")
HEADINGS: Final = ("job", "output", "path", "as", "for", "functions", "together with")


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.argument("path", required=False)
@namespace_option
@click.option("--as", "used_as", type=click.Choice(USES), multiple=True, help="Only where it is used so.")
@click.option(
    "--together-with",
    "together",
    metavar="[USE:]DATASET#PATH",
    multiple=True,
    help="Only where this is used beside it, such as filter:customers#region.",
)
@click.option(
    "--within",
    type=click.Choice(["write", "path"]),
    default="write",
    show_default=True,
    help="Together in what makes a dataset, or in what makes one path of it.",
)
@click.option("--as-of", type=TIME, help="By the lineage of that time: 2026-11-21T06:00:00Z, or an age: 30d.")
@as_known_at_option
@answer_options
def usages(
    context: click.Context,
    dataset: str,
    path: str | None,
    namespace: str | None,
    used_as: Sequence[str],
    together: Sequence[str],
    within: str,
    as_of: str | None,
    as_known_at: str | None,
    store: str,
    url: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """List what a path is used for, and together with what.

    Each use is a job that makes a dataset: of the path as a value, or with it as a filter, a join's key, a group's key
    and so on. With --together-with, only jobs that use the others for the same.

    \b
    headwater usages customers email --as join
    headwater usages orders amount --as aggregate --together-with filter:orders#country
    """
    client = create_client(context, store, url)
    variables = {
        "of": node_ref(client, dataset, path, namespace),
        "usedAs": list(map(_word, used_as)) or None,
        "togetherWith": [_used_with(client, each) for each in together],
        "within": _word(within),
        "asOf": as_of,
        "asKnownAt": as_known_at,
    }
    found = client.query("usages", variables)["usages"]
    print_answer(context, found, _print, as_json=as_json, strict=strict)


def _used_with(client: GraphQLClient, text: str) -> dict[str, Any]:
    """Return the GraphQL ``UsedWith`` for ``[USE:]DATASET#PATH``."""
    use, colon, place = text.partition(":")
    if colon and use in USES:
        return {"node": node_ref(client, place, None, None), "usedAs": [_word(use)]}
    return {"node": node_ref(client, text, None, None), "usedAs": None}


def _word(option: str) -> str:
    return option.replace("-", "_").upper()


def _print(found: Mapping[str, Any]) -> None:
    print_table(HEADINGS, list(_rows(found)))
    print_gaps(found)


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    for usage in found["usages"]:
        beside = "; ".join(f"{_place(each)} ({_uses(each)})" for some in usage["together"] for each in some)
        for used in usage["used"]:
            yield (
                job_title(usage["job"]),
                usage["output"]["name"],
                _place(used),
                _uses(used),
                ", ".join(each["label"] if each["path"] else "all rows" for each in used["targets"]),
                ", ".join(used["functions"]),
                beside,
            )


def _place(used: Mapping[str, Any]) -> str:
    node = used["node"]
    return f"{node['name']}#{node['label']}" if node["path"] else str(node["name"])


def _uses(used: Mapping[str, Any]) -> str:
    return ", ".join(each.replace("_", "-").lower() for each in used["usedAs"])
