"""Status page at ``/status``: version, state of the store, and links. It loads no other files and runs no script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from html import escape
from importlib.metadata import version
from typing import Final

from starlette.responses import HTMLResponse

from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.ports import LineageStore

LETTERS: Final = 100
"""Dead letters are only counted up to this number."""
LINKS: Final = (
    ("/", "explorer", "lineage as a picture"),
    ("/graphql", "GraphiQL", "query lineage and exposure of personal data"),
    ("/health", "health", "health of the server and its store"),
    ("/metrics", "metrics", "metrics for Prometheus"),
    ("/openapi.json", "OpenAPI", "description of the HTTP endpoints"),
)
STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 3rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1.5rem; }
dd { margin: 0; }
code { overflow-wrap: anywhere; }
.away { color: #c22; font-weight: bold; }
"""
_DIGEST: Final = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        f"style-src 'sha256-{_DIGEST}'",
        "img-src data:",
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
<style>{style}</style>
</head>
<body>
<h1>Headwater</h1>
<p>Lineage of nested data that flows through Apache Spark. Version {version}.</p>
<h2>Store</h2>
<dl>
{store}
</dl>
<h2>Links</h2>
<dl>
{links}
</dl>
<p>Events of OpenLineage producers go to <code>POST /api/v1/lineage</code>. On the command line,
<code>headwater datasets --url</code> with this address lists all datasets.</p>
</body>
</html>
"""


def status_page(store: LineageStore) -> HTMLResponse:
    """Return the page; it blocks, because it reads the store."""
    links = (
        f'<dt><a href="{address}">{name}</a></dt><dd>{escape(about)}</dd>' for address, name, about in LINKS
    )
    facts = (f"<dt>{name}</dt><dd{mark}>{value}</dd>" for name, value, mark in _facts(store))
    html = _PAGE.format(
        style=STYLE, version=escape(version("headwater")), store="\n".join(facts), links="\n".join(links)
    )
    return HTMLResponse(html, headers={"Content-Security-Policy": POLICY})


def _facts(store: LineageStore) -> Iterator[tuple[str, str, str]]:
    """Yield name, value and HTML attributes of facts about the store."""
    try:
        datasets = store.datasets(first=0).total
        entries, _ = store.audit_end()
        letters = len(store.dead_letters(LETTERS + 1))
    except HeadwaterError:
        yield "state", "does not answer; see the server's log", ' class="away"'
        return
    yield "state", "answers", ""
    yield "datasets", f"{datasets:,}", ""
    yield "audit log entries", f"{entries:,}", ""
    yield "dead letters", f"{letters}" if letters <= LETTERS else f"more than {LETTERS}", ""
