"""Tokens of an identity provider that runs in a process of its own: which are taken, and which are not."""

from __future__ import annotations

import asyncio
import base64
import json
import time
from collections.abc import Iterator
from typing import Any

import anyio
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from headwater_backend.access import published_keys
from headwater_backend.access.published_keys import IssuerError, IssuerUnavailable
from headwater_backend.access.tokens import ClaimNames, Issuer
from headwater_backend.domain.errors import NotAuthenticated
from headwater_backend.domain.roles import Caller, Role
from kit.issuer import Provider, provider


@pytest.fixture(scope="module")
def people() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture
def issuer(people: Provider) -> Issuer:
    return Issuer(people.address, "headwater")


def caller(issuer: Issuer, token: str) -> Caller:
    """The caller of the token, after waiting for its key, as a request does."""
    anyio.run(issuer.wait_for_key, token)
    return issuer.caller(token)


def forged(people: Provider, algorithm: str, key: object, kid: str | None = None, **claims: object) -> str:
    now = int(time.time())
    usual = {
        "iss": people.address,
        "aud": "headwater",
        "sub": "mallory",
        "exp": now + 300,
        "roles": ["admin"],
    }
    headers = {"kid": kid or people.public_key()["kid"]}
    return jwt.encode({**usual, **claims}, key, algorithm, headers=headers)  # type: ignore[arg-type]


def test_a_valid_token_identifies_the_caller_and_its_rights(people: Provider, issuer: Issuer) -> None:
    token = people.token(roles=["auditor", "somebody else's"], headwater_namespaces=["prod"])
    found = caller(issuer, token)
    assert found.name == "token alice"
    assert found.roles == {Role.AUDITOR}
    assert found.may_write("prod") and not found.may_write("prod2")


@pytest.mark.parametrize(
    ("claim", "value"),
    [
        ("roles", "reader auditor"),
        ("realm_access", {"roles": ["reader", "auditor"]}),
        ("https://a.b/roles", ["reader", "auditor"]),
    ],
)
def test_roles_come_from_the_claim_that_is_named(people: Provider, claim: str, value: Any) -> None:
    name = "realm_access.roles" if claim == "realm_access" else claim
    issuer = Issuer(people.address, "headwater", ClaimNames(roles=name))
    assert caller(issuer, people.token(**{claim: value})).roles == {Role.READER, Role.AUDITOR}


def test_the_providers_names_stand_for_ours_and_ours_for_nothing_then(people: Provider) -> None:
    issuer = Issuer(people.address, "headwater", ClaimNames(role_names={"data-officers": Role.AUDITOR}))
    assert caller(issuer, people.token(roles=["data-officers", "admin"])).roles == {Role.AUDITOR}


@pytest.mark.parametrize(
    "claims",
    [
        {"audience": "somebody else"},
        {"iss": "https://elsewhere.example"},
        {"lasts": -120},
        {"nbf": 4_102_444_800},
        {"exp": None},
        {"sub": None},
        {"sub": "\ud800"},
        {"aud": None},
    ],
    ids=["wrong audience", "wrong issuer", "expired", "not yet", "no end", "nobody", "no text", "for nobody"],
)
def test_a_token_that_is_not_for_us_or_not_now_is_refused(
    people: Provider, issuer: Issuer, claims: dict[str, object]
) -> None:
    with pytest.raises(NotAuthenticated):
        caller(issuer, people.token(**claims))  # type: ignore[arg-type]


def test_a_token_without_a_signature_is_refused(people: Provider, issuer: Issuer) -> None:
    with pytest.raises(NotAuthenticated):
        caller(issuer, forged(people, "none", None))


def test_a_token_whose_algorithm_was_taken_off_is_refused(people: Provider, issuer: Issuer) -> None:
    _, payload, signature = people.token(roles=["admin"]).split(".")
    header = json.dumps({"alg": "none", "kid": people.public_key()["kid"]}).encode()
    for end in ("", signature):
        with pytest.raises(NotAuthenticated):
            caller(issuer, f"{base64.urlsafe_b64encode(header).decode().rstrip('=')}.{payload}.{end}")


def test_the_public_key_is_no_shared_secret(people: Provider, issuer: Issuer) -> None:
    """HS256 with the published key as the secret: whoever mixes the two up takes it."""
    with pytest.raises(NotAuthenticated):
        caller(issuer, forged(people, "HS256", people.public_key()["n"]))


def test_somebody_elses_signature_under_a_known_key_is_refused(people: Provider, issuer: Issuer) -> None:
    with pytest.raises(NotAuthenticated):
        caller(issuer, forged(people, "RS256", rsa.generate_private_key(65537, 2048)))


def test_a_changed_token_is_refused(people: Provider, issuer: Issuer) -> None:
    header, _, signature = people.token(roles=["reader"]).split(".")
    other = people.token(roles=["admin"]).split(".")[1]
    with pytest.raises(NotAuthenticated):
        caller(issuer, f"{header}.{other}.{signature}")


@pytest.mark.parametrize("text", ["", "a", "a.b", "a.b.c", "..", "ä.ö.ü", "\0.\0.\0", "e30.e30.e30"])
def test_what_is_no_token_is_refused(issuer: Issuer, text: str) -> None:
    with pytest.raises(NotAuthenticated):
        caller(issuer, text)


def test_an_unknown_key_has_us_ask_once_and_not_for_each_forged_token(
    people: Provider, issuer: Issuer
) -> None:
    caller(issuer, people.token())
    before = people.fetched()
    for number in range(5):
        with pytest.raises(NotAuthenticated):
            caller(
                issuer, forged(people, "RS256", rsa.generate_private_key(65537, 2048), f"unknown {number}")
            )
    assert people.fetched() - before <= 1


def test_a_new_key_is_found_and_the_old_one_ends(
    people: Provider, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_keys, "AGAIN_SECONDS", 0.5)
    old = people.token()
    caller(issuer, old)
    people.rotate()
    time.sleep(0.6)
    assert caller(issuer, people.token()).name == "token alice"
    with pytest.raises(NotAuthenticated):
        caller(issuer, old)


def test_known_keys_hold_while_the_provider_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published_keys, "AGAIN_SECONDS", 0.0)
    with provider() as running:
        issuer = Issuer(running.address, "headwater")
        token = running.token()
        caller(issuer, token)
    monkeypatch.setattr(published_keys, "KEYS_SECONDS", -1.0)
    assert caller(issuer, token).name == "token alice"
    monkeypatch.setattr(published_keys, "STALE_SECONDS", -1.0)
    with pytest.raises(IssuerUnavailable):
        caller(issuer, token)


def test_without_the_provider_tokens_cannot_be_checked(people: Provider) -> None:
    with pytest.raises(IssuerUnavailable):
        caller(Issuer("http://127.0.0.1:9", "headwater"), people.token())


def test_a_provider_that_names_itself_otherwise_is_not_believed(people: Provider) -> None:
    with pytest.raises(IssuerUnavailable):
        caller(Issuer(people.address.replace("127.0.0.1", "localhost"), "headwater"), people.token())


@pytest.mark.parametrize("address", ["http://login.example.org", "ftp://127.0.0.1", "file:///etc", ""])
def test_an_address_that_others_could_answer_for_is_refused(address: str) -> None:
    with pytest.raises(IssuerError):
        Issuer(address, "headwater")


@pytest.mark.parametrize("algorithm", ["none", "HS256"])
def test_algorithms_without_a_public_key_cannot_be_configured(people: Provider, algorithm: str) -> None:
    with pytest.raises(IssuerError):
        Issuer(people.address, "headwater", algorithms=(algorithm,))


def test_the_addresses_to_sign_in_at_are_found(people: Provider) -> None:
    found = asyncio.run(Issuer(people.address, "headwater").sign_in())
    assert found == (f"{people.address}/authorize", f"{people.address}/exchange")


def test_without_the_provider_nobody_can_sign_in_and_no_page_waits_long(
    people: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_keys, "PAGE_SECONDS", 0.1)
    people.behave("hang", at="/keys")
    try:
        issuer = Issuer(people.address, "headwater")
        began = time.monotonic()
        assert asyncio.run(issuer.sign_in()) is None
        assert time.monotonic() - began < published_keys.FETCH_SECONDS
    finally:
        people.behave(None, at="/keys")


def test_nobody_is_sent_to_sign_in_where_anybody_could_listen(
    people: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_keys, "PAGE_SECONDS", 5.0)
    people.behave("sign in elsewhere", at="/.well-known/openid-configuration")
    try:
        issuer = Issuer(people.address, "headwater")
        assert asyncio.run(issuer.sign_in()) is None
        assert caller(issuer, people.token()).name == "token alice"
    finally:
        people.behave(None, at="/.well-known/openid-configuration")
