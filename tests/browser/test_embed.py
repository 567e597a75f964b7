"""The picture in the frame of another site's page."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from headwater_backend.access.api_keys import new_key
from headwater_backend.domain.roles import Role
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from kit.pipelines import fill_shop
from kit.servers import serving

PICTURE = "/embed?namespace=test&name=spending&level=dataset"


class Wiki:
    """Another site, on loopback: browsers keep pages from elsewhere from framing what is there."""

    def __init__(self) -> None:
        self.html = ""
        wiki = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(HTTPStatus.OK)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(wiki.html.encode())

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://localhost:{self.server.server_address[1]}"


@pytest.fixture
def wiki() -> Iterator[Wiki]:
    made = Wiki()
    thread = threading.Thread(target=made.server.serve_forever, daemon=True)
    thread.start()
    yield made
    made.server.shutdown()
    made.server.server_close()
    thread.join()


@contextmanager
def framed(
    chromium: Browser, wiki: Wiki, tmp_path: Path, settings: Settings, path: str = PICTURE
) -> Iterator[tuple[Page, list[str]]]:
    """A page of the wiki with a page of a server with these settings in a frame, and what the browser reports."""
    with closing(open_store(f"sqlite:///{tmp_path}/lineage.db")) as store:
        fill_shop(store)
        with serving(store, settings) as address, chromium.new_context(locale="en-GB") as context:
            page = context.new_page()
            reports: list[str] = []
            page.on("console", lambda message: reports.append(message.text))
            wiki.html = f"<title>Wiki</title><iframe width=900 height=600 src='{address}{path}'></iframe>"
            page.goto(f"{wiki.origin}/lineage", wait_until="networkidle")
            yield page, reports


def is_reported(page: Page, reports: list[str], *texts: str) -> bool:
    """Whether one of these texts is in a report, of which some come after the page."""
    until = time.monotonic() + 10
    while not any(text in report for text in texts for report in reports) and time.monotonic() < until:
        page.wait_for_timeout(50)
    return any(text in report for text in texts for report in reports)


def test_a_named_site_shows_the_picture_alone(chromium: Browser, wiki: Wiki, tmp_path: Path) -> None:
    with framed(chromium, wiki, tmp_path, Settings(embed_origins=(wiki.origin,))) as (page, _):
        frame = page.frame_locator("iframe")
        expect(frame.get_by_role("region", name="dataset")).to_have_count(5)
        expect(frame.get_by_role("banner")).to_have_count(0)
        whole = frame.get_by_role("link", name="Open the picture in Headwater")
        expect(whole).to_have_attribute("href", "/?namespace=test&name=spending&level=dataset")


def test_a_site_that_is_not_named_shows_nothing(chromium: Browser, wiki: Wiki, tmp_path: Path) -> None:
    settings = Settings(embed_origins=("https://wiki.example",))
    with framed(chromium, wiki, tmp_path, settings) as (page, reports):
        expect(page.frame_locator("iframe").get_by_role("region")).to_have_count(0)
        assert is_reported(page, reports, "frame-ancestors https://wiki.example")


def test_without_names_no_site_shows_anything(chromium: Browser, wiki: Wiki, tmp_path: Path) -> None:
    with framed(chromium, wiki, tmp_path, Settings()) as (page, reports):
        expect(page.frame_locator("iframe").get_by_role("region")).to_have_count(0)
        assert is_reported(page, reports, "403", "frame-ancestors 'none'")


def test_no_site_shows_the_whole_page(chromium: Browser, wiki: Wiki, tmp_path: Path) -> None:
    settings = Settings(embed_origins=(wiki.origin,))
    with framed(chromium, wiki, tmp_path, settings, "/") as (page, reports):
        expect(page.frame_locator("iframe").get_by_role("banner")).to_have_count(0)
        assert is_reported(page, reports, "403", "frame-ancestors 'none'")


def test_a_frame_is_no_place_to_sign_in(chromium: Browser, wiki: Wiki, tmp_path: Path) -> None:
    new_key(tmp_path / "keys.json", "reader", [Role.READER])
    settings = Settings(embed_origins=(wiki.origin,), keys_file=tmp_path / "keys.json")
    with framed(chromium, wiki, tmp_path, settings) as (page, _):
        frame = page.frame_locator("iframe")
        expect(frame.get_by_role("link", name="Open the picture in Headwater")).to_be_visible()
        expect(frame.get_by_label("API key")).to_have_count(0)
