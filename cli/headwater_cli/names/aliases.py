"""``headwater alias``: which names of datasets mean the same one, and which do not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import click

from headwater_cli.asking.ask import Place, place, store_or_url
from headwater_cli.asking.node import node_ref
from headwater_cli.asking.paged import limit_option, listed, tell_of_more
from headwater_cli.names.decided import by, dry_run_option, json_option, reason_option, tell, written
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.screen import print_json, print_table


@click.group(epilog=EXIT_CODES)
def alias() -> None:
    """Say that two datasets are one, or that two names are not one's, and take it back.

    For what is stored and for what comes: all answers know the dataset under all its names. A NAME is a namespace, a
    blank and a name ("s3a://lake raw/people"), or enough of the end of a known name to tell it apart. A server is asked
    with the key of a steward of both namespaces, or of an administrator.
    """


@alias.command("add", epilog=EXIT_CODES)
@click.argument("name")
@click.argument("dataset")
@reason_option
@dry_run_option
@store_or_url
@json_option
@click.pass_context
def add_alias(
    context: click.Context,
    name: str,
    dataset: str,
    reason: str,
    dry_run: bool,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Say that NAME is another name of DATASET."""
    where = place(context, store, url)
    named = {"name": _dataset(where, name), "dataset": _dataset(where, dataset)}
    asked = {"aliases": [named], "reason": reason, "dryRun": dry_run}
    tell(where.ask("add_names", asked)["addNames"], dry_run=dry_run, as_json=as_json)


@alias.command("remove", epilog=EXIT_CODES)
@click.argument("names", nargs=-1, required=True)
@reason_option
@dry_run_option
@store_or_url
@json_option
@click.pass_context
def remove_alias(
    context: click.Context,
    names: Sequence[str],
    reason: str,
    dry_run: bool,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Say that NAMES are datasets of their own again."""
    where = place(context, store, url)
    found, _ = listed(where, "dataset_aliases", {}, 1_000_000)
    known = [each["name"] for each in found]
    asked = {"aliases": [_alias_named(known, name) for name in names], "reason": reason, "dryRun": dry_run}
    tell(where.ask("remove_names", asked)["removeNames"], dry_run=dry_run, as_json=as_json)


@alias.command(epilog=EXIT_CODES)
@click.argument("name")
@click.argument("other")
@reason_option
@dry_run_option
@store_or_url
@json_option
@click.pass_context
def separate(
    context: click.Context,
    name: str,
    other: str,
    reason: str,
    dry_run: bool,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Say that NAME and OTHER are two datasets, whatever events say.

    It undoes what a `symlinks` facet or a RENAME joined. What is told of each of them stays with it. Names that are
    joined over a third one stay one dataset's: separate them from that one.
    """
    where = place(context, store, url)
    asked = {"separations": [_pair(where, name, other)], "reason": reason, "dryRun": dry_run}
    tell(where.ask("add_names", asked)["addNames"], dry_run=dry_run, as_json=as_json)


@alias.command(epilog=EXIT_CODES)
@click.argument("name")
@click.argument("other")
@reason_option
@dry_run_option
@store_or_url
@json_option
@click.pass_context
def rejoin(
    context: click.Context,
    name: str,
    other: str,
    reason: str,
    dry_run: bool,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Take it back that NAME and OTHER are two: what events say of them counts again."""
    where = place(context, store, url)
    asked = {"separations": [_pair(where, name, other)], "reason": reason, "dryRun": dry_run}
    tell(where.ask("remove_names", asked)["removeNames"], dry_run=dry_run, as_json=as_json)


@alias.command(epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def separations(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List the names that are kept apart: since when, by whom, and why."""
    found, more = listed(place(context, store, url), "dataset_separations", {}, limit)
    if as_json:
        print_json(found)
    elif found:
        rows = [[written(each["one"]), written(each["other"]), *by(each)] for each in found]
        print_table(("name", "is not", "at", "by", "reason"), rows)
    else:
        click.echo("no names are kept apart")
    tell_of_more(more, limit)


@alias.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def list_aliases(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List the aliases in force: since when, by whom, and why."""
    found, more = listed(place(context, store, url), "dataset_aliases", {}, limit)
    if as_json:
        print_json(found)
    elif found:
        rows = [[written(each["name"]), written(each["dataset"]), *by(each)] for each in found]
        print_table(("name", "dataset", "at", "by", "reason"), rows)
    else:
        click.echo("there are no aliases")
    tell_of_more(more, limit)


@alias.command(epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def history(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List all that was ever decided about names: aliases, separations and namespace rules, newest first."""
    found, more = listed(place(context, store, url), "name_decisions", {}, limit)
    if as_json:
        print_json(found)
    elif found:
        rows = [["added" if each["added"] else "removed", each["text"], *by(each)] for each in found]
        print_table(("what", "of", "at", "by", "reason"), rows)
    else:
        click.echo("nothing was ever decided about names")
    tell_of_more(more, limit)


@alias.command(epilog=EXIT_CODES)
@click.option(
    "--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="At most so many."
)
@store_or_url
@json_option
@click.pass_context
def propose(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List datasets that may be one, for you to decide.

    They have the same name and columns, and namespaces that may mean the same: localhost and 127.0.0.1, a default port
    that is named or not, s3a and s3. Nothing takes them for one before `headwater alias add` or `headwater namespaces
    add` says so: localhost is another machine for everybody.
    """
    found = place(context, store, url).ask("name_proposals", {"first": limit})["nameProposals"]
    if as_json:
        print_json(found)
    elif found:
        rows = [[written(each["name"]), written(each["dataset"]), each["why"]] for each in found]
        print_table(("name", "may be", "why"), rows)
    else:
        click.echo("no two datasets look as if they were one")


def _dataset(where: Place, text: str) -> dict[str, Any]:
    """The full name as it is typed, or the known dataset whose name ends so."""
    namespace, blank, name = text.strip().partition(" ")
    if blank:
        return {"namespace": namespace, "name": name.strip()}
    found = node_ref(where, text, None, None)
    return {"namespace": found["namespace"], "name": found["name"]}


def _pair(where: Place, one: str, other: str) -> dict[str, Any]:
    return {"one": _dataset(where, one), "other": _dataset(where, other)}


def _alias_named(known: Sequence[Mapping[str, Any]], text: str) -> dict[str, Any]:
    namespace, blank, name = text.strip().partition(" ")
    if blank:
        return {"namespace": namespace, "name": name.strip()}
    found = [
        each for each in known if each["name"] == text or each["name"].endswith((f"/{text}", f".{text}"))
    ]
    if len(found) != 1:
        number = len(found) or "no"
        raise click.UsageError(
            f"{number} aliases are called {text!r}: write the namespace, a blank and the name"
        )
    return {"namespace": found[0]["namespace"], "name": found[0]["name"]}
