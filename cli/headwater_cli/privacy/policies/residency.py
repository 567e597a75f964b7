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
from headwater_cli.privacy.answer_text import Answer, forms_text
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
HEADINGS = ("dataset", "category", "as", "in", "verdict", "by policy", "because of")
_VERDICTS = {"WITHIN": "within", "OUTSIDE": "OUTSIDE", "NOT_KNOWN": "not known"}
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
    found, listed, _ = fetch_pages(client, "residency", variables, page_size=PAGE)
    if as_json:
        print_json(
            {**{name: value for name, value in found.items() if name != "edges"}, "categories": listed}
        )
    else:
        print_table(HEADINGS, list(map(_row, listed)))
        counts = (f"{each['count']:,} {_VERDICTS[each['verdict']].lower()}" for each in found["totals"])
        print_note(f"categories in datasets: {', '.join(counts)}")
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
