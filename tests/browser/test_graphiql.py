"""GraphiQL, for programmers, under its own policy."""

from __future__ import annotations

from playwright.sync_api import Page, expect


def test_graphiql_comes_up_with_our_examples(page: Page) -> None:
    page.goto("/graphql")
    expect(page.get_by_role("button", name="Execute query")).to_be_visible()
    for name in ("Datasets", "Backward", "Forward", "Exposure"):
        expect(page.get_by_role("tab", name=name)).to_be_visible()
