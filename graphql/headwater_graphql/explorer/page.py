"""Page and assets of the explorer."""

from __future__ import annotations

import json
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse

from headwater_backend.server.authentication import ASSETS
from headwater_graphql.queries import queries

STATIC = Path(__file__).parent / "static"
NAMES = frozenset({"explorer.js", "explorer.css", "editor.worker.js", "json.worker.js", "graphql.worker.js"})
BUILD_COMMAND = "make explorer"

# The editor creates style elements at run time, hence 'unsafe-inline' for styles; scripts only load from this server.
POLICY = "; ".join(
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

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Headwater explorer</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{assets}/explorer.css">
</head>
<body>
<div id="explorer"><p class="loading">Headwater is loading its explorer …</p></div>
<script type="application/json" id="settings">{settings}</script>
<script type="module" src="{assets}/explorer.js"></script>
</body>
</html>
"""

_MISSING = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Headwater explorer</title></head>
<body>
<h1>The explorer is not built</h1>
<p>GraphQL answers at this address, but the explorer's assets are missing. Build them with</p>
<pre>{command}</pre>
<p>and reload this page. Installed wheels contain the assets.</p>
</body>
</html>
"""

_EXAMPLE_VARIABLES: dict[str, dict[str, Any]] = {
    "datasets": {"search": None, "first": 20},
    "backward": {"node": {"namespace": "file", "name": "/out/tweets", "path": ["user", "id_str"]}},
    "forward": {"node": {"namespace": "food_delivery", "name": "public.customers", "path": ["email"]}},
    "exposure": {"category": "user.contact"},
}


def built(static: Path = STATIC) -> bool:
    """Return whether the assets exist."""
    return (static / "explorer.js").is_file()


def page(static: Path = STATIC) -> HTMLResponse:
    """Return the explorer page, or a page with build instructions."""
    if not built(static):
        missing = _MISSING.format(command=BUILD_COMMAND)
        return HTMLResponse(missing, status_code=HTTPStatus.SERVICE_UNAVAILABLE)
    html = _PAGE.format(assets=ASSETS, settings=_settings())
    return HTMLResponse(html, headers={"Content-Security-Policy": POLICY})


def asset(name: str, static: Path = STATIC) -> FileResponse:
    """Return one of the built files; raises ``HTTPException`` (404) for other names."""
    if name not in NAMES or not (static / name).is_file():
        raise HTTPException(HTTPStatus.NOT_FOUND, f"unknown asset {name!r}")
    return FileResponse(static / name, headers={"Cache-Control": "private, max-age=600"})


def _settings() -> str:
    """Return the settings of the page's script as JSON that cannot close its script element."""
    tabs = [
        {"query": queries()[name], "variables": json.dumps(variables, indent=2)}
        for name, variables in _EXAMPLE_VARIABLES.items()
    ]
    return json.dumps({"url": "/graphql", "assets": ASSETS, "tabs": tabs}).replace("<", "\\u003c")
