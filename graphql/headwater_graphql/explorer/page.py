"""The explorer's page, which draws lineage. It asks for all data itself, so that it is public and holds none."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Final

from starlette.responses import HTMLResponse

from headwater_backend.server.authentication import ASSETS
from headwater_graphql.explorer import assets

POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "worker-src 'self'",
        "style-src 'self'",
        "img-src 'self' data: blob:",
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
<title>Headwater</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{assets}/explorer.css">
</head>
<body>
<div id="explorer"><p class="loading">Headwater …</p></div>
<script type="application/json" id="settings">{settings}</script>
<script type="module" src="{assets}/explorer.js"></script>
</body>
</html>
"""


def page(static: Path = assets.STATIC) -> HTMLResponse:
    """Return the explorer's page, or a page with build instructions."""
    if not assets.built(static):
        return assets.missing()
    settings = json.dumps({"assets": ASSETS, "version": version("headwater")}).replace("<", "\\u003c")
    html = _PAGE.format(assets=ASSETS, settings=settings)
    return HTMLResponse(html, headers={"Content-Security-Policy": POLICY})
