"""GraphiQL's page, for programmers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from starlette.responses import HTMLResponse

from headwater_backend.server.authentication import ASSETS
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

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Headwater GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{assets}/graphiql.css">
</head>
<body>
<div id="graphiql"><p class="loading">Headwater is loading GraphiQL …</p></div>
<script type="application/json" id="settings">{settings}</script>
<script type="module" src="{assets}/graphiql.js"></script>
</body>
</html>
"""

_EXAMPLE_VARIABLES: Final[dict[str, dict[str, Any]]] = {
    "datasets": {"search": None, "first": 20},
    "backward": {"node": {"namespace": "file", "name": "/out/tweets", "path": ["user", "id_str"]}},
    "forward": {"node": {"namespace": "food_delivery", "name": "public.customers", "path": ["email"]}},
    "exposure": {"category": "user.contact"},
}


def page(static: Path = assets.STATIC) -> HTMLResponse:
    """Return the page, or a page with build instructions."""
    if not assets.built(static):
        return assets.missing()
    html = _PAGE.format(assets=ASSETS, settings=_settings())
    return HTMLResponse(html, headers={"Content-Security-Policy": POLICY})


def _settings() -> str:
    """Return the settings of the page's script as JSON that cannot close its script element."""
    tabs = [
        {"query": queries()[name], "variables": json.dumps(variables, indent=2)}
        for name, variables in _EXAMPLE_VARIABLES.items()
    ]
    return json.dumps({"url": "/graphql", "assets": ASSETS, "tabs": tabs}).replace("<", "\\u003c")
