"""``headwater alias`` and ``headwater namespaces``: which names of datasets mean the same one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from headwater_cli.ask import Place, place, store_or_url
from headwater_cli.errors import EXIT_CODES
from headwater_cli.node import node_ref
from headwater_cli.paged import limit_option, listed, tell_of_more
from headwater_cli.screen import print_json, print_table
from headwater_cli.visible import visible

KINDS = {
    "exact": "EXACT",
    "hostList": "HOST_LIST",
    "pattern": "PATTERN",
    "patternGroup": "PATTERN_GROUP",
}
SHOWN = 20
"""Names that are printed of those that change."""

_json_option = click.option("--json", "as_json", is_flag=True, help="Print the GraphQL answer as JSON.")
_dry_run_option = click.option("--dry-run", is_flag=True, help="Only say what would change.")
_reason_option = click.option(
    "--reason", required=True, metavar="TEXT", help="Why; it stays in the history and in the audit log."
)


@click.group(epilog=EXIT_CODES)
def alias() -> None:
    """Say that two datasets are one, and take it back.

    For what is stored and for what comes: all answers know the dataset under all its names. A NAME is a namespace, a
    blank and a name ("s3a://lake raw/people"), or enough of the end of a known name to tell it apart. A server is asked
    with the key of a steward of both namespaces, or of an administrator.
    """


@alias.command("add", epilog=EXIT_CODES)
@click.argument("name")
@click.argument("dataset")
@_reason_option
@_dry_run_option
@store_or_url
@_json_option
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
    _tell(where.ask("add_names", asked)["addNames"], dry_run=dry_run, as_json=as_json)


@alias.command("remove", epilog=EXIT_CODES)
@click.argument("names", nargs=-1, required=True)
@_reason_option
@_dry_run_option
@store_or_url
@_json_option
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
    _tell(where.ask("remove_names", asked)["removeNames"], dry_run=dry_run, as_json=as_json)


@alias.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@_json_option
@click.pass_context
def list_aliases(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List the aliases in force: since when, by whom, and why."""
    found, more = listed(place(context, store, url), "dataset_aliases", {}, limit)
    if as_json:
        print_json(found)
    elif found:
        rows = [[_written(each["name"]), _written(each["dataset"]), *_by(each)] for each in found]
        print_table(("name", "dataset", "at", "by", "reason"), rows)
    else:
        click.echo("there are no aliases")
    tell_of_more(more, limit)


@alias.command(epilog=EXIT_CODES)
@limit_option
@store_or_url
@_json_option
@click.pass_context
def history(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List all that was ever decided about names, aliases and namespace rules, newest first."""
    found, more = listed(place(context, store, url), "name_decisions", {}, limit)
    if as_json:
        print_json(found)
    elif found:
        rows = [["added" if each["added"] else "removed", each["text"], *_by(each)] for each in found]
        print_table(("what", "of", "at", "by", "reason"), rows)
    else:
        click.echo("nothing was ever decided about names")
    tell_of_more(more, limit)


@alias.command(epilog=EXIT_CODES)
@click.option(
    "--limit", type=click.IntRange(1, 1_000), default=100, show_default=True, help="At most so many."
)
@store_or_url
@_json_option
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
        rows = [[_written(each["name"]), _written(each["dataset"]), each["why"]] for each in found]
        print_table(("name", "may be", "why"), rows)
    else:
        click.echo("no two datasets look as if they were one")


@click.group(epilog=EXIT_CODES)
def namespaces() -> None:
    """Say which namespaces mean the same one, by rules.

    For what is stored and for what comes: a dataset is known under the namespace that the rules give, and under all its
    others. A server is asked with the key of a steward of the namespaces (of all of them for a list of hosts and for a
    pattern), or of an administrator.
    """


@namespaces.command("add", epilog=EXIT_CODES)
@click.argument("name")
@click.option("--to", default="", metavar="TEXT", help="What takes the place; $1 is a group of --regex.")
@click.option(
    "--namespace", "listed_namespaces", multiple=True, metavar="NS", help="exact: one of these namespaces."
)
@click.option("--host", "hosts", multiple=True, metavar="HOST[:PORT]", help="hostList: one of these hosts.")
@click.option(
    "--regex", default="", metavar="RE", help="pattern: what is found of a namespace (RE2's syntax)."
)
@click.option(
    "--matching-group", default="", metavar="GROUP", help="patternGroup: the group whose text stays."
)
@click.option("--schema", default="", metavar="SCHEME", help="Only namespaces that begin with SCHEME://.")
@_reason_option
@_dry_run_option
@store_or_url
@_json_option
@click.pass_context
def add_rule(
    context: click.Context,
    name: str,
    to: str,
    listed_namespaces: Sequence[str],
    hosts: Sequence[str],
    regex: str,
    matching_group: str,
    schema: str,
    reason: str,
    dry_run: bool,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Add a rule of that NAME. Its options say of which kind it is:

    \b
    --namespace NS … --to NS              these namespaces are that one
    --host HOST … --to HOST               these hosts are that one, in all namespaces
    --regex RE --to TEXT                  what the expression finds becomes the text
    --regex RE --matching-group GROUP     what the expression finds becomes what its group holds
    """
    kind = _kind(listed_namespaces, hosts, regex, matching_group)
    rule = {
        "name": name,
        "kind": KINDS[kind],
        "to": to,
        "namespaces": list(listed_namespaces),
        "hosts": list(hosts),
        "regex": regex,
        "matchingGroup": matching_group,
        "schema": schema,
    }
    asked = {"rules": [rule], "reason": reason, "dryRun": dry_run}
    answer = place(context, store, url).ask("add_names", asked)["addNames"]
    _tell(answer, dry_run=dry_run, as_json=as_json)


@namespaces.command("remove", epilog=EXIT_CODES)
@click.argument("names", nargs=-1, required=True)
@_reason_option
@_dry_run_option
@store_or_url
@_json_option
@click.pass_context
def remove_rule(
    context: click.Context,
    names: Sequence[str],
    reason: str,
    dry_run: bool,
    store: str,
    url: str | None,
    as_json: bool,
) -> None:
    """Take the rules of these NAMES back."""
    asked = {"rules": list(names), "reason": reason, "dryRun": dry_run}
    answer = place(context, store, url).ask("remove_names", asked)["removeNames"]
    _tell(answer, dry_run=dry_run, as_json=as_json)


@namespaces.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@_json_option
@click.pass_context
def list_rules(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List the rules in force, in the order in which they count."""
    found, more = listed(place(context, store, url), "namespace_rules", {}, limit)
    if as_json:
        print_json(found)
    elif found:
        rows = [[each["name"], each["text"], *_by(each)] for each in found]
        print_table(("name", "rule", "at", "by", "reason"), rows)
    else:
        click.echo("there are no namespace rules")
    tell_of_more(more, limit)


@namespaces.command("import", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_reason_option
@_dry_run_option
@store_or_url
@_json_option
@click.pass_context
def import_names(
    context: click.Context, file: Path, reason: str, dry_run: bool, store: str, url: str | None, as_json: bool
) -> None:
    """Put the rules and aliases of a YAML FILE in force, all or none.

    What is in force already stays as it is. docs/names.md shows such a file.
    """
    from headwater_backend.naming.file import read_names

    wanted = read_names(file)
    asked = {
        "aliases": [
            {"name": each.name._asdict(), "dataset": each.dataset._asdict()} for each in wanted.aliases
        ],
        "rules": [
            {
                "name": rule.name,
                "kind": rule.kind.name,
                "to": rule.to,
                "namespaces": list(rule.namespaces),
                "hosts": list(rule.hosts),
                "regex": rule.regex,
                "matchingGroup": rule.matching_group,
                "schema": rule.schema,
            }
            for rule in wanted.rules
        ],
        "reason": reason,
        "dryRun": dry_run,
    }
    answer = place(context, store, url).ask("add_names", asked)["addNames"]
    _tell(answer, dry_run=dry_run, as_json=as_json)


def _kind(listed_namespaces: Sequence[str], hosts: Sequence[str], regex: str, matching_group: str) -> str:
    given = [
        kind for kind, part in (("exact", listed_namespaces), ("hostList", hosts), ("pattern", regex)) if part
    ]
    if len(given) != 1:
        raise click.UsageError("give one of --namespace, --host and --regex")
    return "patternGroup" if given == ["pattern"] and matching_group else given[0]


def _dataset(where: Place, text: str) -> dict[str, Any]:
    """The full name as it is typed, or the known dataset whose name ends so."""
    namespace, blank, name = text.strip().partition(" ")
    if blank:
        return {"namespace": namespace, "name": name.strip()}
    found = node_ref(where, text, None, None)
    return {"namespace": found["namespace"], "name": found["name"]}


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


def _tell(decided: Mapping[str, Any], *, dry_run: bool, as_json: bool) -> None:
    """What changed, or would; what changed nothing is said as well."""
    if as_json:
        print_json(decided)
        return
    would = "would be " if dry_run else ""
    for each in decided["decisions"]:
        click.echo(f"{would}{'added' if each['added'] else 'removed'}: {visible(each['text'])}")
    if not decided["decisions"]:
        click.echo("all of that is in force already")
    for each in decided["renamed"][:SHOWN]:
        name, after = _written(each["name"]), _written(each["after"])
        click.echo(
            f"  {visible(name)} {'would be' if dry_run else 'is'} {'itself' if name == after else visible(after)}"
        )
    if decided["renamedCount"] > SHOWN:
        click.echo(f"  and {decided['renamedCount'] - SHOWN} more names")
    _tell_of_size(decided)


def _tell_of_size(decided: Mapping[str, Any]) -> None:
    if decided["renamedCount"]:
        counted = f", with {decided['paths']} paths and {decided['edges']} edges"
        held = "" if decided["paths"] is None else counted
        click.echo(
            f"names that change: {decided['renamedCount']}, of {decided['datasetCount']} datasets{held}"
        )
    elif decided["decisions"]:
        click.echo("warning: no dataset that is known has such a name", err=True)
    for each in decided["unknown"]:
        click.echo(f"warning: no event named {visible(_written(each))} so far", err=True)


def _written(dataset: Mapping[str, Any]) -> str:
    return f"{dataset['namespace']} {dataset['name']}"


def _by(each: Mapping[str, Any]) -> list[str]:
    return [each["at"][:19], each["by"], each["reason"]]
