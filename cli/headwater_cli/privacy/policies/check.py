"""``headwater check``: whether personal data are only where policies allow them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headwater_cli.client.graphql_client import create_client, store_or_url
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import as_known_at_option
from headwater_cli.privacy.exposure import active_option, lenient_option, rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.privacy.organisation import organisation_option, organisation_text
from headwater_cli.privacy.policies.check_formats import as_text, junit, sarif, summary
from headwater_cli.terminal.errors import EXIT_CODES, INCOMPLETE, VIOLATED
from headwater_cli.terminal.output import as_json

if TYPE_CHECKING:
    from headwater_backend.privacy.policies import Policy


@click.command(epilog=EXIT_CODES)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@rules_option
@lenient_option
@organisation_option
@click.option(
    "--depth",
    type=click.IntRange(min=0),
    default=50,
    show_default=True,
    help="Maximum number of edges to follow.",
)
@click.option("--as-of", type=TIME, help="Check the lineage of that time: 2026-11-21T06:00:00Z.")
@as_known_at_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "junit"]),
    default="text",
    show_default=True,
    help="SARIF 2.1.0 and JUnit XML are for build servers.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Write the result to a file.",
)
@active_option
@store_or_url
@click.pass_context
def check(
    context: click.Context,
    file: Path,
    rules: Path | None,
    lenient: bool,
    organisation: Path | None,
    depth: int,
    as_of: str | None,
    as_known_at: str | None,
    form: str,
    out: Path | None,
    active: bool,
    store: str,
    url: str | None,
) -> None:
    """Check the policies of a YAML FILE on personal data.

    A policy says where data of a category may be, in which forms, for which purposes, and in which countries, or that
    none of their pseudonyms may be re-identified; docs/privacy.md shows examples. Lists each path that violates one,
    with the jobs that brought the data there.

    Exits with 6 if a policy is violated, and with 4 if it is not known whether one is, because lineage is incomplete or
    names in the policy match nothing. With --active, a violation that no row can take is listed with its proof, and
    counts until somebody has acknowledged its finding. Policies with `severity: warning` or `note` are only reported.
    """
    from headwater_backend.privacy.files import read_policies

    policies = read_policies(file)
    variables = {
        "policies": [policy_input(policy) for policy in policies],
        "depth": depth,
        "asOf": as_of,
        "asKnownAt": as_known_at,
        "lenient": lenient,
        "active": active,
        "organisation": organisation_text(organisation),
        **rule_variables(rules),
    }
    found = create_client(context, store, url).query("policy_check", variables)["policyCheck"]
    text = {"json": as_json, "sarif": lambda each: sarif(each, file), "junit": junit, "text": as_text}[form](
        found
    )
    if out is None:
        click.echo(text)
    else:
        out.write_text(click.unstyle(text) + "\n", encoding="utf-8")
        click.echo(f"{out} written: {summary(found)}")
    context.exit({"VIOLATED": VIOLATED, "UNKNOWN": INCOMPLETE}.get(found["outcome"], 0))


def policy_input(policy: Policy) -> dict[str, Any]:
    """Return the policy as a GraphQL variable."""
    namespace, name = policy.dataset_text
    return {
        "policy": policy.name,
        "category": policy.category,
        "namespace": namespace or None,
        "name": name,
        "path": policy.path_text,
        "allow": None if policy.forbids_reidentification else sorted(form.name for form in policy.allowed),
        "severity": policy.severity.name,
        "purposes": list(policy.purposes),
        "countries": list(policy.countries),
        "forbidsReidentification": policy.forbids_reidentification,
        "line": policy.line,
    }
