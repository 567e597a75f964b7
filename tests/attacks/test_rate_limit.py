"""Somebody sends refused credentials, or another's address, so that others are locked out or nobody is counted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from headwater_backend.access.addresses import network_of
from headwater_backend.access.api_keys import new_key
from headwater_backend.domain.roles import Role
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from kit.issuer import provider
from kit.memory_store import MemoryStore

LIMIT = 3
INGRESS = "10.1.2.3"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


@pytest.fixture
def key(file: Path) -> str:
    return new_key(file, "reader", [Role.READER])[1]


@contextmanager
def server(*peers: str, **settings: Any) -> Iterator[list[TestClient]]:
    """A client at each of these addresses."""
    app = create_app(MemoryStore([]), Settings(failure_limit=f"{LIMIT}/hour", **settings))
    yield [TestClient(app, base_url="http://localhost", client=(peer, 50_000)) for peer in peers]


def statuses(
    client: TestClient, credential: str | None, times: int = 1, *, forwarded: str | bytes | None = None
) -> list[int]:
    given = {"authorization": credential and f"Bearer {credential}", "x-forwarded-for": forwarded}
    headers: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    return [client.get("/metrics", headers=headers).status_code for _ in range(times)]


def wrong(key: str) -> str:
    return key[:-1] + ("x" if key[-1] != "x" else "y")


def test_requests_without_a_key_lock_nobody_out(file: Path, key: str) -> None:
    with server("10.0.0.1", keys_file=file) as (client,):
        assert statuses(client, None, 5 * LIMIT) == [401] * 5 * LIMIT
        assert statuses(client, key) == [200]


def test_refused_keys_lock_no_valid_one_out(file: Path, key: str) -> None:
    guesses = ["hw_0123456789ab_guess", wrong(key), "eyJ.no.token", "hw_", "hw_____"]
    with server("10.0.0.1", keys_file=file) as (client,):
        for guess in guesses:
            assert set(statuses(client, guess, 5 * LIMIT)) <= {401, 429}
            assert statuses(client, key) == [200]


def test_refused_tokens_lock_no_valid_one_out() -> None:
    with (
        provider() as people,
        server("10.0.0.1", oidc_issuer=people.address, oidc_audience="headwater") as (client,),
    ):
        expired, valid = people.token(lasts=-600, roles=["reader"]), people.token(roles=["reader"])
        assert statuses(client, expired, LIMIT + 2) == [401] * LIMIT + [429] * 2
        assert statuses(client, valid, 5) == [200] * 5


def test_who_guesses_is_429_by_address_and_key(file: Path, key: str) -> None:
    with server("10.0.0.1", "10.0.0.2", keys_file=file) as (one, other):
        assert statuses(one, wrong(key), LIMIT + 1) == [401] * LIMIT + [429]
        unknown = [statuses(one, f"hw_{number:012x}_guess") for number in range(LIMIT + 1)]
        assert unknown == [[401]] * LIMIT + [[429]], "new ids are not counted apart"
        assert statuses(other, wrong(key)) == [401]


def test_an_address_that_is_claimed_is_not_believed(file: Path, key: str) -> None:
    """Also from loopback, where any program of this machine is."""
    for peer in ("10.0.0.1", "127.0.0.1"):
        with server(peer, keys_file=file) as (client,):
            tried = [statuses(client, wrong(key), forwarded=f"10.9.9.{n}")[0] for n in range(LIMIT + 1)]
        assert tried == [401] * LIMIT + [429]


@pytest.mark.parametrize("peer", [INGRESS, f"::ffff:{INGRESS}"])
def test_a_trusted_proxy_identifies_the_client(file: Path, key: str, peer: str) -> None:
    with server(peer, keys_file=file, trusted_proxies=("10.1.0.0/16",)) as (client,):
        assert statuses(client, wrong(key), LIMIT + 1, forwarded="1.1.1.1")[-1] == 429
        assert statuses(client, wrong(key), forwarded="1.1.1.2") == [401]
        claimed = [statuses(client, wrong(key), forwarded=f"8.8.8.{n}, 1.1.1.3")[0] for n in range(LIMIT + 1)]
        assert claimed == [401] * LIMIT + [429], "what the client itself sent is not believed"
        for odd in ("", ",", "x" * 5_000, "[::1", "1.1.1.1:port", "é"):
            assert statuses(client, key, forwarded=odd.encode("latin-1")) == [200]


@pytest.mark.parametrize("proxy", ["*", "ingress.example.org", "10.1.2.3/8", ""])
def test_a_proxy_is_an_address_or_a_network(proxy: str) -> None:
    with pytest.raises(ValidationError):
        Settings(trusted_proxies=(proxy,))  # type: ignore[arg-type]  # what the environment says


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("x" * 5_000, "unknown"),
        ("", "unknown"),
    ],
)
def test_a_machine_with_many_addresses_is_counted_as_one(address: str, network: str) -> None:
    assert network_of(address) == network
