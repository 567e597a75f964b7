"""GraphiQL's page, for programmers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from starlette.responses import HTMLResponse

from headwater_graphql.explorer import assets
from headwater_graphql.queries import queries

# The editor creates style elements at run time, hence 'unsafe-inline' for styles; scripts only load from this server.
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self' 'unsafe-inline'",
        "font-src 'self' data:",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

_EXAMPLE_VARIABLES: Final[dict[str, dict[str, Any]]] = {
    "datasets": {"search": None, "first": 20},
    "backward": {"node": {"namespace": "file", "name": "/out/tweets", "path": ["user", "id_str"]}},
    "forward": {"node": {"namespace": "food_delivery", "name": "public.customers", "path": ["email"]}},
    "exposure": {"category": "user.contact"},
}


def page(static: Path = assets.STATIC) -> HTMLResponse:
    """Return the page, or a page with build instructions."""
    tabs = [
        {"query": queries()[name], "variables": json.dumps(variables, indent=2)}
        for name, variables in _EXAMPLE_VARIABLES.items()
    ]
    settings = {"url": "/graphql", "tabs": tabs}
    loading = "Headwater is loading GraphiQL …"
    return assets.page("graphiql", "Headwater GraphiQL", loading, settings, POLICY, static)
