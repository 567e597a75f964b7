"""``headwater datasets`` and ``headwater dataset``: what is known, and what is known of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from headwater_cli.asking.ask import place, store_or_url
from headwater_cli.asking.node import dataset_ref
from headwater_cli.asking.paged import listed
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.screen import print_json, print_table

PAGE = 500
CLAIMS = 1_000
"""Claims that are shown of a dataset."""


@click.command()
@click.argument("search", required=False)
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def datasets(context: click.Context, search: str | None, store: str, url: str | None, as_json: bool) -> None:
    """List the datasets that are known.

    Those whose namespace or name contains SEARCH; all without it.
    """
    where = place(context, store, url)
    found = []
    after = None
    while True:
        page = where.ask("datasets", {"search": search, "first": PAGE, "after": after})["datasets"]
        found += [edge["node"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    if as_json:
        print_json(found)
    else:
        rows = [(node["namespace"], node["name"], node["lastSeen"] or "") for node in found]
        print_table(("namespace", "name", "last seen"), rows)


@click.command(epilog=EXIT_CODES)
@click.argument("dataset")
@click.option("--namespace", metavar="NS", help="The dataset's namespace; DATASET is then its full name.")
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print JSON, with all facets.")
@click.pass_context
def dataset(
    context: click.Context, dataset: str, namespace: str | None, store: str, url: str | None, as_json: bool
) -> None:
    """Tell what a DATASET is.

    Its other names, who owns it, its tags and paths, and what happened to it; also what callers claimed of it who may
    not write its namespace. What was measured of it says `headwater quality`.
    """
    where = place(context, store, url)
    names = dataset_ref(where, dataset, namespace)
    found = where.ask("dataset", names)["dataset"]
    named = {"namespace": found["namespace"], "name": found["name"]}
    claims, _ = listed(where, "claims", {"dataset": named}, CLAIMS)
    if as_json:
        print_json({**found, "claims": claims})
    else:
        print_table(("what", "is"), [*_told(found), *map(_claim, claims)])


def _told(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "namespace", found["namespace"]
    yield "name", found["name"]
    yield from (("also called", _named(each)) for each in found["names"])
    yield from (("description", text) for text in [found["description"]] if text)
    yield from (("owner", each["name"]) for each in found["owners"])
    yield from (("version", text) for text in [found["version"]] if text)
    yield from ((_tagged(each), _tag(each)) for each in found["tags"])
    yield from (("path", f"{each['label']} {each['type'] or ''}".rstrip()) for each in found["paths"])
    yield from (("dropped", moment) for moment in [found["droppedAt"]] if moment)
    yield from (("change", _change(each)) for each in found["changes"])
    yield from (("incomplete", f"{each['reason']} {each['detail']}".rstrip()) for each in found["incomplete"])


def _claim(claim: Mapping[str, Any]) -> tuple[str, str]:
    return "claimed", f"{claim['facet']} by {claim['by']}, at {claim['at']}; not applied"


def _named(dataset: Mapping[str, Any]) -> str:
    return f"{dataset['namespace']} {dataset['name']}"


def _tagged(tag: Mapping[str, Any]) -> str:
    return f"tag of {tag['field']}" if tag["field"] else "tag"


def _tag(tag: Mapping[str, Any]) -> str:
    return f"{tag['key']}={tag['value']}" if tag["value"] else str(tag["key"])


def _change(change: Mapping[str, Any]) -> str:
    before = f" from {_named(change['previous'])}" if change["previous"] else ""
    by = f" by {change['job']['name']}" if change["job"] else ""
    return f"{change['at']} {change['change']}{before}{by}"
