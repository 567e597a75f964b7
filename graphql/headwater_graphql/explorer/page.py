"""The explorer's page, which draws lineage. It asks for all data itself, so that it is public and holds none.

Its settings say how people sign in: by an API key, or at the identity provider, where the page is a public client. Its
policy lets it send requests to that provider's token endpoint, and to no other site. ``embedded`` is the same page with
the picture alone, for the frames of other sites' pages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse

from headwater_backend.access.gate import Gate
from headwater_backend.settings import Settings
from headwater_graphql.explorer import assets

_ORIGIN: Final = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+")


def page(static: Path = assets.STATIC, sign_in: Mapping[str, Any] | None = None) -> HTMLResponse:
    """Return the explorer's page, or a page with build instructions."""
    provider = ((sign_in or {}).get("provider") or {}).get("addresses") or {}
    return _page(static, policy(provider.get("token")), {"signIn": sign_in})


def embedded(settings: Settings, static: Path = assets.STATIC) -> HTMLResponse:
    """Return the page for frames; it only says whether people have to sign in, because a frame is no place to do so."""
    sign_in = {"keys": False, "provider": None} if settings.authenticates else None
    ancestors = " ".join(settings.embed_origins) or "'none'"
    return _page(static, policy(ancestors=ancestors), {"signIn": sign_in, "embedded": True})


async def sign_in(settings: Settings, gate: Gate) -> Mapping[str, Any] | None:
    """Return how people sign in to the page; None if nobody has to."""
    if not settings.authenticates:
        return None
    return {"keys": settings.keys_file is not None, "provider": await _provider(settings, gate)}


async def _provider(settings: Settings, gate: Gate) -> Mapping[str, Any] | None:
    """Return what the page needs for the provider, without addresses while it cannot be reached; None without one."""
    if not (settings.oidc_issuer and settings.oidc_client_id):
        return None
    addresses = await gate.sign_in()
    return {
        "issuer": settings.oidc_issuer,
        "client": settings.oidc_client_id,
        "scopes": settings.oidc_scopes,
        "algorithms": settings.oidc_algorithms,
        "idToken": settings.oidc_client_id == settings.oidc_audience,
        "addresses": addresses._asdict() if addresses and _origin(addresses.token) else None,
    }


def policy(token_address: str | None = None, ancestors: str = "'none'") -> str:
    """Return the content policy of a page that asks this server, and perhaps the identity provider, only."""
    provider = f" {_origin(token_address)}" if token_address else ""
    return "; ".join(
        (
            "default-src 'none'",
            "script-src 'self'",
            "worker-src 'self'",
            "style-src 'self'",
            "img-src 'self' data: blob:",
            f"connect-src 'self'{provider}",
            "base-uri 'none'",
            "form-action 'none'",
            f"frame-ancestors {ancestors}",
        )
    )


def _origin(address: str) -> str | None:
    """Return the address's origin; None if it has none that can be part of a policy."""
    parts = urlsplit(address)
    origin = f"{parts.scheme}://{parts.netloc}"
    return origin if _ORIGIN.fullmatch(origin) else None


def _page(static: Path, content_policy: str, settings: Mapping[str, Any]) -> HTMLResponse:
    values = {"version": version("headwater"), "embedded": False, **settings}
    return assets.page("explorer", "Headwater", "Headwater …", values, content_policy, static)
