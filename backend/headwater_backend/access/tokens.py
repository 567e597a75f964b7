"""Tokens for people: JWTs that an OpenID provider signed.

The checks are: the signature, by a key that the issuer publishes; an asymmetric algorithm out of the configured ones,
and the one that this key is for; issuer, audience, and that the token has not expired or not begun. ``alg: none`` and
shared secrets are never accepted.

The provider's keys are found by discovery and fetched in the background, see ``published_keys``.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import jwt

from headwater_backend.access.published_keys import IssuerError, PublishedKeys, SignIn
from headwater_backend.domain.errors import NotAuthenticated
from headwater_backend.domain.roles import Caller, Role, roles_named

LEEWAY_SECONDS = 30
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_REQUIRED = ["exp", "iss", "aud", "sub"]
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ClaimNames:
    """The names of the claims with a token's rights. A name may be a path: ``realm_access.roles``."""

    roles: str = "roles"
    namespaces: str = "headwater_namespaces"
    role_names: Mapping[str, Role] = field(default_factory=dict)
    """The provider's names for our roles; without any, ours are used."""

    def caller(self, claims: Mapping[str, Any]) -> Caller:
        names = _texts(_claim(claims, self.roles))
        roles = (
            frozenset(self.role_names[name] for name in names if name in self.role_names)
            if self.role_names
            else roles_named(names)
        )
        return Caller(f"token {claims['sub']}", roles, tuple(_texts(_claim(claims, self.namespaces))))


class Issuer:
    """An OpenID provider whose tokens are accepted. Thread-safe."""

    def __init__(
        self,
        issuer: str,
        audience: str,
        claims: ClaimNames | None = None,
        algorithms: Sequence[str] = ALGORITHMS,
    ) -> None:
        """Raise ``IssuerError`` for an address that anybody on the network could answer for."""
        if unsafe := set(algorithms) - set(ALGORITHMS):
            raise IssuerError(f"not an asymmetric algorithm: {', '.join(sorted(unsafe))}")
        self._issuer = issuer
        self._audience = audience
        self._claims = claims or ClaimNames()
        self._algorithms = frozenset(algorithms)
        self._keys = PublishedKeys(issuer)

    async def wait_for_key(self, token: str) -> None:
        """Wait for the key that the token names, if it is unknown and the provider may have it."""
        if kid := _key_id(token):
            await self._keys.wait_for(kid)

    async def sign_in(self) -> SignIn | None:
        """Where people sign in; None while the provider does not say so."""
        return await self._keys.sign_in()

    def caller(self, token: str) -> Caller:
        """The caller of the token, by the cached keys.

        Raises ``NotAuthenticated``, or ``IssuerUnavailable`` when the keys are not available yet.
        """
        kid = _key_id(token)
        if not kid:
            raise _refused()
        key = self._keys.get(kid)
        if key.algorithm_name not in self._algorithms:
            raise _refused()
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=[key.algorithm_name],
                audience=self._audience,
                issuer=self._issuer,
                leeway=LEEWAY_SECONDS,
                options={"require": _REQUIRED},
            )
            claims["sub"].encode()  # the audit log cannot keep invalid Unicode
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            _log.info("a token is refused: %s", type(error).__name__)
            raise _refused() from None
        return self._claims.caller(claims)


def _key_id(token: str) -> str | None:
    """The id of the key in the token's header; None for an invalid token, or one without it."""
    try:
        kid = jwt.get_unverified_header(token).get("kid")
    except (jwt.PyJWTError, ValueError, RecursionError):
        return None
    return kid if isinstance(kid, str) else None


def _refused() -> NotAuthenticated:
    return NotAuthenticated("the token is not valid", "it may be expired, or issued for another audience")


def _claim(claims: Mapping[str, Any], name: str) -> Any:
    """The claim of exactly that name, else the value at the dotted path."""
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
