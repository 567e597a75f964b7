"""``headwater datasets`` and ``headwater dataset``: list datasets, and describe one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import fetch_nodes
from headwater_cli.client.references import dataset_ref
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.output import print_json, print_table

PAGE = 500
CLAIMS = 1_000
"""Maximum number of claims to list for a dataset."""


@click.command()
@click.argument("search", required=False)
@store_or_url
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def datasets(context: click.Context, search: str | None, store: str, url: str | None, as_json: bool) -> None:
    """List known datasets.

    With SEARCH, only those with SEARCH in their namespace or name.
    """
    client = create_client(context, store, url)
    found = []
    after = None
    while True:
        page = client.query("datasets", {"search": search, "first": PAGE, "after": after})["datasets"]
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
    """Describe a DATASET.

    Prints its other names, owners, tags, paths and changes, and claims of producers without permission to write its
    namespace. `headwater quality` prints metrics and tests.
    """
    client = create_client(context, store, url)
    names = dataset_ref(client, dataset, namespace)
    found = client.query("dataset", names)["dataset"]
    named = {"namespace": found["namespace"], "name": found["name"]}
    claims, more = fetch_nodes(client, "claims", {"dataset": named}, CLAIMS)
    if as_json:
        print_json({**found, "claims": claims})
    else:
        print_table(("what", "is"), [*_rows(found), *map(_claim, claims)])
    if more:
        click.echo(
            f"only the first {CLAIMS:,} claims are listed: the GraphQL field claims lists all", err=True
        )


def _rows(found: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    yield "namespace", found["namespace"]
    yield "name", found["name"]
    yield from (("also called", _full_name(each)) for each in found["names"])
    yield from (("description", text) for text in [found["description"]] if text)
    yield from (("owner", each["name"]) for each in found["owners"])
    yield from (("version", text) for text in [found["version"]] if text)
    yield from ((_tag_label(each), _tag(each)) for each in found["tags"])
    yield from (("path", f"{each['label']} {each['type'] or ''}".rstrip()) for each in found["paths"])
    yield from (("dropped", moment) for moment in [found["droppedAt"]] if moment)
    yield from (("change", _change(each)) for each in found["changes"])
    yield from (("incomplete", f"{each['reason']} {each['detail']}".rstrip()) for each in found["incomplete"])


def _claim(claim: Mapping[str, Any]) -> tuple[str, str]:
    return "claimed", f"{claim['facet']} by {claim['by']}, at {claim['at']}; not applied"


def _full_name(dataset: Mapping[str, Any]) -> str:
    return f"{dataset['namespace']} {dataset['name']}"


def _tag_label(tag: Mapping[str, Any]) -> str:
    return f"tag of {tag['field']}" if tag["field"] else "tag"


def _tag(tag: Mapping[str, Any]) -> str:
    return f"{tag['key']}={tag['value']}" if tag["value"] else str(tag["key"])


def _change(change: Mapping[str, Any]) -> str:
    before = f" from {_full_name(change['previous'])}" if change["previous"] else ""
    by = f" by {change['job']['name']}" if change["job"] else ""
    extent = f" {change['replaced']}" if change["replaced"] else ""
    return f"{change['at']} {change['change']}{extent}{before}{by}"
