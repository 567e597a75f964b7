"""The built files of the pages, and the HTML that loads them."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse

from headwater_backend.server.authentication import ASSETS

STATIC: Final = Path(__file__).parent / "static"
BUILD_COMMAND: Final = "make explorer"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+(\.worker)?\.(js|css)")

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{assets}/{name}.css">
</head>
<body>
<div id="{name}"><p class="loading">{loading}</p></div>
<script type="application/json" id="settings">{settings}</script>
<script type="module" src="{assets}/{name}.js"></script>
</body>
</html>
"""
_MISSING: Final = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Headwater explorer</title></head>
<body>
<h1>The explorer is not built</h1>
<p>GraphQL answers at <code>/graphql</code>, but the pages' assets are missing. Build them with</p>
<pre>{command}</pre>
<p>and reload this page. Installed wheels contain the assets.</p>
</body>
</html>
"""


def built(static: Path = STATIC) -> bool:
    """Return whether the assets exist."""
    return (static / "explorer.js").is_file()


def page(
    name: str, title: str, loading: str, settings: Mapping[str, Any], policy: str, static: Path
) -> HTMLResponse:
    """Return the page of the script and style with that name, or one with build instructions if assets are missing.

    The script reads its ``settings`` from the page, as JSON that cannot close its script element.
    """
    if not built(static):
        missing = _MISSING.format(command=BUILD_COMMAND)
        return HTMLResponse(missing, status_code=HTTPStatus.SERVICE_UNAVAILABLE)
    json_text = json.dumps({"assets": ASSETS, **settings}).replace("<", "\\u003c")
    html = _PAGE.format(title=title, name=name, loading=loading, assets=ASSETS, settings=json_text)
    return HTMLResponse(html, headers={"Content-Security-Policy": policy})


def asset(name: str, static: Path = STATIC) -> FileResponse:
    """Return one of the built scripts and styles; raises ``HTTPException`` (404) for other names."""
    if not _NAME.fullmatch(name) or not (static / name).is_file():
        raise HTTPException(HTTPStatus.NOT_FOUND, f"unknown asset {name!r}")
    return FileResponse(static / name, headers={"Cache-Control": "private, max-age=600"})
