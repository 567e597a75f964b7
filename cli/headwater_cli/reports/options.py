"""The options that all reports share, and the question that they make."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from headwater_cli.client.graphql_client import store_or_url
from headwater_cli.client.times import TIME
from headwater_cli.client.traversal_options import as_known_at_option
from headwater_cli.privacy.exposure import lenient_option, rules_option
from headwater_cli.privacy.holdings import rule_variables
from headwater_cli.privacy.organisation import organisation_option, organisation_text
from headwater_cli.privacy.policies.check import policy_input
from headwater_cli.terminal.report_files import FORMATS

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Common:
    """The options that all reports share."""

    out: Path
    form: str
    language: str
    organisation: Path | None
    policy: Path | None
    category: str | None
    depth: int
    as_of: str | None
    as_known_at: str | None
    rows: int | None
    drawings: bool
    active: bool
    rules: Path | None
    lenient: bool
    strict: bool
    store: str
    url: str | None

    def variables(self) -> dict[str, Any]:
        """The variables of the query that all reports share."""
        found: dict[str, Any] = {
            "format": self.form.replace("-", "_").upper(),
            "language": self.language.upper(),
            "category": self.category,
            "depth": self.depth,
            "asOf": self.as_of,
            "asKnownAt": self.as_known_at,
            "lenient": self.lenient,
            "drawings": self.drawings,
            "active": self.active,
            **rule_variables(self.rules),
            **stated_variables(self.organisation, self.policy),
        }
        return {**found, "rows": self.rows} if self.rows else found


def stated_variables(organisation: Path | None, policy: Path | None) -> Mapping[str, Any]:
    """Return what the files state; each is read here as well, so that an error names the file and its line."""
    found: dict[str, Any] = {}
    if organisation:
        found["organisation"] = organisation_text(organisation)
    if policy:
        from headwater_backend.privacy.files import read_policies

        found["policies"] = [policy_input(each) for each in read_policies(policy)]
    return found


def common_options(command: F) -> F:
    """Add the options that all reports share; the command gets them as keywords for ``Common``."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return store_or_url(lenient_option(rules_option(command)))


def stated_options(command: F) -> F:
    """Add the options for files of statements and of policies."""
    for option in reversed(_STATED):
        command = option(command)
    return command


def node_arguments(command: F) -> F:
    """Add the arguments DATASET and PATH, both optional."""
    return click.argument("dataset", required=False)(click.argument("path", required=False)(command))


_STATED = (
    organisation_option,
    click.option(
        "--policy",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="A YAML file of policies, whose verdicts the report lists.",
    ),
)
_OPTIONS = (
    click.option(
        "--out",
        type=click.Path(dir_okay=False, writable=True, path_type=Path),
        required=True,
        help="The file; the end of its name selects the format.",
    ),
    click.option("--format", "form", type=click.Choice(sorted(set(FORMATS.values()))), help="The format."),
    click.option("--language", type=click.Choice(["en", "de"]), default="en", show_default=True),
    *_STATED,
    click.option(
        "--category", metavar="KEY", help="Only attributes of this fideslang category or its subcategories."
    ),
    click.option(
        "--depth",
        type=click.IntRange(min=0),
        default=50,
        show_default=True,
        help="Maximum number of edges to follow.",
    ),
    click.option("--as-of", type=TIME, help="Query the lineage of that time: 2026-11-21T06:00:00Z."),
    as_known_at_option,
    click.option(
        "--rows", type=click.IntRange(min=1), help="Maximum number of rows of a table.  [default: 2,000]"
    ),
    click.option(
        "--drawings", is_flag=True, help="Draw the lineage of findings in a PDF; an HTML page always can."
    ),
    click.option(
        "--active", is_flag=True, help="Say of each violation of a policy whether a row can take it."
    ),
    click.option("--strict", is_flag=True, help="Exit with 4 when the report is incomplete."),
)
