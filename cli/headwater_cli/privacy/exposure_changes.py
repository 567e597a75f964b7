"""``headwater exposure --since``: what has changed in the exposure of personal data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_cli.client.graphql_client import GraphQLClient
from headwater_cli.privacy.answer_text import Answer, forms_text, jobs_text, path_text
from headwater_cli.privacy.declassified import print_declassified
from headwater_cli.questions.gaps import print_gaps, print_grouped
from headwater_cli.terminal.escaping import all_visible
from headwater_cli.terminal.output import print_json, print_note, print_table

MOST = 1_000
"""Maximum number of changes in one answer."""
HEADINGS = ("change", "in dataset", "at path", "attribute", "of dataset", "was", "is", "by")


def print_changes(
    client: GraphQLClient, variables: Mapping[str, Any], limit: int | None, *, as_json: bool
) -> Answer:
    """Print the changes, and return the answer."""
    first = min(limit or MOST, MOST)
    found: Answer = client.query("exposure_changes", {**variables, "first": first})["exposureChanges"]
    if as_json:
        print_json(found)
        return found
    print_table(HEADINGS, [_row(change) for change in found["changes"]])
    if more := found["totalCount"] - len(found["changes"]):
        print_note(f"{more:,} more: --limit lists up to {MOST:,}; select a dataset or a category")
    if review := all_visible(found)["review"]:
        print_note(f"since the review that {review['by']} signed on {review['at'][:19]}: {review['reason']}")
    print_declassified(all_visible(found))
    print_gaps(all_visible(found))
    before = all_visible({"incomplete": found["incompleteBefore"]})
    print_grouped(before["incomplete"], f"at {found['since'][:19]}, ")
    return found


def _row(change: Answer) -> tuple[str, ...]:
    attribute, node = change["attribute"]["node"], change["node"]
    return (
        change["kind"].lower().replace("_", " "),
        node["name"],
        path_text(node),
        path_text(attribute),
        attribute["name"],
        forms_text(change["before"]),
        forms_text(change["after"]),
        jobs_text(change["witness"]),
    )
