"""The pages: only local assets, and build instructions if they are missing."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from graphql import GraphQLSchema, parse, validate
from starlette.responses import HTMLResponse
from starlette.testclient import TestClient

from headwater_backend.access.gate import Gate
from headwater_backend.access.published_keys import SignIn
from headwater_backend.ports import LineageStore
from headwater_backend.server.authentication import ASSETS
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.explorer import assets, graphiql, page

Page = Callable[[Path], HTMLResponse]
HTML = {"accept": "text/html,application/xhtml+xml"}


@pytest.fixture
def static(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of built assets."""
    for name in ("explorer.js", "explorer.css", "graphiql.js", "layout.worker.js", "chunk-AB12.js"):
        (tmp_path / name).write_text(f"/* {name} */")
    return tmp_path


def embedded(static: Path) -> HTMLResponse:
    return page.embedded(Settings(), static)


PAGES = pytest.mark.parametrize(
    ("built", "name"),
    [(page.page, "explorer"), (embedded, "explorer"), (graphiql.page, "graphiql")],
    ids=["explorer", "embedded", "graphiql"],
)


@PAGES
def test_a_page_loads_only_our_own_assets(static: Path, built: Page, name: str) -> None:
    html = bytes(built(static).body).decode()
    addresses = re.findall(r"(?:src|href)=\"([^\"?]*)", html)
    parts = [f"{ASSETS}/chunk-AB12.js"] if name == "explorer" else []
    assert addresses == ["data:,", f"{ASSETS}/{name}.css", *parts, f"{ASSETS}/{name}.js"]
    assert "<title>Headwater" in html


@PAGES
def test_a_page_s_policy_blocks_foreign_scripts(static: Path, built: Page, name: str) -> None:
    policy = built(static).headers["content-security-policy"]
    assert "script-src 'self';" in policy and "default-src 'none'" in policy
    assert "http" not in policy


def test_the_explorer_runs_under_a_policy_without_inline_styles(static: Path) -> None:
    assert "unsafe" not in page.page(static).headers["content-security-policy"]


def settings_of(html: HTMLResponse) -> dict[str, Any]:
    found = re.search(r"id=\"settings\">(.*?)</script>", bytes(html.body).decode(), re.DOTALL)
    assert found is not None
    read: dict[str, Any] = json.loads(found[1])
    return read


def signed_in_at(token_address: str | None) -> dict[str, Any]:
    addresses = {"authorize": "https://login.example/a", "token": token_address} if token_address else None
    return {"keys": False, "provider": {"issuer": "https://login.example", "addresses": addresses}}


@pytest.mark.parametrize(
    ("token_address", "connects"),
    [
        ("https://login.example/oauth/token?x=1", "'self' https://login.example"),
        ("http://127.0.0.1:9/token", "'self' http://127.0.0.1:9"),
        ("https://[::1]:9/token", "'self' https://[::1]:9"),
        (None, "'self'"),
    ],
)
def test_the_page_may_only_ask_the_provider_s_token_endpoint(
    static: Path, token_address: str | None, connects: str
) -> None:
    html = page.page(static, signed_in_at(token_address))
    assert f"connect-src {connects};" in html.headers["content-security-policy"]
    assert settings_of(html)["signIn"] == signed_in_at(token_address)


@pytest.mark.parametrize(
    "token_address", ["https://a.example; script-src *", "https://a.example *", "https://a,b.example/", "x"]
)
def test_no_address_of_a_provider_adds_to_the_policy(static: Path, token_address: str) -> None:
    class Odd(Gate):
        async def sign_in(self) -> SignIn | None:
            return SignIn("https://login.example/a", token_address)

    settings = Settings(oidc_issuer="https://login.example", oidc_audience="h", oidc_client_id="h")
    asked = asyncio.run(page.sign_in(settings, Odd(None, None)))
    assert asked is not None and asked["provider"]["addresses"] is None
    assert "connect-src 'self';" in page.page(static, asked).headers["content-security-policy"]


def test_nobody_may_frame_a_page_but_the_named_sites_the_embedded_one(store: LineageStore) -> None:
    sites = ("https://wiki.example", "http://localhost:8000")
    with TestClient(create_app(store, Settings(embed_origins=sites)), base_url="http://localhost") as client:
        framed = client.get("/embed").headers
        assert framed["content-security-policy"].endswith(f"frame-ancestors {' '.join(sites)}")
        assert "x-frame-options" not in framed
        whole = client.get("/").headers
        assert whole["content-security-policy"].endswith("frame-ancestors 'none'")
        assert whole["x-frame-options"] == "DENY"


def test_without_sites_nobody_may_frame_the_embedded_page(client: TestClient) -> None:
    headers = client.get("/embed").headers
    assert headers["content-security-policy"].endswith("frame-ancestors 'none'")
    assert headers["x-frame-options"] == "DENY"


def test_the_example_queries_fit_the_schema(static: Path, published: GraphQLSchema) -> None:
    html = bytes(graphiql.page(static).body).decode()
    found = re.search(r"<script type=\"application/json\" id=\"settings\">(.*?)</script>", html, re.DOTALL)
    assert found is not None
    settings = json.loads(found.group(1))
    assert settings["url"] == "/graphql"
    assert len(settings["tabs"]) >= 3
    for tab in settings["tabs"]:
        assert validate(published, parse(tab["query"])) == []
        json.loads(tab["variables"])


@PAGES
def test_without_assets_a_page_prints_the_build_command(tmp_path: Path, built: Page, name: str) -> None:
    response = built(tmp_path)
    assert response.status_code == 503
    assert assets.BUILD_COMMAND in bytes(response.body).decode()


def test_the_explorer_is_served_at_the_root_whatever_its_link_says(client: TestClient) -> None:
    assert "text/html" in client.get("/", params={"namespace": "n", "name": "d"}).headers["content-type"]


def test_a_browser_gets_the_page_and_a_program_an_answer(client: TestClient) -> None:
    assert "text/html" in client.get("/graphql", headers=HTML).headers["content-type"]
    answer = client.get("/graphql", params={"operationName": "Datasets"})
    assert answer.json()["data"]["datasets"]["totalCount"] == 0


@pytest.mark.parametrize("name", ["chunk-AB12.js", "layout.worker.js"])
def test_chunks_and_workers_are_served(static: Path, name: str) -> None:
    assert assets.asset(name, static=static).path == static / name


def test_a_file_is_sent_as_it_was_compressed_to_whoever_accepts_that(static: Path) -> None:
    for suffix in (".br", ".gz"):
        (static / f"explorer.js{suffix}").write_text("compressed")
    codings = {
        "gzip, deflate, br": "br",
        "gzip;q=1.0, br;q=0": "gzip",
        "GZIP": "gzip",
        "br;q=0.000": None,
        "identity": None,
        "": None,
    }
    for accepted, coding in codings.items():
        response = assets.asset("explorer.js", None, accepted, static)
        assert response.headers.get("content-encoding") == coding, accepted
        assert response.headers["content-type"].startswith("text/javascript")
        assert response.headers["vary"] == "Accept-Encoding"
    assert "content-encoding" not in assets.asset("graphiql.js", None, "br", static).headers


def test_browsers_keep_what_has_the_hash_of_its_content_and_nothing_else_for_ever(static: Path) -> None:
    (static / "chunk-3RNHDNP5.js").write_text("")
    name, _, version = assets.address("explorer.js", static).rpartition("/")[2].partition("?v=")
    kept = {
        (name, version): True,
        (name, "0123456789abcdef"): False,
        (name, None): False,
        ("chunk-3RNHDNP5.js", None): True,
    }
    for (file, asked), for_ever in kept.items():
        assert ("immutable" in assets.asset(file, asked, "", static).headers["cache-control"]) is for_ever
    (static / name).write_text("something else")
    assert assets.address("explorer.js", static).endswith(version) is False


def test_the_built_pages_load_quickly_over_a_slow_line(client: TestClient) -> None:
    """What the explorer's page needs for its first picture, compressed, takes 5 s over 1 Mbit/s."""
    html = client.get("/").text
    settings = json.loads(html.partition('id="settings">')[2].partition("</script>")[0])
    first = [*re.findall(r"(?:src|href)=\"(/[^\"]*)", html), settings["workers"]["layout"]]
    assert len(first) == 4
    size = 0
    for each in first:
        response = client.get(each, headers={"accept-encoding": "br"})
        assert (
            response.headers["content-encoding"] == "br" and "immutable" in response.headers["cache-control"]
        )
        size += int(response.headers["content-length"])
    assert size < 625_000


@pytest.mark.parametrize(
    "name", ["..%2fpage.py", "page.py", "sources.sha256", "%2e%2e/page.py", "%2e%2e%2fa.js"]
)
def test_nothing_but_the_assets_is_served(client: TestClient, name: str) -> None:
    assert client.get(f"{ASSETS}/{name}").status_code == 404
