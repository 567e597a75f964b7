"""``headwater breach``: what a leak exposes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from headwater_cli.client.graphql_client import GraphQLClient, create_client
from headwater_cli.client.references import MARK, dataset_ref, is_known, is_pattern, node_ref, place_pattern
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import answer_options, as_known_at_option
from headwater_cli.privacy.answer_text import Answer, held_text, jobs_text, path_text
from headwater_cli.privacy.declassified import print_declassified
from headwater_cli.privacy.exposure import exit_for, lenient_option, rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import all_visible
from headwater_cli.terminal.output import job_titles, print_json, print_note, print_table

DATASETS = ("leaked dataset", "rows", "last written", "written by", "read by")
ATTRIBUTES = ("attribute", "category", "of dataset", "at path", "in leaked dataset", "as", "by")
SHOWN = 20
"""The number of matched paths that are named."""
JOINABLE = ("by attribute", "as", "at path", "in dataset")


@click.command(epilog=EXIT_CODES)
@click.argument("leaked", nargs=-1)
@click.option("--in-namespace", "namespaces", metavar="NS", multiple=True, help="A whole store that leaked.")
@rules_option
@lenient_option
@click.option("--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@answer_options
def breach(
    context: click.Context,
    leaked: Sequence[str],
    namespaces: Sequence[str],
    rules: Path | None,
    lenient: bool,
    as_of: str | None,
    as_known_at: str | None,
    strict: bool,
    as_json: bool,
    store: str,
    url: str | None,
) -> None:
    """Report what a leak exposes.

    LEAKED are datasets, or paths of them: DATASET or DATASET#PATH, or patterns as in rules. In a dataset's name, * is
    any text; in a path, * is any text within a step, and ** any text. All that matches leaked, with what it contains;
    a pattern that matches nothing is an error. Lists what patterns match; the leaked datasets with their rows, and the
    jobs that wrote and read them; each personal attribute in the leak, in which form and by which jobs; those that only
    decided about what is there; and other datasets with which the leaked data can be joined, because they hold an
    identifying attribute in the same form.

    \b
    headwater breach customers 'orders#customer.email' --rules rules.yaml
    headwater breach 'crm.*' '*orders*#**.email' --rules rules.yaml
    headwater breach --in-namespace s3://exports --as-of 2026-11-20

    Exits with 5 if nothing is classified as personal, because it is not known then what leaked.
    """
    if not leaked and not namespaces:
        raise click.UsageError("expected a LEAKED dataset or --in-namespace")
    client = create_client(context, store, url)
    places = [leaked_place(client, text) for text in leaked]
    places += [{"namespace": namespace, "name": "*"} for namespace in namespaces]
    variables = {
        "leaked": places,
        "asOf": as_of,
        "asKnownAt": as_known_at,
        "lenient": lenient,
        **rule_variables(rules),
    }
    found = client.query("breach", variables)["breach"]
    if as_json:
        print_json(found)
    else:
        _print(found)
    exit_for(context, found, strict=strict)


def leaked_place(client: GraphQLClient, text: str) -> dict[str, Any]:
    """The place of a leaked dataset or path, resolved to its full name, or the patterns as they are written."""
    dataset, mark, path = text.partition(MARK)
    if is_pattern(dataset) and not is_known(client, text, None):
        return place_pattern(text)
    if mark and is_pattern(path) and not is_known(client, text, None):
        return {**dataset_ref(client, dataset, None), "path": path}
    node = node_ref(client, text, None, None)
    place = {"namespace": node["namespace"], "name": node["name"]}
    return {**place, "path": path} if node["path"] else place


def _print(found: Answer) -> None:
    for each in filter(_is_asked_by_pattern, found["matched"]):
        click.echo(_matched(all_visible(each)))
    print_table(DATASETS, [_dataset(each) for each in found["datasets"]])
    _print_list("Values in the leak", ATTRIBUTES, map(_attribute, found["values"]), found["valueCount"])
    _print_list(
        "Not in the leak, but deciding about it",
        ATTRIBUTES,
        map(_attribute, found["influences"]),
        found["influenceCount"],
    )
    _print_list("Can be joined with", JOINABLE, map(_joinable, found["joinable"]), found["joinableCount"])
    print_declassified(all_visible(found))
    print_gaps(all_visible(found))


def _is_asked_by_pattern(each: Answer) -> bool:
    return is_pattern(each["name"]) or (each["path"] != "**" and is_pattern(each["path"]))


def _matched(each: Answer) -> str:
    """What a pattern matches, in a line, with the first paths, and the datasets of which none is known."""
    asked = each["name"] if each["path"] == "**" else f"{each['name']}{MARK}{each['path']}"
    shown = [f"{node['name']}{MARK}{node['label']}" for node in each["nodes"][:SHOWN]]
    shown += [f"{key['name']} (no path is known)" for key in each["unknown"][:SHOWN]]
    number = each["count"]
    left_out = sum(max(count - SHOWN, 0) for count in (number, each["unknownCount"]))
    more = f" and {left_out:,} more" if left_out else ""
    return f"{asked!r} matches {number:,} path{'' if number == 1 else 's'}: {', '.join(shown)}{more}"


def _print_list(title: str, headings: Sequence[str], rows: Iterator[Sequence[str]], count: int) -> None:
    click.echo(f"\n{title}: {count:,}" if count else f"\n{title}: none known")
    if shown := list(rows):
        print_table(headings, shown)
    if shown and count > len(shown):
        print_note(f"{count - len(shown):,} more: leak by leak, or --json over GraphQL with a larger `first`")


def _dataset(each: Answer) -> tuple[str, ...]:
    rows = "not known" if each["rows"] is None else f"{each['rows']:,}"
    return (
        each["name"],
        rows,
        (each["writtenAt"] or "")[:19],
        job_titles(each["writers"]),
        job_titles(each["readers"]),
    )


def _attribute(each: Answer) -> tuple[str, ...]:
    attribute, node = each["attribute"], each["node"]
    return (
        path_text(attribute["node"]),
        ", ".join(attribute["categories"]),
        attribute["node"]["name"],
        path_text(node),
        node["name"],
        held_text(each),
        jobs_text(each["witness"]) or "(declared there)",
    )


def _joinable(each: Answer) -> tuple[str, ...]:
    attribute, node = each["attribute"]["node"], each["node"]
    form = "pseudonymised, and re-identified there" if each["reidentifies"] else each["form"].lower()
    return f"{path_text(attribute)} of {attribute['name']}", form, path_text(node), node["name"]
