"""``headwater reidentified``: pseudonyms that are no protection where they are."""

from __future__ import annotations

from pathlib import Path

import click

from headwater_cli.client.graphql_client import create_client
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import answer_options, as_known_at_option
from headwater_cli.privacy.answer_text import HOW, Answer, jobs_text, path_text
from headwater_cli.privacy.declassified import print_declassified
from headwater_cli.privacy.exposure import exit_for, lenient_option, rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import all_visible
from headwater_cli.terminal.output import job_title, print_json, print_note, print_table

FINDINGS = ("dataset", "pseudonym of", "of dataset", "pseudonym", "by", "readable by", "as", "by", "how")
KEYS = ("aggregated dataset", "job", "unclassified key", "of dataset")
SMALL = ("dataset", "by", "rows written", "rows read")
_DECLARED = "(declared there)"


@click.command(epilog=EXIT_CODES)
@click.option(
    "--category", metavar="KEY", help="Only pseudonyms of this fideslang category or its subcategories."
)
@rules_option
@lenient_option
@click.option("--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@answer_options
def reidentified(
    context: click.Context,
    category: str | None,
    rules: Path | None,
    lenient: bool,
    as_of: str | None,
    as_known_at: str | None,
    strict: bool,
    as_json: bool,
    store: str,
    url: str | None,
) -> None:
    """List pseudonyms that the data beside them make readable.

    Lists each dataset that holds a pseudonym and the attribute of which it is made, and each that a job joined with
    such a dataset, a key table. Also lists the keys of aggregates that nothing classifies: if one identifies a person,
    the aggregates are that person's data, so write a rule for it. Aggregates over few rows are listed, too, where runs
    count rows.

    \b
    headwater reidentified --rules rules.yaml

    Exits with 5 if nothing is classified as personal, because it is not known then what the pseudonyms are of.
    """
    client = create_client(context, store, url)
    variables = {
        "category": category,
        "asOf": as_of,
        "asKnownAt": as_known_at,
        "lenient": lenient,
        **rule_variables(rules),
    }
    found = client.query("reidentifications", variables)["reidentifications"]
    if as_json:
        print_json(found)
    else:
        _print(found)
    exit_for(context, found, strict=strict)


def _print(found: Answer) -> None:
    print_table(FINDINGS, [_finding(each) for each in found["findings"]])
    _note_more(found["findingCount"] - len(found["findings"]))
    if found["unclassifiedKeys"]:
        click.echo("\nKeys of aggregates that nothing classifies:")
        print_table(KEYS, [_key(each) for each in found["unclassifiedKeys"]])
        _note_more(found["unclassifiedKeyCount"] - len(found["unclassifiedKeys"]))
    if found["smallGroups"]:
        click.echo("\nAggregates over few rows:")
        print_table(SMALL, [_small(each) for each in found["smallGroups"]])
        _note_more(found["smallGroupCount"] - len(found["smallGroups"]))
    print_declassified(all_visible(found))
    print_gaps(all_visible(found))


def _note_more(count: int) -> None:
    if count:
        print_note(f"{count:,} more: --category, or --json over GraphQL with a larger `first`")


def _finding(each: Answer) -> tuple[str, ...]:
    attribute, source = each["attribute"]["node"], each["source"]
    return (
        each["name"],
        path_text(attribute),
        attribute["name"],
        path_text(each["pseudonym"]["node"]),
        jobs_text(each["pseudonym"]["witness"]) or _DECLARED,
        path_text(source["node"]),
        source["form"].lower(),
        jobs_text(source["witness"]) or _DECLARED,
        HOW[each["how"]],
    )


def _key(each: Answer) -> tuple[str, ...]:
    return each["name"], job_title(each["job"]), path_text(each["key"]), each["key"]["name"]


def _small(each: Answer) -> tuple[str, ...]:
    return each["name"], job_title(each["job"]), f"{each['rows']:,}", f"{each['read']:,}"
