"""The keys and addresses that an OpenID provider publishes, cached and fetched in the background.

Theory of operation
===================

``PublishedKeys.get`` answers from the cache and never waits. Where the keys are older than ``KEYS_SECONDS``, or the
key is unknown, a thread fetches them. A known key stays valid meanwhile, for ``STALE_SECONDS`` after the last fetch
that succeeded, also while the provider is unreachable. ``PublishedKeys.wait_for`` waits, in the event loop, until an
unknown key may have arrived.

Tokens can be forged, and the provider can hang, send slowly or send without end; so

* only one fetch runs at a time, with ``AGAIN_SECONDS`` between two of them, whatever the requests;
* a fetch has ``FETCH_SECONDS`` in all, from the look-up of the name to the last byte, for two documents of at most
  ``DOCUMENT_BYTES`` each;
* at most ``WAITING`` requests wait for a fetch, and hold no thread; further ones are refused, to be sent again.

``PublishedKeys.sign_in`` is where people sign in: two addresses of the same document, for the page. They are checked
like all others, since the page goes there, and its content policy names them.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

import anyio
import httpx
import jwt

from headwater_backend.access.addresses import is_loopback
from headwater_backend.access.outgoing import AnswerTooLarge, fetch, outgoing_client
from headwater_backend.domain.errors import HeadwaterError, NotAuthenticated

KEYS_SECONDS = 300.0
STALE_SECONDS = 3_600.0
AGAIN_SECONDS = 5.0
FETCH_SECONDS = 5.0
PAGE_SECONDS = 1.0
"""How long a page waits for a provider that has not answered yet."""
DOCUMENT_BYTES: Final = 1024 * 1024
WAITING: Final = 100
_SHOWN: Final = 200
"""The most characters of a provider's text in a message."""
_log = logging.getLogger(__name__)


class IssuerUnavailable(HeadwaterError):  # noqa: N818 - the name describes the condition
    """The keys of the OpenID provider could not be fetched."""

    code = "ISSUER_UNAVAILABLE"


class IssuerError(HeadwaterError):
    """The settings of the OpenID provider are invalid, or do not match its discovery document."""

    code = "ISSUER_INVALID"


class SignIn(NamedTuple):
    """The addresses of a provider at which a page has people sign in."""

    authorize: str
    token: str


class Published(NamedTuple):
    """What a provider publishes of itself."""

    keys: Mapping[str, jwt.PyJWK]
    """The keys for signatures, by their ids."""
    sign_in: SignIn | None
    """None where it names no usable addresses."""


class PublishedKeys:
    """The keys by which a provider signs tokens, by their ids. Thread-safe; fetched on first use."""

    def __init__(self, issuer: str) -> None:
        """Raise ``IssuerError`` for an address that anybody on the network could answer for."""
        _require_safe(issuer)
        self._issuer = issuer
        self._lock = threading.Lock()
        self._published = Published({}, None)
        self._fetched = self._next = float("-inf")
        self._failed = False
        self._fetch: Future[None] | None = None
        """The fetch that is running."""
        self._waiting = 0

    def get(self, kid: str) -> jwt.PyJWK:
        """The key of that id, if it is cached; raises ``NotAuthenticated`` or ``IssuerUnavailable``."""
        key = self._known(kid)
        fetch = self._begin() if key is None or self._age() > KEYS_SECONDS else None
        if key is not None:
            return key
        if fetch or self._failed:
            raise IssuerUnavailable("the keys of the identity provider are not available yet", "try again")
        raise NotAuthenticated("the token's key is not the identity provider's", "ask it for a new token")

    async def wait_for(self, kid: str) -> None:
        """Wait until the key is known, or the fetch has ended."""
        if not self._known(kid):
            await self._wait(FETCH_SECONDS)

    async def sign_in(self) -> SignIn | None:
        """Where people sign in; None while the provider does not say so. It waits for a page's time at most."""
        if self._age() > STALE_SECONDS:
            await self._wait(PAGE_SECONDS)
        elif self._age() > KEYS_SECONDS:
            self._begin()
        return self._published.sign_in if self._age() <= STALE_SECONDS else None

    async def _wait(self, seconds: float) -> None:
        """Wait until a fetch has ended, but no longer."""
        if self._waiting >= WAITING:
            return
        if fetch := self._begin():
            self._waiting += 1
            try:
                with anyio.move_on_after(seconds):
                    await asyncio.wrap_future(fetch)
            finally:
                self._waiting -= 1

    def _known(self, kid: str) -> jwt.PyJWK | None:
        return self._published.keys.get(kid) if self._age() <= STALE_SECONDS else None

    def _age(self) -> float:
        """Seconds since the last fetch that succeeded."""
        return time.monotonic() - self._fetched

    def _begin(self) -> Future[None] | None:
        """The running fetch, started if necessary; None shortly after another fetch."""
        with self._lock:
            if self._fetch is None and time.monotonic() >= self._next:
                fetch: Future[None] = Future()
                fetch.set_running_or_notify_cancel()  # who waits for it cannot cancel it
                threading.Thread(
                    target=self._run, args=(fetch,), name="fetch-issuer-keys", daemon=True
                ).start()
                self._fetch = fetch
            return self._fetch

    def _run(self, fetch: Future[None]) -> None:
        try:
            self._published, self._fetched = anyio.run(fetch_published, self._issuer), time.monotonic()
            self._failed = False
        except Exception as error:  # noqa: BLE001 - after any error, the next fetch may succeed
            self._failed = True
            expected = isinstance(error, IssuerError | httpx.HTTPError | httpx.InvalidURL)
            _log.warning(
                "the keys of %s cannot be fetched: %s",
                self._issuer,
                error,
                exc_info=None if expected else error,
            )
        finally:
            with self._lock:
                self._fetch, self._next = None, time.monotonic() + AGAIN_SECONDS
            fetch.set_result(None)


async def fetch_published(issuer: str) -> Published:
    """What the issuer publishes. Raises ``IssuerError`` and httpx's errors."""
    try:
        with anyio.fail_after(FETCH_SECONDS):
            return await _discover(issuer)
    except TimeoutError:
        raise IssuerError(f"it has not answered in full within {FETCH_SECONDS:g} s") from None


async def _discover(issuer: str) -> Published:
    async with outgoing_client() as client:
        found = await _document(client, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != issuer:
            raise IssuerError(f"{issuer} names itself {_shown(found.get('issuer'))}")
        address = str(found.get("jwks_uri"))
        _require_safe(address)
        keys = (await _document(client, address)).get("keys")
    if not isinstance(keys, list):
        raise IssuerError(f"{address} holds no keys")
    usable = (_usable(key) for key in keys if _for_signatures(key))
    return Published({key.key_id: key for key in usable if key and key.key_id}, _sign_in(found))


def _sign_in(found: Mapping[str, Any]) -> SignIn | None:
    """Where people sign in; None where it is not stated, or anybody on the network could answer there."""
    addresses = SignIn(str(found.get("authorization_endpoint", "")), str(found.get("token_endpoint", "")))
    if not any(addresses):
        return None
    try:
        for address in addresses:
            _require_safe(address)
    except IssuerError as error:
        _log.warning("nobody can sign in at the identity provider by the page: %s", error)
        return None
    return addresses


async def _document(client: httpx.AsyncClient, address: str) -> dict[str, Any]:
    try:
        found = json.loads(await _body(client, address))
    except (ValueError, RecursionError):
        raise IssuerError(f"{address} does not answer with JSON") from None
    if not isinstance(found, dict):
        raise IssuerError(f"{address} does not answer with a JSON object")
    return found


async def _body(client: httpx.AsyncClient, address: str) -> bytes:
    request = client.build_request("GET", address, headers={"Accept": "application/json"})
    try:
        return (await fetch(client, request, DOCUMENT_BYTES)).raise_for_status().content
    except AnswerTooLarge as error:
        raise IssuerError(f"{address}: {error}") from None


def _for_signatures(key: Any) -> bool:
    return (
        isinstance(key, dict)
        and isinstance(key.get("kid"), str)
        and key.get("use", "sig") == "sig"
        and key.get("kty") in {"RSA", "EC", "OKP"}
    )


def _usable(key: dict[str, Any]) -> jwt.PyJWK | None:
    """The key; None where it cannot be read: a kind that is not known yet must not end the use of all others."""
    try:
        return jwt.PyJWK(key)
    except (jwt.PyJWTError, ValueError, TypeError, KeyError) as error:
        _log.warning("the identity provider's key %s cannot be read: %r", _shown(key["kid"]), type(error))
        return None


def _require_safe(address: str) -> None:
    try:
        parts = urlsplit(address)
        safe = parts.scheme == "https" or (parts.scheme == "http" and is_loopback(parts.hostname or ""))
    except ValueError:
        safe = False
    if not safe:
        raise IssuerError(f"{_shown(address)} is not https", "anybody on the network could sign tokens")


def _shown(text: Any) -> str:
    return repr(text)[:_SHOWN]
