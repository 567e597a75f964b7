"""The explorer's page: only local assets, and build instructions if they are missing."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from graphql import build_schema, parse, validate
from starlette.testclient import TestClient

from headwater_backend.server.authentication import ASSETS
from headwater_graphql.explorer import page
from headwater_graphql.schema import schema

HTML = {"accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of built assets."""
    for name in page.NAMES:
        (tmp_path / name).write_text(f"/* {name} */")
    return tmp_path


def test_the_page_loads_only_our_own_assets(static: Path) -> None:
    html = bytes(page.page(static).body).decode()
    addresses = re.findall(r"(?:src|href)=\"([^\"]*)\"", html)
    assert addresses == ["data:,", f"{ASSETS}/explorer.css", f"{ASSETS}/explorer.js"]
    assert "<title>Headwater explorer</title>" in html


def test_the_page_s_policy_blocks_foreign_scripts(static: Path) -> None:
    policy = page.page(static).headers["content-security-policy"]
    assert "script-src 'self';" in policy and "default-src 'none'" in policy
    assert "http" not in policy


def test_the_example_queries_fit_the_schema(static: Path) -> None:
    html = bytes(page.page(static).body).decode()
    found = re.search(r"<script type=\"application/json\" id=\"settings\">(.*?)</script>", html, re.DOTALL)
    assert found is not None
    settings = json.loads(found.group(1))
    assert settings["url"] == "/graphql"
    assert len(settings["tabs"]) >= 3
    for tab in settings["tabs"]:
        assert validate(build_schema(schema.as_str()), parse(tab["query"])) == []
        json.loads(tab["variables"])


def test_without_assets_the_page_prints_the_build_command(tmp_path: Path) -> None:
    response = page.page(tmp_path)
    assert response.status_code == 503
    assert page.BUILD_COMMAND in bytes(response.body).decode()


def test_a_browser_gets_the_page_and_a_program_an_answer(client: TestClient) -> None:
    assert "text/html" in client.get("/graphql", headers=HTML).headers["content-type"]
    answer = client.get("/graphql", params={"operationName": "Datasets"})
    assert answer.json()["data"]["datasets"]["totalCount"] == 0


@pytest.mark.parametrize("name", ["..%2fpage.py", "page.py", "sources.sha256", "%2e%2e/page.py"])
def test_nothing_but_the_assets_is_served(client: TestClient, name: str) -> None:
    assert client.get(f"{ASSETS}/{name}").status_code == 404
