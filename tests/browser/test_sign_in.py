"""Signing in to the explorer: at a provider, or by a key; and what is seen by whom."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Page, Request, expect

from headwater_backend.access import tokens
from headwater_backend.access.api_keys import new_key, revoke
from headwater_backend.domain.roles import Role
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from kit import browser, identity_provider
from kit.identity_provider import AUDIENCE, CLIENT, Provider
from kit.openlineage import event
from kit.pipelines import fill_shop
from kit.servers import serving

PICTURE = "/?namespace=test&name=spending&level=dataset"
Open = Callable[[Settings], Page]


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[LineageStore]:
    """A filled store: who may see it has nothing to do with where it is kept."""
    store = open_store(f"sqlite:///{tmp_path}/lineage.db")
    fill_shop(store)
    yield store
    store.close()


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with identity_provider.provider() as running:
        running.roles = {"alice": ["steward"], "bob": ["reader"], "carol": []}
        yield running


@pytest.fixture
def open_page(chromium: Browser, shop: LineageStore) -> Iterator[Open]:
    """Opens a page of a server with these settings."""
    with ExitStack() as stack:

        def opened(settings: Settings) -> Page:
            address = stack.enter_context(serving(shop, settings))
            context = stack.enter_context(chromium.new_context(base_url=address, locale="en-GB"))
            page = context.new_page()
            page.set_default_timeout(15_000)
            return page

        yield opened


def at(provider: Provider, audience: str = AUDIENCE, **others: object) -> Settings:
    return Settings(
        oidc_issuer=provider.address,
        oidc_audience=audience,
        oidc_client_id=CLIENT,
        **others,  # type: ignore[arg-type]  # a mapping has one type of values for all its settings
    )


def sign_in(page: Page, name: str) -> None:
    page.get_by_role("button", name=re.compile("Sign in at 127.0.0.1")).click()
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Enter").click()


@contextmanager
def requests_of(page: Page) -> Iterator[list[Request]]:
    requests: list[Request] = []
    page.on("request", lambda request: requests.append(request))  # noqa: PLW0108 - it is to be a function
    yield requests


@pytest.mark.parametrize("audience", [AUDIENCE, CLIENT], ids=["access token", "ID token"])
def test_who_signs_in_at_the_provider_returns_to_the_picture(
    open_page: Open, provider: Provider, audience: str
) -> None:
    page = open_page(at(provider, audience))
    complaints = browser.Complaints(page, "http://127.0.0.1:")
    with requests_of(page) as requests:
        page.goto(PICTURE)
        sign_in(page, "alice")
        expect(page.get_by_role("region", name="dataset")).to_have_count(5)
        assert page.url.endswith(PICTURE)
    (asked,) = (each.url for each in requests if "/authorize" in each.url and each.method == "GET")
    query = parse_qs(urlsplit(asked).query)
    assert query["code_challenge_method"] == ["S256"] and query["nonce"] and query["state"]
    credential = page.evaluate("sessionStorage.getItem('headwater.credential')")
    assert credential.count(".") == 2
    addresses = [each.url for each in requests] + provider.asked
    assert not any(credential in each or "verifier" in each or "token=" in each for each in addresses)
    assert page.evaluate("sessionStorage.length") == 1
    assert complaints.received == []


def test_an_answer_that_nobody_asked_for_signs_nobody_in(open_page: Open, provider: Provider) -> None:
    page = open_page(at(provider))
    page.goto("/?code=stolen&state=guessed")
    expect(page.get_by_role("alert")).to_contain_text("did not ask to sign in")
    assert urlsplit(page.url).query == ""
    page.get_by_role("button", name=re.compile("Sign in at")).click()
    page.get_by_label("Name").wait_for()
    state = parse_qs(urlsplit(page.url).query)["state"][0]
    page.goto(
        f"{urlsplit(parse_qs(urlsplit(page.url).query)['redirect_uri'][0]).geturl()}?code=x&state={state}x"
    )
    expect(page.get_by_role("alert")).to_contain_text("did not ask to sign in")
    assert page.evaluate("sessionStorage.length") == 0


def test_who_is_refused_by_the_provider_reads_why(open_page: Open, provider: Provider) -> None:
    page = open_page(at(provider))
    page.goto(PICTURE)
    page.get_by_role("button", name=re.compile("Sign in at")).click()
    page.get_by_role("button", name="Deny").click()
    expect(page.get_by_role("alert")).to_contain_text("The identity provider refused")
    assert page.url.endswith(PICTURE)


def test_who_has_no_role_reads_which_it_takes(open_page: Open, provider: Provider) -> None:
    page = open_page(at(provider))
    page.goto("/")
    sign_in(page, "carol")
    expect(page.get_by_role("alert")).to_contain_text("that takes the role reader")


def test_a_refused_credential_is_replaced_above_the_picture(open_page: Open, tmp_path: Path) -> None:
    file = tmp_path / "keys.json"
    key, text = new_key(file, "first", [Role.READER])
    _, other = new_key(file, "second", [Role.READER])
    page = open_page(Settings(keys_file=file))
    page.goto(PICTURE)
    page.get_by_label("API key").fill("hw_wrong")
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.get_by_label("API key").fill(text)
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_role("region", name="dataset")).to_have_count(5)
    revoke(file, key.id)
    page.get_by_role("radio", name="Paths").check()
    dialog = page.get_by_role("dialog", name="Sign in")
    expect(dialog).to_contain_text("no longer accepts")
    dialog.get_by_label("API key").fill(other)
    dialog.get_by_role("button", name="Use this key").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_title("customer_hash")).to_be_visible()


def test_an_expired_token_asks_to_sign_in_again_and_keeps_the_picture(
    open_page: Open, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(provider, "lasts", 5)
    monkeypatch.setattr(tokens, "LEEWAY_SECONDS", 3600)  # the page has all the time that it needs to open
    page = open_page(at(provider))
    page.goto(f"{PICTURE}&way=backward&depth=1")
    sign_in(page, "alice")
    datasets = page.get_by_role("region", name="dataset")
    expect(datasets).to_have_count(2)
    page.get_by_role("button", name="Show what orders_enriched comes from").click()
    expect(datasets).to_have_count(4)
    first = page.evaluate("sessionStorage.getItem('headwater.credential')")
    time.sleep(max(0, _ends(first) - time.time()) + 1)
    monkeypatch.setattr(tokens, "LEEWAY_SECONDS", 0)
    page.get_by_role("radio", name="Paths").check()
    dialog = page.get_by_role("dialog", name="Sign in")
    expect(dialog).to_contain_text("Your sign-in expired at")
    expect(dialog).to_contain_text("what you were looking at stays")
    address = page.url
    monkeypatch.setattr(provider, "lasts", 300)
    sign_in(page, "alice")
    expect(page.get_by_role("region", name="dataset customers").get_by_title("person.mail")).to_be_visible()
    expect(datasets).to_have_count(4)
    assert page.url == address
    expect(dialog).to_have_count(0)
    assert page.evaluate("sessionStorage.getItem('headwater.credential')") != first


def _ends(token: str) -> float:
    """When a token expires, in seconds since 1970."""
    claims = token.split(".")[1]
    return float(json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))["exp"])


def test_who_signs_out_leaves_nothing(open_page: Open, tmp_path: Path) -> None:
    _, text = new_key(tmp_path / "keys.json", "reader", [Role.READER])
    page = open_page(Settings(keys_file=tmp_path / "keys.json"))
    page.goto(PICTURE)
    page.get_by_label("API key").fill(text)
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_role("region", name="dataset")).to_have_count(5)
    page.get_by_text("Settings").click()
    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_label("API key")).to_be_visible()
    expect(page.get_by_role("region", name="dataset")).to_have_count(0)
    assert page.evaluate("sessionStorage.length") == 0
    page.reload()
    expect(page.get_by_label("API key")).to_have_value("")


def test_news_arrive_by_a_key_that_no_address_holds_until_it_is_revoked(
    open_page: Open, shop: LineageStore, tmp_path: Path
) -> None:
    key, text = new_key(tmp_path / "keys.json", "reader", [Role.READER])
    page = open_page(Settings(keys_file=tmp_path / "keys.json"))
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.goto("/?view=runs")
    page.get_by_label("API key").fill(text)
    page.get_by_role("button", name="Use this key").click()
    expect(page.locator("output.live")).to_have_text("● Live")
    ingest(shop, [event("START", 100, "new", job="new job")])
    expect(page.get_by_role("row", name=re.compile("new job .* started"))).to_be_visible()
    assert [urlsplit(address)[2:] for address in sockets] == [("/graphql", "", "")] * len(sockets)
    revoke(tmp_path / "keys.json", key.id)
    ingest(shop, [event("START", 101, "newer", job="newer job")])
    expect(page.get_by_role("dialog", name="Sign in")).to_be_visible()
    expect(page.get_by_text("newer job")).to_have_count(0)


def test_a_reader_learns_whose_the_dead_letters_are(open_page: Open, provider: Provider) -> None:
    page = open_page(at(provider))
    page.goto("/?view=dead-letters")
    sign_in(page, "bob")
    expect(page.get_by_text("only stewards and administrators")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("that takes the role steward or admin")


def test_the_menu_offers_only_pages_that_would_not_be_refused(open_page: Open, tmp_path: Path) -> None:
    pages = {
        Role.READER: ["Picture", "Runs"],
        Role.STEWARD: ["Picture", "Classify", "Runs", "Dead letters"],
        Role.AUDITOR: ["Picture", "Matrix", "Findings", "Countries", "Runs"],
        Role.ADMIN: ["Picture", "Matrix", "Findings", "Countries", "Classify", "Runs", "Dead letters"],
    }
    keys = {role: new_key(tmp_path / "keys.json", role.value, [role])[1] for role in pages}
    page = open_page(Settings(keys_file=tmp_path / "keys.json"))
    for role, offered in pages.items():
        page.goto("/?view=runs")
        page.evaluate("sessionStorage.clear()")
        page.reload()
        page.get_by_label("API key").fill(keys[role])
        page.get_by_role("button", name="Use this key").click()
        expect(page.get_by_role("navigation").get_by_role("button")).to_have_text(offered)


def test_without_the_provider_the_page_opens_and_keys_work(open_page: Open, tmp_path: Path) -> None:
    _, text = new_key(tmp_path / "keys.json", "reader", [Role.READER])
    page = open_page(at(Provider("http://127.0.0.1:9"), keys_file=tmp_path / "keys.json"))
    page.goto(PICTURE)
    expect(page.get_by_role("alert")).to_contain_text("does not answer")
    page.get_by_label("API key").fill(text)
    page.get_by_role("button", name="Use this key").click()
    expect(page.get_by_role("region", name="dataset")).to_have_count(5)
