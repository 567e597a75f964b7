"""The built files of the pages, and the HTML that loads them.

An address of a page has the hash of the file's content, or its name has one, so that browsers keep it for ever. Files
are sent as the build has compressed them.
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
import re
from collections.abc import Mapping
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse

from headwater_backend.server.authentication import ASSETS

STATIC: Final = Path(__file__).parent / "static"
BUILD_COMMAND: Final = "make explorer"
_NAME: Final = re.compile(r"[A-Za-z0-9_-]+(\.worker)?\.(js|css)")
_HASHED_NAME: Final = re.compile(r".+-[A-Z0-9]{8}\.js")
_CODINGS: Final = {"br": ".br", "gzip": ".gz"}
"""The suffix of compressed files by the name of the coding, the smallest first."""
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_FOR_NOW: Final = "private, max-age=600"

_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{style}">
</head>
<body>
<div id="{name}"><p class="loading">{loading}</p></div>
<script type="application/json" id="settings">{settings}</script>
{ahead}<script type="module" src="{script}"></script>
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
    workers = {each.name.partition(".")[0]: address(each.name, static) for each in static.glob("*.worker.js")}
    json_text = json.dumps({"workers": workers, **settings}).replace("<", "\\u003c")
    style, script = (address(f"{name}.{kind}", static) for kind in ("css", "js"))
    parts = sorted(static.glob("chunk-*.js")) if name == "explorer" else ()
    ahead = "".join(f'<link rel="modulepreload" href="{ASSETS}/{part.name}">\n' for part in parts)
    html = _PAGE.format(
        title=title, name=name, loading=loading, style=style, ahead=ahead, script=script, settings=json_text
    )
    return HTMLResponse(html, headers={"Content-Security-Policy": policy})


def address(name: str, static: Path = STATIC) -> str:
    """Return the address of one of the files, with the hash of its content."""
    return f"{ASSETS}/{name}?v={_hash(static / name)}"


def asset(
    name: str, version: str | None = None, accept_encoding: str = "", static: Path = STATIC
) -> FileResponse:
    """Return one of the built scripts and styles, in a coding that the header accepts; raises ``HTTPException`` (404)
    for other names.

    Only content of that version, or of a name with a hash, may be kept for ever: a server that is being replaced by
    another one has other content.
    """
    path = static / name
    if not _NAME.fullmatch(name) or not path.is_file():
        raise HTTPException(HTTPStatus.NOT_FOUND, f"unknown asset {name!r}")
    kept = _HASHED_NAME.fullmatch(name) or (version is not None and version == _hash(path))
    headers = {"Cache-Control": _FOR_EVER if kept else _FOR_NOW, "Vary": "Accept-Encoding"}
    for coding, suffix in _CODINGS.items():
        compressed = static / f"{name}{suffix}"
        if _accepts(accept_encoding, coding) and compressed.is_file():
            path, headers["Content-Encoding"] = compressed, coding
            break
    return FileResponse(path, headers=headers, media_type=mimetypes.guess_type(name)[0])


def _accepts(accept_encoding: str, coding: str) -> bool:
    """Return whether the header names the coding, and not with a weight of nothing."""
    for wish in accept_encoding.lower().split(","):
        name, _, weight = wish.replace(" ", "").partition(";q=")
        if name == coding:
            return weight == "" or weight.strip("0.") != ""
    return False


def _hash(path: Path) -> str:
    if not path.is_file():
        return ""
    status = path.stat()
    return _hash_of(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _hash_of(path: Path, _changed: int, _size: int) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
