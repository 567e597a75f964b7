"""``headwater namespaces``: commands for the rules that map namespaces to one another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import fetch_nodes, limit_option, report_more
from headwater_cli.names.decision_output import (
    decision_cells,
    dry_run_option,
    json_option,
    print_decisions,
    reason_option,
)
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.output import print_json, print_table

KINDS = {
    "exact": "EXACT",
    "hostList": "HOST_LIST",
    "pattern": "PATTERN",
    "patternGroup": "PATTERN_GROUP",
}


@click.group(epilog=EXIT_CODES)
def namespaces() -> None:
    """Manage rules that map namespaces to others.

    Rules join namespaces that mean the same, and apply to stored and to new lineage: a dataset is known under the
    namespace that the rules return, and under all its other names. On a server, the API key must belong to a steward of
    the namespaces (of all namespaces for a host list or a pattern) or to an administrator.
    """


@namespaces.command("add", epilog=EXIT_CODES)
@click.argument("name")
@click.option("--to", default="", metavar="TEXT", help="The replacement; $1 is a group of --regex.")
@click.option(
    "--namespace", "listed_namespaces", multiple=True, metavar="NS", help="exact: a namespace to map."
)
@click.option("--host", "hosts", multiple=True, metavar="HOST[:PORT]", help="hostList: a host to map.")
@click.option(
    "--regex", default="", metavar="RE", help="pattern: an expression to find in namespaces (RE2 syntax)."
)
@click.option(
    "--matching-group",
    default="",
    metavar="GROUP",
    help="patternGroup: the group whose text replaces the match.",
)
@click.option("--schema", default="", metavar="SCHEME", help="Only namespaces that begin with SCHEME://.")
@reason_option
@dry_run_option
@store_or_url
@json_option
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
    """Add a rule of that NAME. The options select its kind:

    \b
    --namespace NS … --to NS              map these namespaces to another
    --host HOST … --to HOST               map these hosts to another, in all namespaces
    --regex RE --to TEXT                  replace each match by the text
    --regex RE --matching-group GROUP     replace each match by the text of its group
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
    answer = create_client(context, store, url).query("add_names", asked)["addNames"]
    print_decisions(answer, dry_run=dry_run, as_json=as_json)


@namespaces.command("remove", epilog=EXIT_CODES)
@click.argument("names", nargs=-1, required=True)
@reason_option
@dry_run_option
@store_or_url
@json_option
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
    """Remove the rules of these NAMES."""
    asked = {"rules": list(names), "reason": reason, "dryRun": dry_run}
    answer = create_client(context, store, url).query("remove_names", asked)["removeNames"]
    print_decisions(answer, dry_run=dry_run, as_json=as_json)


@namespaces.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def list_rules(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List the rules in force, in the order in which they apply."""
    found, more = fetch_nodes(create_client(context, store, url), "namespace_rules", {}, limit)
    if as_json:
        print_json(found)
    elif found:
        rows = [[each["name"], each["text"], *decision_cells(each)] for each in found]
        print_table(("name", "rule", "at", "by", "reason"), rows)
    else:
        click.echo("no namespace rules")
    report_more(more, limit)


@namespaces.command("import", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@reason_option
@dry_run_option
@store_or_url
@json_option
@click.pass_context
def import_names(
    context: click.Context, file: Path, reason: str, dry_run: bool, store: str, url: str | None, as_json: bool
) -> None:
    """Add the rules and aliases of a YAML FILE, all or none.

    Rules and aliases in force already stay unchanged. docs/names.md shows an example file.
    """
    from headwater_backend.names.names_file import read_names

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
    answer = create_client(context, store, url).query("add_names", asked)["addNames"]
    print_decisions(answer, dry_run=dry_run, as_json=as_json)


def _kind(listed_namespaces: Sequence[str], hosts: Sequence[str], regex: str, matching_group: str) -> str:
    given = [
        kind for kind, part in (("exact", listed_namespaces), ("hostList", hosts), ("pattern", regex)) if part
    ]
    if len(given) != 1:
        raise click.UsageError("expected one of --namespace, --host and --regex")
    return "patternGroup" if given == ["pattern"] and matching_group else given[0]
