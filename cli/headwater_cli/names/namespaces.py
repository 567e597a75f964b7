"""``headwater namespaces``: which namespaces mean the same one, by rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from headwater_cli.asking.ask import place, store_or_url
from headwater_cli.asking.paged import limit_option, listed, tell_of_more
from headwater_cli.names.decided import by, dry_run_option, json_option, reason_option, tell
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.screen import print_json, print_table

KINDS = {
    "exact": "EXACT",
    "hostList": "HOST_LIST",
    "pattern": "PATTERN",
    "patternGroup": "PATTERN_GROUP",
}


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
    tell(answer, dry_run=dry_run, as_json=as_json)


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
    """Take the rules of these NAMES back."""
    asked = {"rules": list(names), "reason": reason, "dryRun": dry_run}
    answer = place(context, store, url).ask("remove_names", asked)["removeNames"]
    tell(answer, dry_run=dry_run, as_json=as_json)


@namespaces.command("list", epilog=EXIT_CODES)
@limit_option
@store_or_url
@json_option
@click.pass_context
def list_rules(context: click.Context, limit: int, store: str, url: str | None, as_json: bool) -> None:
    """List the rules in force, in the order in which they count."""
    found, more = listed(place(context, store, url), "namespace_rules", {}, limit)
    if as_json:
        print_json(found)
    elif found:
        rows = [[each["name"], each["text"], *by(each)] for each in found]
        print_table(("name", "rule", "at", "by", "reason"), rows)
    else:
        click.echo("there are no namespace rules")
    tell_of_more(more, limit)


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
    """Put the rules and aliases of a YAML FILE in force, all or none.

    What is in force already stays as it is. docs/names.md shows such a file.
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
    answer = place(context, store, url).ask("add_names", asked)["addNames"]
    tell(answer, dry_run=dry_run, as_json=as_json)


def _kind(listed_namespaces: Sequence[str], hosts: Sequence[str], regex: str, matching_group: str) -> str:
    given = [
        kind for kind, part in (("exact", listed_namespaces), ("hostList", hosts), ("pattern", regex)) if part
    ]
    if len(given) != 1:
        raise click.UsageError("give one of --namespace, --host and --regex")
    return "patternGroup" if given == ["pattern"] and matching_group else given[0]
