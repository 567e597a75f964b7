"""The gate: from a bearer credential to a caller."""

from __future__ import annotations

from headwater_backend.access.api_keys import PREFIX, KeyFile
from headwater_backend.access.published_keys import SignIn
from headwater_backend.access.tokens import Issuer
from headwater_backend.domain.errors import NotAuthenticated
from headwater_backend.domain.roles import Caller, everything

NOBODY = everything("unauthenticated")
"""The caller where no authentication is configured: on loopback, the person at the machine."""

_HINT = "send `Authorization: Bearer KEY`, with an API key or a token of the identity provider"


class Gate:
    """Authentication by API keys and by tokens of an OpenID provider, whichever is configured."""

    def __init__(self, keys: KeyFile | None, issuer: Issuer | None) -> None:
        self.keys = keys
        self._issuer = issuer

    @property
    def open(self) -> bool:
        """Whether everybody has access, because nothing is configured."""
        return self.keys is None and self._issuer is None

    async def wait_for_key(self, authorization: str) -> None:
        """Wait until ``caller`` can authenticate that header, where the provider's keys have to be fetched first."""
        credential = _credential(authorization)
        if self._issuer and credential and not credential.startswith(PREFIX):
            await self._issuer.wait_for_key(credential)

    async def sign_in(self) -> SignIn | None:
        """Where the provider has people sign in; None without a provider, or while it does not say so."""
        return await self._issuer.sign_in() if self._issuer else None

    def key_id(self, authorization: str) -> str | None:
        """The id of the known API key in the header, with a right or wrong secret, or None."""
        return self.keys.known_id(_credential(authorization)) if self.keys else None

    def caller(self, authorization: str) -> Caller:
        """The caller who sends that header, without waiting; raises ``NotAuthenticated`` or ``IssuerUnavailable``."""
        if self.open:
            return NOBODY
        credential = _credential(authorization)
        if not credential:
            raise NotAuthenticated("no credential was sent", _HINT)
        if credential.startswith(PREFIX):
            if self.keys:
                return self.keys.caller(credential)
            raise NotAuthenticated("API keys are not accepted here", _HINT)
        if self._issuer:
            return self._issuer.caller(credential)
        raise NotAuthenticated("tokens are not accepted here", _HINT)


def _credential(authorization: str) -> str:
    """The credential after ``Bearer``, or an empty text."""
    scheme, _, credential = authorization.strip().partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else ""
