"""The built files of the pages."""

from __future__ import annotations

import re
from http import HTTPStatus
from pathlib import Path
from typing import Final

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse

STATIC: Final = Path(__file__).parent / "static"
BUILD_COMMAND: Final = "make explorer"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+(\.worker)?\.(js|css)")

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


def missing() -> HTMLResponse:
    """Return the page with build instructions, for where the assets are missing."""
    return HTMLResponse(_MISSING.format(command=BUILD_COMMAND), status_code=HTTPStatus.SERVICE_UNAVAILABLE)


def asset(name: str, static: Path = STATIC) -> FileResponse:
    """Return one of the built scripts and styles; raises ``HTTPException`` (404) for other names."""
    if not _NAME.fullmatch(name) or not (static / name).is_file():
        raise HTTPException(HTTPStatus.NOT_FOUND, f"unknown asset {name!r}")
    return FileResponse(static / name, headers={"Cache-Control": "private, max-age=600"})
