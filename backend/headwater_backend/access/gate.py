"""The gate: a bearer credential in, a caller out."""

from __future__ import annotations

from headwater_backend.access.api_keys import PREFIX, KeyFile
from headwater_backend.access.tokens import Issuer
from headwater_backend.domain.errors import NotAuthenticated
from headwater_backend.domain.roles import Caller, everything

NOBODY = everything("unauthenticated")
"""Who asks where no authentication is configured: on loopback, the person at the machine."""

_HINT = "send `Authorization: Bearer KEY`, with an API key or a token of the identity provider"


class Gate:
    """Knows callers by their API keys and by tokens of an OpenID provider, whichever is configured."""

    def __init__(self, keys: KeyFile | None, issuer: Issuer | None) -> None:
        self.keys = keys
        self._issuer = issuer

    @property
    def open(self) -> bool:
        """Whether everybody is let in, because nothing is configured."""
        return self.keys is None and self._issuer is None

    async def wait_for_key(self, authorization: str) -> None:
        """Wait until ``caller`` can say who sends that header, where the provider has to be asked for a key first."""
        credential = _credential(authorization)
        if self._issuer and credential and not credential.startswith(PREFIX):
            await self._issuer.wait_for_key(credential)

    def key_id(self, authorization: str) -> str | None:
        """The id of the API key that the header names, be its secret right or wrong; None where there is none."""
        return self.keys.known_id(_credential(authorization)) if self.keys else None

    def caller(self, authorization: str) -> Caller:
        """Who sends that header, without waiting for anybody; raises ``NotAuthenticated`` or ``IssuerUnavailable``."""
        if self.open:
            return NOBODY
        credential = _credential(authorization)
        if not credential:
            raise NotAuthenticated("who asks is not said", _HINT)
        if credential.startswith(PREFIX):
            if self.keys:
                return self.keys.caller(credential)
            raise NotAuthenticated("API keys are not taken here", _HINT)
        if self._issuer:
            return self._issuer.caller(credential)
        raise NotAuthenticated("tokens are not taken here", _HINT)


def _credential(authorization: str) -> str:
    """What stands behind ``Bearer``; empty where nothing does."""
    scheme, _, credential = authorization.strip().partition(" ")
    return credential.strip() if scheme.lower() == "bearer" else ""
