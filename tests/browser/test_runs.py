"""Jobs and their runs: live, as a history, and with what they could not store."""

from __future__ import annotations

import re
import sqlite3
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from headwater_backend.ports import LineageStore
from headwater_backend.stores import open_store
from headwater_backend.stores.sqlite.store import SqliteStore
from kit import browser
from kit.openlineage import NAMESPACE, dataset, event, facet
from kit.pipelines import fill_shop
from kit.servers import serving

TESTED = {
    "dataQualityAssertions": facet(
        assertions=[
            {"assertion": "not_null", "success": True, "column": "id"},
            {"assertion": "unique", "success": False, "column": "mail"},
        ]
    )
}

SETTLED_MS = 500  # By then the page has drawn what it was answered.


def load(minute: int, run: str, rows: int, state: str = "COMPLETE", error: str = "") -> list[dict[str, Any]]:
    """The events of a run of ``load`` that takes a minute."""
    out = {**dataset("loaded", "id"), "outputFacets": {"outputStatistics": facet(rowCount=rows)}}
    read = {**dataset("raw", "id", "mail"), "inputFacets": TESTED}
    ended = event(state, minute + 1, run, [read], [out], "load")
    if error:
        ended["run"]["facets"] = {"errorMessage": facet(message=error, programmingLanguage="SQL")}
    return [event("START", minute, run, [read], [out], "load"), ended]


def send(address: str, events: list[dict[str, Any]]) -> None:
    for each in events:
        answer = httpx.post(f"{address}/api/v1/lineage", json=each, timeout=browser.PATIENCE_MS / 1_000)
        answer.raise_for_status()


def test_a_job_in_the_picture_leads_to_its_runs(page: Page, store: LineageStore) -> None:
    fill_shop(store)
    page.goto("/?namespace=test&name=spending&level=job")
    page.get_by_role("region", name="job group").get_by_role("button", name="group").first.click()
    page.get_by_role("button", name="Show its runs").click()
    expect(page.get_by_role("heading", name="group")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("region", name="job group")).to_be_visible()


def test_a_job_s_runs_arrive_live_and_are_a_history(page: Page, store: LineageStore, address: str) -> None:
    fill_shop(store)
    page.goto("/?view=runs")
    expect(page.get_by_role("row")).to_have_count(4)
    expect(page.locator("output.live")).to_have_text("● Live")
    send(address, load(10, "first", 100))
    expect(page.get_by_role("row", name=re.compile("load .* completed"))).to_be_visible()
    page.get_by_role("button", name="load", exact=True).click()
    expect(page.get_by_role("img", name=re.compile("of 1 runs"))).to_be_visible()
    send(address, load(20, "second", 300, "FAIL", "no space"))
    expect(page.get_by_role("img", name=re.compile("of 2 runs"))).to_be_visible()
    newest = page.get_by_role("row").nth(1)
    expect(newest).to_contain_text(re.compile("failed.*1 min.*300.*no space"))
    newest.get_by_role("button", name="Details of run").click()
    details = page.locator(".run-details")
    details.get_by_role("button", name="loaded").click()
    expect(page.get_by_role("region", name="dataset loaded")).to_be_visible()
    page.get_by_role("button", name="Runs", exact=True).click()
    expect(page.get_by_role("heading", name=re.compile("Runs of loaded"))).to_be_visible()


def test_a_lost_connection_is_reported_and_made_again(page: Page, store: LineageStore, address: str) -> None:
    sockets: list[WebSocketRoute] = []

    def pass_on(socket: WebSocketRoute) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    page.route_web_socket("**/graphql", pass_on)
    page.goto("/?view=runs")
    live = page.locator("output.live")
    expect(live).to_have_text("● Live")
    send(address, load(10, "first", 100)[:1])
    expect(page.get_by_role("row", name=re.compile("load .* started"))).to_be_visible()
    sockets[-1].close(code=1012)
    expect(live).to_contain_text("Not live")
    send(address, load(10, "first", 100)[1:])
    expect(live).to_have_text("● Live")
    expect(page.get_by_role("row", name=re.compile("load .* completed"))).to_be_visible()


def test_what_is_stored_between_the_connection_and_the_subscription_is_shown(
    chromium: Browser, tmp_path: Path
) -> None:
    reached, go_on = threading.Event(), threading.Event()

    class Slow(SqliteStore):
        """A store of which it takes long to learn where its news begin."""

        def audit_end(self) -> Any:
            reached.set()
            assert go_on.wait(browser.PATIENCE_MS / 1_000)
            return super().audit_end()

    with (
        closing(Slow.open(tmp_path / "lineage.db")) as store,
        serving(store) as address,
        chromium.new_context(base_url=address, locale="en-GB") as context,
    ):
        page = context.new_page()
        page.goto("/?view=runs")
        expect(page.get_by_text("Nothing is stored yet")).to_be_visible()
        live = page.locator("output.live")
        assert reached.wait(browser.PATIENCE_MS / 1_000)
        page.wait_for_timeout(SETTLED_MS)
        expect(live).to_have_text("● Connecting …")
        send(address, load(10, "first", 100)[:1])
        go_on.set()
        expect(live).to_have_text("● Live")
        expect(page.get_by_role("row", name=re.compile("load .* started"))).to_be_visible()
        send(address, load(10, "first", 100)[1:])
        expect(page.get_by_role("row", name=re.compile("load .* completed"))).to_be_visible()


def test_a_dataset_s_history_has_its_tests(page: Page, store: LineageStore, address: str) -> None:
    send(address, load(10, "first", 100))
    page.goto(f"/?view=runs&namespace={NAMESPACE}&name=raw")
    row = page.get_by_role("row").nth(1)
    expect(row).to_contain_text(re.compile("load.*read.*completed"))
    expect(row.get_by_role("listitem")).to_have_text(["✓ passed not_null id", "✗ failed unique mail"])


def test_dead_letters_are_read_and_tried_again(chromium: Browser, tmp_path: Path) -> None:
    file = tmp_path / "lineage.db"
    with (
        closing(open_store(f"sqlite:///{file}")) as store,
        serving(store) as address,
        chromium.new_context(base_url=address, locale="en-GB") as context,
    ):
        page = context.new_page()
        page.goto("/?view=dead-letters")
        expect(page.get_by_text("There are none")).to_be_visible()
        by_hand(file, "CREATE TRIGGER no BEFORE INSERT ON dataset BEGIN SELECT RAISE(ABORT, 'no'); END")
        send(address, load(10, "first", 1)[:1])
        page.reload()
        row = page.get_by_role("row").nth(1)
        row.get_by_role("button", name="Show").click()
        expect(page.get_by_label("The event")).to_contain_text('"name": "loaded"')
        row.get_by_role("checkbox").check()
        page.get_by_role("button", name="Try 1 again").click()
        expect(page.get_by_text("0 of 1 are stored now.")).to_be_visible()
        by_hand(file, "DROP TRIGGER no")
        row.get_by_role("checkbox").check()
        page.get_by_role("button", name="Try 1 again").click()
        expect(page.get_by_text("1 of 1 are stored now.")).to_be_visible()
        expect(page.get_by_text("There are none")).to_be_visible()


def test_dead_letters_chosen_while_the_list_is_read_anew_stay_chosen(
    chromium: Browser, tmp_path: Path
) -> None:
    file = tmp_path / "lineage.db"
    held: list[Route] = []
    with (
        closing(open_store(f"sqlite:///{file}")) as store,
        serving(store) as address,
        chromium.new_context(base_url=address, locale="en-GB") as context,
    ):
        by_hand(file, "CREATE TRIGGER no BEFORE INSERT ON dataset BEGIN SELECT RAISE(ABORT, 'no'); END")
        send(address, load(10, "first", 1)[:1])
        page = context.new_page()
        page.goto("/?view=dead-letters")
        chosen = page.get_by_role("row").nth(1).get_by_role("checkbox")
        chosen.check()
        page.route(lambda url: "graphql" in url, lambda route: hold_lists(route, held))
        page.get_by_role("button", name="Try 1 again").click()
        expect(page.get_by_text("0 of 1 are stored now.")).to_be_visible()
        expect(chosen).not_to_be_checked()
        chosen.check()
        for route in held:
            with page.expect_response(lambda response: "graphql" in response.url):
                route.continue_()
        page.wait_for_timeout(SETTLED_MS)
        expect(chosen).to_be_checked()


def hold_lists(route: Route, held: list[Route]) -> None:
    """Keep requests for the list of dead letters, and let all others through."""
    if '"DeadLetters"' in (route.request.post_data or ""):
        held.append(route)
    else:
        route.continue_()


def by_hand(file: Path, statement: str) -> None:
    """Change a store so that it refuses events, or mend it."""
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute(statement)


RECORDS = {
    "_producer": "https://headwater.dev/agent/0.1.0",
    "_schemaURL": "https://headwater.dev/spec/facets/1-0-0/RecordsRunFacet.json#/$defs/RecordsRunFacet",
    "mode": "full",
    "folder": "/lake/of it's records",
    "entry": "5f0c1f6e",
    "rows": 1_200,
    "operators": [],
}


def test_a_dataset_leads_to_the_page_of_its_records(page: Page, store: LineageStore, address: str) -> None:
    fill_shop(store)
    start, end = load(10, "first", 100)
    end["run"]["facets"] = {"headwater_records": RECORDS}
    send(address, [start, end])
    page.goto(f"/?view=runs&namespace={NAMESPACE}&name=loaded")
    kept = page.get_by_role("region", name="Which records made it")
    expect(kept.get_by_role("row").nth(1)).to_contain_text(
        "the records of every operator1,200/lake/of it's records"
    )
    command = r"headwater records serve --records '/lake/of it'\''s records'"
    expect(kept.get_by_role("listitem")).to_have_text([command])
    link = kept.get_by_role("link", name="Ask for its records")
    assert link.get_attribute("href") == "http://127.0.0.1:8056/?output=loaded&language=en"
    page.goto(f"/?view=runs&namespace={NAMESPACE}&name=raw")
    expect(page.get_by_role("row").nth(1)).to_contain_text("load")
    expect(kept).to_have_count(0)
