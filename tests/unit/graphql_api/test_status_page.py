"""The status page."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import NoReturn

from starlette.testclient import TestClient

from headwater_backend.domain.errors import StoreUnavailable
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from kit.memory_store import MemoryStore
from kit.openlineage import dataset, event


class Away(MemoryStore):
    def dead_letters(self, *_: object, **__: object) -> NoReturn:
        raise StoreUnavailable("bolt://secret-host: refused")

    datasets = audit_end = dead_letters


def test_the_page_has_facts_and_links(client: TestClient, store: LineageStore) -> None:
    ingest(store, [event("COMPLETE", 1, inputs=[dataset("in")], outputs=[dataset("out")])])
    page = client.get("/status")
    assert page.headers["content-type"].startswith("text/html")
    assert "<dt>datasets</dt><dd>2</dd>" in page.text
    links = re.findall('href="(/[^"]*)"', page.text)
    assert {client.get(link).status_code for link in links if link not in ("/", "/graphql")} == {200}
    assert {"/", "/graphql"} <= set(links)


def test_the_page_loads_no_other_files_and_runs_no_script(client: TestClient) -> None:
    page = client.get("/status")
    policy = page.headers["content-security-policy"]
    (style,) = re.findall("<style>(.*?)</style>", page.text, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert "<script" not in page.text and "http:" not in page.text and "https:" not in page.text


def test_an_unavailable_store_is_reported_without_its_address() -> None:
    with TestClient(create_app(Away([]), Settings()), base_url="http://localhost") as client:
        page = client.get("/status")
    assert page.status_code == 200
    assert "does not answer" in page.text and "secret-host" not in page.text
