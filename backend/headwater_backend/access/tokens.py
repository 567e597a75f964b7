"""Tokens for people: JWTs that an OpenID provider signed.

What is checked: the signature, by a key that the issuer publishes; an asymmetric algorithm out of the configured ones,
and the one that this key is for; issuer, audience, and that the token has not expired or not begun. ``alg: none`` and
shared secrets are never taken.

The provider's keys are found by discovery (``/.well-known/openid-configuration``), kept for ``KEYS_SECONDS``, and
fetched again when a token names an unknown one, at most once in ``AGAIN_SECONDS``: providers rotate their keys, and
nobody may have us ask them for each forged token. While the provider is away, known keys hold for ``STALE_SECONDS``.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import httpx
import jwt

from headwater_backend.access.roles import Caller, Role, roles_named
from headwater_backend.addresses import is_loopback
from headwater_backend.errors import HeadwaterError, NotAuthenticated

KEYS_SECONDS = 300.0
AGAIN_SECONDS = 5.0
STALE_SECONDS = 3_600.0
LEEWAY_SECONDS = 30
FETCH_SECONDS = 5.0
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_REQUIRED = ["exp", "iss", "aud", "sub"]
_log = logging.getLogger(__name__)


class IssuerUnavailable(HeadwaterError):  # noqa: N818 - says what is the case
    """The OpenID provider does not tell its keys."""

    code = "ISSUER_UNAVAILABLE"


class IssuerError(HeadwaterError):
    """The settings of the OpenID provider make no sense, or what it tells of itself does not fit them."""

    code = "ISSUER_INVALID"


@dataclass(frozen=True)
class Claims:
    """Where a token says what its holder may. A claim's name may be a path: ``realm_access.roles``."""

    roles: str = "roles"
    namespaces: str = "headwater_namespaces"
    role_names: Mapping[str, Role] = field(default_factory=dict)
    """The provider's names for our roles; without any, ours are taken as they are."""

    def caller(self, claims: Mapping[str, Any]) -> Caller:
        names = _texts(_claim(claims, self.roles))
        roles = (
            frozenset(self.role_names[name] for name in names if name in self.role_names)
            if self.role_names
            else roles_named(names)
        )
        return Caller(f"token {claims['sub']}", roles, tuple(_texts(_claim(claims, self.namespaces))))


class Issuer:
    """An OpenID provider whose tokens are taken. Thread-safe; asks the provider when the first token comes."""

    def __init__(
        self, issuer: str, audience: str, claims: Claims | None = None, algorithms: Sequence[str] = ALGORITHMS
    ) -> None:
        """Raises ``IssuerError`` for an address that anybody on the way could answer for."""
        if unsafe := set(algorithms) - set(ALGORITHMS):
            raise IssuerError(f"not an asymmetric algorithm: {', '.join(sorted(unsafe))}")
        _require_safe(issuer)
        self._issuer = issuer
        self._audience = audience
        self._claims = claims or Claims()
        self._algorithms = frozenset(algorithms)
        self._lock = threading.Lock()
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched = self._tried = float("-inf")

    def caller(self, token: str) -> Caller:
        """Who the token speaks of; raises ``NotAuthenticated``, or ``IssuerUnavailable`` when nobody can say."""
        try:
            header = jwt.get_unverified_header(token)
            key = self._key(header.get("kid"))
            if key.algorithm_name not in self._algorithms:
                raise _refused()
            claims = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": _REQUIRED},
            )
        except (jwt.PyJWTError, ValueError) as error:
            _log.info("a token is refused: %s", type(error).__name__)
            raise _refused() from None
        return self._claims.caller(claims)

    def _key(self, kid: Any) -> jwt.PyJWK:
        if not isinstance(kid, str):
            raise _refused()
        with self._lock:
            now = time.monotonic()
            stale = now - self._fetched > KEYS_SECONDS
            if (stale or kid not in self._keys) and now - self._tried > AGAIN_SECONDS:
                self._tried = now
                self._refresh(now)
            if kid not in self._keys:
                if self._fetched < self._tried:
                    raise IssuerUnavailable("the identity provider does not answer", "try again")
                raise _refused()
            return self._keys[kid]

    def _refresh(self, now: float) -> None:
        try:
            self._keys = published_keys(self._issuer)
        except (httpx.HTTPError, IssuerError, ValueError) as error:
            _log.warning("the keys of %s cannot be had: %s", self._issuer, error)
            if now - self._fetched > STALE_SECONDS:
                self._keys = {}
        else:
            self._fetched = now


def published_keys(issuer: str) -> dict[str, jwt.PyJWK]:
    """The issuer's keys for signatures, by their ids. Raises ``IssuerError``, ``ValueError`` and httpx's."""
    with httpx.Client(timeout=FETCH_SECONDS, follow_redirects=False) as client:
        told = _document(client, f"{issuer.rstrip('/')}/.well-known/openid-configuration")
        if told.get("issuer") != issuer:
            raise IssuerError(f"{issuer} says that it is {told.get('issuer')!r}")
        address = str(told.get("jwks_uri"))
        _require_safe(address)
        keys = _document(client, address).get("keys")
    if not isinstance(keys, list):
        raise IssuerError(f"{address} holds no keys")
    return dict(_usable(key) for key in keys if _for_signatures(key))


def _document(client: httpx.Client, address: str) -> dict[str, Any]:
    found = client.get(address).raise_for_status().json()
    if not isinstance(found, dict):
        raise IssuerError(f"{address} does not answer with a JSON object")
    return found


def _for_signatures(key: Any) -> bool:
    return (
        isinstance(key, dict)
        and isinstance(key.get("kid"), str)
        and key.get("use", "sig") == "sig"
        and key.get("kty") in {"RSA", "EC", "OKP"}
    )


def _usable(key: dict[str, Any]) -> tuple[str, jwt.PyJWK]:
    try:
        return key["kid"], jwt.PyJWK(key)
    except jwt.PyJWTError as error:
        raise IssuerError(f"the key {key['kid']!r} cannot be read: {error}") from None


def _require_safe(address: str) -> None:
    parts = urlsplit(address)
    if parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname or "")):
        raise IssuerError(f"{address} is not https", "whoever is on the way could sign tokens")


def _refused() -> NotAuthenticated:
    return NotAuthenticated("the token is not valid", "it may be expired, or meant for somebody else")


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """The claim of that very name, else what the dotted path leads to."""
    if name in claims:
        return claims[name]
    found: Any = claims
    for step in name.split("."):
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def _texts(value: Any) -> list[str]:
    """A list of texts, or the words of one."""
    if isinstance(value, str):
        return value.split()
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
