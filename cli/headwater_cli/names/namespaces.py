"""``headwater namespaces``: commands for the rules that map namespaces to one another."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from headwater_cli.client.decisions import decision_cells, json_option
from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.pagination import limit_option, print_nodes
from headwater_cli.names.decision_output import Decision, decision_options
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.groups import Group

KINDS = {
    "exact": "EXACT",
    "hostList": "HOST_LIST",
    "pattern": "PATTERN",
    "patternGroup": "PATTERN_GROUP",
}


@click.group(cls=Group, epilog=EXIT_CODES)
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
@decision_options
def add_rule(
    decision: Decision,
    name: str,
    to: str,
    listed_namespaces: Sequence[str],
    hosts: Sequence[str],
    regex: str,
    matching_group: str,
    schema: str,
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
    decision.add(rules=[rule])


@namespaces.command("remove", epilog=EXIT_CODES)
@click.argument("names", nargs=-1, required=True)
@decision_options
def remove_rule(decision: Decision, names: Sequence[str]) -> None:
    """Remove the rules of these NAMES."""
    decision.remove(rules=list(names))


@namespaces.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def list_rules(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List the rules in force, in the order in which they apply."""
    print_nodes(
        create_client(context, store, url),
        "namespace_rules",
        {},
        limit,
        lambda each: [each["name"], each["text"], *decision_cells(each)],
        ("name", "rule", "at", "by", "reason"),
        as_json=as_json,
        empty="no namespace rules",
    )


@namespaces.command("import", epilog=EXIT_CODES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@decision_options
def import_names(decision: Decision, file: Path) -> None:
    """Add the rules and aliases of a YAML FILE, all or none.

    Rules and aliases in force already stay unchanged. docs/names.md shows an example file.
    """
    from headwater_backend.names.names_file import read_names

    wanted = read_names(file)
    decision.add(
        aliases=[{"name": each.name._asdict(), "dataset": each.dataset._asdict()} for each in wanted.aliases],
        rules=[
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
    )


def _kind(listed_namespaces: Sequence[str], hosts: Sequence[str], regex: str, matching_group: str) -> str:
    given = [
        kind for kind, part in (("exact", listed_namespaces), ("hostList", hosts), ("pattern", regex)) if part
    ]
    if len(given) != 1:
        raise click.UsageError("expected one of --namespace, --host and --regex")
    return "patternGroup" if given == ["pattern"] and matching_group else given[0]
