"""``headwater alias``: commands that join and separate names of datasets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from headwater_cli.client.decisions import decision_cells, json_option
from headwater_cli.client.graphql_client import GraphQLClient, create_client, store_or_url
from headwater_cli.client.pagination import fetch_nodes, limit_option, print_nodes
from headwater_cli.names.decision_output import Decision, decision_options, full_name, named_dataset
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.groups import Group


@click.group(cls=Group, epilog=EXIT_CODES)
def alias() -> None:
    """Join and separate names of datasets.

    Decisions apply to stored and to new lineage: answers know a dataset under all its names. A NAME is a namespace, a
    space and a name ("s3a://lake raw/people"), or a unique end of a known name. On a server, the API key must belong to
    a steward of both namespaces or to an administrator.
    """


@alias.command("add", epilog=EXIT_CODES)
@click.argument("name")
@click.argument("dataset")
@decision_options
def add_alias(decision: Decision, name: str, dataset: str) -> None:
    """Make NAME an alias of DATASET."""
    client = decision.client
    decision.add(aliases=[{"name": named_dataset(client, name), "dataset": named_dataset(client, dataset)}])


@alias.command("remove", epilog=EXIT_CODES)
@click.argument("names", nargs=-1, required=True)
@decision_options
def remove_alias(decision: Decision, names: Sequence[str]) -> None:
    """Remove aliases; the NAMES are separate datasets again."""
    found, _ = fetch_nodes(decision.client, "dataset_aliases", {}, 1_000_000)
    known = [each["name"] for each in found]
    decision.remove(aliases=[_alias_named(known, name) for name in names])


@alias.command(epilog=EXIT_CODES)
@click.argument("name")
@click.argument("other")
@decision_options
def separate(decision: Decision, name: str, other: str) -> None:
    """Keep NAME and OTHER separate, whatever events claim.

    This undoes a join by a `symlinks` facet or a RENAME. Lineage reported under each name stays with that name. Names
    that are also joined through a third name remain one dataset: separate them from that name.
    """
    decision.add(separations=[_pair(decision.client, name, other)])


@alias.command(epilog=EXIT_CODES)
@click.argument("name")
@click.argument("other")
@decision_options
def rejoin(decision: Decision, name: str, other: str) -> None:
    """Remove the separation of NAME and OTHER.

    Events can join them again.
    """
    decision.remove(separations=[_pair(decision.client, name, other)])


@alias.command(epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def separations(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List separated names, with time, author and reason."""
    print_nodes(
        create_client(context, store, url),
        "dataset_separations",
        {},
        limit,
        lambda each: [full_name(each["one"]), full_name(each["other"]), *decision_cells(each)],
        ("name", "is not", "at", "by", "reason"),
        as_json=as_json,
        empty="no separations",
    )


@alias.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def list_aliases(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List the aliases in force, with time, author and reason."""
    print_nodes(
        create_client(context, store, url),
        "dataset_aliases",
        {},
        limit,
        lambda each: [full_name(each["name"]), full_name(each["dataset"]), *decision_cells(each)],
        ("name", "dataset", "at", "by", "reason"),
        as_json=as_json,
        empty="no aliases",
    )


@alias.command(epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def history(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List all decisions about names, newest first.

    These are aliases, separations and namespace rules, in force or removed.
    """
    print_nodes(
        create_client(context, store, url),
        "name_decisions",
        {},
        limit,
        lambda each: ["added" if each["added"] else "removed", each["text"], *decision_cells(each)],
        ("what", "of", "at", "by", "reason"),
        as_json=as_json,
        empty="no decisions about names",
    )


@alias.command(epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def propose(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List datasets that may be the same, for you to decide.

    They have equal names and columns, and namespaces that may mean the same: localhost and 127.0.0.1, a default port
    that is explicit or not, s3a and s3. They are only joined by `headwater alias add` or `headwater namespaces add`,
    because localhost is a different machine for everybody.
    """
    print_nodes(
        create_client(context, store, url),
        "name_proposals",
        {},
        limit,
        lambda each: [full_name(each["name"]), full_name(each["dataset"]), each["why"]],
        ("name", "may be", "why"),
        as_json=as_json,
        empty="no proposals",
    )


def _pair(client: GraphQLClient, one: str, other: str) -> dict[str, Any]:
    return {"one": named_dataset(client, one), "other": named_dataset(client, other)}


def _alias_named(known: Sequence[Mapping[str, Any]], text: str) -> dict[str, Any]:
    namespace, blank, name = text.strip().partition(" ")
    if blank:
        return {"namespace": namespace, "name": name.strip()}
    found = [
        each for each in known if each["name"] == text or each["name"].endswith((f"/{text}", f".{text}"))
    ]
    if len(found) != 1:
        number = len(found) or "no"
        raise click.UsageError(f"{number} aliases match {text!r}: expected a namespace, a space and a name")
    return {"namespace": found[0]["namespace"], "name": found[0]["name"]}
