"""A report as one self-contained HTML page: it loads nothing, can be printed, and works without its script.

The page holds the sealed report, by which it can be verified. Its content security policy allows its own style and
script alone, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from headwater_backend.reports.document.canonical import ReportUnreadable, as_json, digest, sealed
from headwater_backend.reports.document.model import ColumnKind, Document, Imprint
from headwater_backend.reports.formats import annex, texts
from headwater_backend.reports.formats.delimited import seen
from headwater_backend.reports.formats.drawings.flows import draw_flows, flows_text
from headwater_backend.reports.formats.drawings.lineage import draw
from headwater_backend.reports.formats.drawings.sides import draw_sides, sides_text
from headwater_backend.reports.formats.scripts.breaking import isolated

if TYPE_CHECKING:
    from jinja2 import Environment

_BREAK: Final = re.compile(r"(?<=[/._:@-])(?=[^\W_]{2})|(?<=[^\W_]{24})(?=[^\W_]{8})")
"""Between the parts of a name, and in a very long part."""
_SEALED: Final = re.compile(r'<script type="application/json" id="report">(.*?)</script>', re.DOTALL)


def render(document: Document, imprint: Imprint) -> str:
    """The page."""
    words = texts.words_of(document)
    environment = _environment()
    style, script = _asset("report.css"), _asset("report.js")
    return environment.get_template("report.html.j2").render(
        document=document,
        imprint=imprint,
        words=words,
        texts=texts,
        annex=annex,
        draw=draw,
        draw_flows=draw_flows,
        flows_text=flows_text,
        draw_sides=draw_sides,
        sides_text=sides_text,
        numbers=ColumnKind.NUMBER,
        names=ColumnKind.NAME,
        hash=digest(as_json(document)),
        style=style,
        script=script,
        style_hash=_source(style),
        script_hash=_source(script),
        sealed=sealed(document, imprint).replace("<", "\\u003c"),
    )


def sealed_in(page: str) -> str:
    """The sealed report in a page. Raises ``ReportUnreadable``."""
    found = _SEALED.search(page)
    if not found:
        raise ReportUnreadable("the page holds no report of Headwater", "give the file as written")
    return found[1]


def _asset(name: str) -> str:
    return (resources.files(__package__) / "templates" / name).read_text("utf-8")


def _source(text: str) -> str:
    """The source expression of an inline style or script."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _finalized(value: object) -> object:
    """What a template shows, where names that read from right to left do not turn what is beside them."""
    return _apart(seen(value)) if type(value) is str else value


def _apart(text: str) -> str:
    return "".join(f"\u2068{part}\u2069" if apart else part for part, apart in isolated(text))


def _broken(text: str) -> Markup:
    """The text with places where a long name may be broken, which are no characters of it."""
    return Markup("<wbr>").join(_BREAK.split(_apart(seen(text))))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined  # noqa: PLC0415 - for pages alone

    environment = Environment(
        loader=PackageLoader("headwater_backend.reports.formats"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["broken"] = _broken
    return environment
