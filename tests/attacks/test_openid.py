"""An OpenID provider that hangs, drips or sends without end, while somebody sends forged tokens."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator

import anyio
import httpx
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from fastapi import FastAPI

from headwater_backend.access import published_keys
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from kit.issuer import DISCOVERY, MISBEHAVIOURS, Provider, provider
from kit.memory_store import MemoryStore

MANY = 150
PATIENCE, FOREVER = 20.0, 60.0
"""Seconds: a test fails after the first, and whoever waits for the provider until a fetch ends waits for the second."""
_FORGER = rsa.generate_private_key(65537, 2048)


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture
def people(running: Provider, monkeypatch: pytest.MonkeyPatch) -> Provider:
    monkeypatch.setattr(published_keys, "AGAIN_SECONDS", 0.0)
    monkeypatch.setattr(published_keys, "FETCH_SECONDS", 2.0)
    running.begin()
    return running


@pytest.fixture
def app(people: Provider) -> FastAPI:
    settings = Settings(oidc_issuer=people.address, oidc_audience="headwater", failure_limit="")
    return create_app(MemoryStore([]), settings)


def forged(people: Provider, kid: str) -> str:
    claims = {"iss": people.address, "aud": "headwater", "sub": "mallory", "exp": int(time.time()) + 300}
    return jwt.encode({**claims, "roles": ["admin"]}, _FORGER, "RS256", headers={"kid": kid})


class Visitor:
    """Sends requests to the application, and returns the answers' statuses."""

    def __init__(self, app: FastAPI) -> None:
        self._transport = httpx.ASGITransport(app)

    async def get(self, path: str, token: str = "") -> int:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        async with httpx.AsyncClient(transport=self._transport, base_url="http://localhost") as client:
            answer = await client.get(path, headers=headers)
        return answer.status_code


def visit(app: FastAPI, course: Callable[[Visitor], Awaitable[None]]) -> None:
    async def run() -> None:
        with anyio.fail_after(PATIENCE):
            await course(Visitor(app))

    anyio.run(run)


@pytest.mark.parametrize("at", ["/keys", DISCOVERY])
@pytest.mark.parametrize("how", ["hang", "drip the head", "drip the body"])
def test_nobody_waits_with_forged_tokens_for_a_provider_that_hangs(
    people: Provider, app: FastAPI, monkeypatch: pytest.MonkeyPatch, how: str, at: str
) -> None:
    valid = people.token(roles=["reader"])
    tokens = [forged(people, f"unknown {number}") for number in range(MANY)]

    async def course(visitor: Visitor) -> None:
        assert await visitor.get("/metrics", valid) == 200
        people.behave(how, at)
        monkeypatch.setattr(published_keys, "FETCH_SECONDS", FOREVER)
        async with anyio.create_task_group() as tasks:
            for token in tokens:
                tasks.start_soon(visitor.get, "/metrics", token)
            await anyio.sleep(0.5)
            for path, token in (
                ("/metrics", valid),
                ("/health", ""),
                ("/health/live", ""),
                ("/health/ready", ""),
            ):
                assert await visitor.get(path, token) == 200
            tasks.cancel_scope.cancel()

    visit(app, course)


@pytest.mark.parametrize("at", ["/keys", DISCOVERY])
@pytest.mark.parametrize("how", ["hang", "drip the head", "drip the body"])
def test_all_forged_tokens_are_refused_when_one_fetch_ends(
    people: Provider, app: FastAPI, monkeypatch: pytest.MonkeyPatch, how: str, at: str
) -> None:
    monkeypatch.setattr(published_keys, "FETCH_SECONDS", 1.0)
    refused: list[int] = []

    async def forge(visitor: Visitor, token: str) -> None:
        refused.append(await visitor.get("/metrics", token))

    async def course(visitor: Visitor) -> None:
        assert await visitor.get("/metrics", people.token(roles=["reader"])) == 200
        people.behave(how, at)
        async with anyio.create_task_group() as tasks:
            for number in range(MANY):
                tasks.start_soon(forge, visitor, forged(people, f"unknown {number}"))

    visit(app, course)
    assert len(refused) == MANY
    assert set(refused) <= {401, 503}


def test_the_provider_is_asked_once_however_many_keys_are_invented(
    people: Provider, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_keys, "AGAIN_SECONDS", 60.0)
    tokens = [forged(people, f"unknown {number}") for number in range(MANY)]
    statuses: set[int] = set()

    async def forge(visitor: Visitor, token: str) -> None:
        statuses.add(await visitor.get("/metrics", token))

    async def course(visitor: Visitor) -> None:
        async with anyio.create_task_group() as tasks:
            for token in tokens:
                tasks.start_soon(forge, visitor, token)
        statuses.add(await visitor.get("/metrics", tokens[0]))

    visit(app, course)
    assert people.asked() == 2
    assert statuses <= {401, 503}


@pytest.mark.parametrize("at", ["/keys", DISCOVERY])
@pytest.mark.parametrize("how", MISBEHAVIOURS)
def test_a_provider_that_answers_badly_is_503_until_it_answers_well(
    people: Provider, app: FastAPI, monkeypatch: pytest.MonkeyPatch, how: str, at: str
) -> None:
    monkeypatch.setattr(published_keys, "FETCH_SECONDS", 0.5)
    people.behave(how, at)
    token = people.token(roles=["reader"])

    async def course(visitor: Visitor) -> None:
        assert await visitor.get("/metrics", token) == 503
        assert await visitor.get("/health/ready") == 200
        people.behave(None, at)
        monkeypatch.setattr(published_keys, "FETCH_SECONDS", 5.0)
        while await visitor.get("/metrics", token) == 503:
            await anyio.sleep(0.05)
        assert await visitor.get("/metrics", token) == 200

    visit(app, course)


@pytest.mark.parametrize("how", MISBEHAVIOURS)
def test_known_keys_hold_whatever_the_provider_does(
    people: Provider, app: FastAPI, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    token = people.token(roles=["reader"])

    async def course(visitor: Visitor) -> None:
        assert await visitor.get("/metrics", token) == 200
        people.behave(how)
        monkeypatch.setattr(published_keys, "KEYS_SECONDS", -1.0)
        monkeypatch.setattr(published_keys, "FETCH_SECONDS", FOREVER)
        for _ in range(3):
            assert await visitor.get("/metrics", token) == 200
            await anyio.sleep(0.1)

    visit(app, course)


@pytest.mark.parametrize("how", ["large", "packed"])
def test_an_answer_without_end_takes_no_memory(people: Provider, app: FastAPI, how: str) -> None:
    token = people.token(roles=["reader"])
    people.behave(how)

    async def course(visitor: Visitor) -> None:
        assert await visitor.get("/metrics", token) == 503

    tracemalloc.start()
    visit(app, course)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20_000_000


def test_a_key_that_cannot_be_read_does_not_end_the_others(people: Provider, app: FastAPI) -> None:
    token = people.token(roles=["reader"])
    people.behave("odd keys")

    async def course(visitor: Visitor) -> None:
        assert await visitor.get("/metrics", token) == 200

    visit(app, course)


@pytest.mark.parametrize(
    "header", ["W10", "e30", "eyJraWQiOlsxXX0", "eyJraWQiOiJcdWQ4MDAifQ", "W1tb" * 12_000]
)
def test_a_header_of_a_token_can_be_anything(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, header: str
) -> None:
    """An array, no members, a key id that is a list or half a surrogate pair, and thousands of brackets."""
    monkeypatch.setattr(published_keys, "AGAIN_SECONDS", 60.0)

    async def course(visitor: Visitor) -> None:
        assert await visitor.get("/metrics", f"{header}.e30.e30") == 401

    visit(app, course)
