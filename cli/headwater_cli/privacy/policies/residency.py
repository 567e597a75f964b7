"""``headwater residency``: in which countries personal data are, and whether they may be there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from headwater_cli.client.graphql_client import create_client
from headwater_cli.client.pagination import fetch_pages
from headwater_cli.client.references import node_ref
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import answer_options, as_known_at_option, namespace_option
from headwater_cli.privacy.answer_text import Answer, forms_text, jobs_text, path_text
from headwater_cli.privacy.declassified import print_declassified
from headwater_cli.privacy.exposure import active_option, exit_for, lenient_option, rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.privacy.organisation import organisation_option, organisation_text
from headwater_cli.privacy.policies.check import policy_input
from headwater_cli.questions.gaps import print_gaps
from headwater_cli.terminal.errors import EXIT_CODES
from headwater_cli.terminal.escaping import all_visible
from headwater_cli.terminal.output import print_json, print_note, print_table

PAGE = 1_000
CROSSINGS = 500
"""Crossings on a page: each has a route, so a page of more would cost a server too much."""
HEADINGS = ("dataset", "category", "as", "in", "verdict", "by policy", "because of")
CROSSING_HEADINGS = ("dataset", "path", "attribute", "as", "from", "to", "verdict", "because of", "by")
_VERDICTS = {
    "WITHIN": "within",
    "OUTSIDE": "OUTSIDE",
    "NOT_KNOWN": "not known",
    "ALLOWED": "allowed",
    "SAFEGUARDED": "safeguarded",
    "VIOLATION": "VIOLATION",
    "UNKNOWN": "not known",
}
_REASONS = {
    "NO_POLICY": "no policy",
    "UNSTATED_LOCATION": "no stated location",
    "UNCLEAR_COUNTRY": "unclear country",
    "INCOMPLETE": "incomplete lineage",
}


@click.command(epilog=EXIT_CODES)
@click.argument("dataset", required=False)
@click.argument("path", required=False)
@namespace_option
@click.option(
    "--category", metavar="KEY", help="Only attributes of this fideslang category or its subcategories."
)
@click.option(
    "--policy",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A YAML file of policies with countries; with --url, instead of the server's.",
)
@click.option("--crossings", is_flag=True, help="List each path on which data cross to another country.")
@organisation_option
@rules_option
@lenient_option
@active_option
@click.option("--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@answer_options
def residency(
    context: click.Context,
    dataset: str | None,
    path: str | None,
    namespace: str | None,
    category: str | None,
    policy: Path | None,
    crossings: bool,
    organisation: Path | None,
    rules: Path | None,
    lenient: bool,
    active: bool,
    as_of: str | None,
    as_known_at: str | None,
    strict: bool,
    as_json: bool,
    store: str,
    url: str | None,
) -> None:
    """List the countries in which personal data are, and verdicts.

    The organisation states where datasets lie and where their recipients are; policies with `countries` say where data
    may be. With DATASET (and PATH), only what was declared there. What is not stated, or incomplete, is not known.

    \b
    headwater residency --rules rules.yaml --policy policy.yaml --organisation organisation.yaml
    headwater residency customers --category user.contact

    Exits with 5 if nothing is classified as personal, because it is not known then where the data are.
    """
    client = create_client(context, store, url)
    variables = {
        "node": node_ref(client, dataset, path, namespace) if dataset else None,
        "category": category,
        "asOf": as_of,
        "asKnownAt": as_known_at,
        "policies": _policies(policy),
        "lenient": lenient,
        "active": active,
        "organisation": organisation_text(organisation),
        **rule_variables(rules),
    }
    asked = "crossings" if crossings else "residency"
    size = CROSSINGS if crossings else PAGE
    found, listed, _ = fetch_pages(client, asked, variables, page_size=size)
    if as_json:
        name_of_all = "crossings" if crossings else "categories"
        print_json({**{name: value for name, value in found.items() if name != "edges"}, name_of_all: listed})
    else:
        if crossings:
            print_table(CROSSING_HEADINGS, list(map(_crossing, listed)))
            print_flows(all_visible(found))
        else:
            print_table(HEADINGS, list(map(_row, listed)))
        counts = (f"{each['count']:,} {_VERDICTS[each['verdict']].lower()}" for each in found["totals"])
        print_note(f"{'crossings' if crossings else 'categories in datasets'}: {', '.join(counts)}")
        print_declassified(all_visible(found))
        print_gaps(all_visible(found))
    exit_for(context, found, strict=strict)


def _policies(file: Path | None) -> list[dict[str, Any]] | None:
    """Return the policies of the file as a GraphQL variable."""
    from headwater_backend.privacy.files import read_policies

    return None if file is None else [policy_input(each) for each in read_policies(file)]


def _row(found: Answer) -> tuple[str, ...]:
    because = [*found["outside"], *(_REASONS[each] for each in found["unknown"]), *found["because"]]
    return (
        found["dataset"]["name"],
        found["category"],
        forms_text(found["forms"]),
        ", ".join(found["countries"]) or "not stated",
        _VERDICTS[found["verdict"]],
        ", ".join(found["policies"]) or "none",
        ", ".join(because),
    )


def _crossing(found: Answer) -> tuple[str, ...]:
    attribute = found["attribute"]["node"]
    because = [
        *(found["policies"] if found["verdict"] in ("VIOLATION", "ALLOWED") else ()),
        *map(_safeguard, found["safeguards"]),
        *(f"not in force: {_safeguard(each)}" for each in found["lapsed"]),
        *(_REASONS[each] for each in found["unknown"]),
    ]
    return (
        found["node"]["name"],
        path_text(found["node"]),
        f"{attribute['name']} {path_text(attribute)}",
        forms_text(found["forms"]),
        ", ".join(found["origin"]) or "not stated",
        ", ".join(found["to"]) or "not stated",
        _VERDICTS[found["verdict"]],
        ", ".join(because),
        jobs_text(found["witness"]),
    )


def _safeguard(found: Answer) -> str:
    days = [f"{word} {found[name]}" for word, name in (("from", "since"), ("until", "until")) if found[name]]
    return " ".join((found["kind"].replace("_", " "), "for", ", ".join(found["countries"]), *days))


def print_flows(found: Answer) -> None:
    """Print how much crosses from where to where, as notes."""
    for each in found["flows"]:
        origin = ", ".join(each["origin"]) or "not stated"
        print_note(
            f"{origin} → {each['to'] or 'not stated'}: {each['count']:,} {_VERDICTS[each['verdict']].lower()}"
        )
