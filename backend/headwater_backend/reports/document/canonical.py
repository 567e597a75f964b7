"""The canonical JSON of a document, its hash, and the way back.

Canonical JSON has sorted keys, no spaces, and only the escapes that JSON requires, in UTF-8: the same document has the
same bytes. A report's hash is the SHA-256 of these bytes. A *sealed* report is the document with its hash, and in
formats that print it, with its imprint.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from typing import Any, Final

from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.reports.document.model import (
    Block,
    Column,
    ColumnKind,
    Computed,
    Document,
    Fact,
    Facts,
    Finding,
    Findings,
    Flow,
    Flows,
    Imprint,
    Lines,
    Paragraph,
    Place,
    Section,
    Sides,
    Step,
    Table,
)

SCHEMA: Final = "headwater-report/1"
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_BLOCKS: Final[Mapping[str, type[Block]]] = {
    each.__name__.lower(): each for each in (Paragraph, Facts, Table, Findings, Flows, Sides, Lines)
}


class ReportUnreadable(HeadwaterError):  # noqa: N818, the name describes the condition
    """A file that is not a report, or not one of this schema."""

    code = "REPORT_UNREADABLE"


@dataclass(frozen=True, slots=True)
class Sealed:
    """A report as read: the document's JSON, the hash that the file names, and the imprint, if it has one."""

    report: Mapping[str, Any]
    hash: str
    imprint: Imprint | None

    @property
    def intact(self) -> bool:
        """Whether the hash is that of the document."""
        return self.hash == digest(self.report)


def canonical(value: Any) -> str:
    """The canonical JSON of plain data."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def digest(value: Any) -> str:
    """The SHA-256 of the canonical JSON, as ``sha256:…``."""
    return "sha256:" + hashlib.sha256(canonical(value).encode("utf-8", "surrogatepass")).hexdigest()


def as_json(document: Document) -> dict[str, Any]:
    """The document as plain data."""
    return {"schema": SCHEMA, **_plain(document)}


def sealed(document: Document, imprint: Imprint | None = None) -> str:
    """The document as canonical JSON with its hash, and the imprint if there is one.

    Surrogates are escaped, which JSON reads as the same text, because no encoding of a file has them.
    """
    report = as_json(document)
    more = {} if imprint is None else {"imprint": _plain(imprint)}
    text = canonical({"report": report, "hash": digest(report), **more})
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def unsealed(text: str) -> Sealed:
    """The parts of a sealed report. Raises ``ReportUnreadable``."""
    try:
        data = json.loads(text)
        report, found = data["report"], data["hash"]
        if report["schema"] != SCHEMA:
            raise ReportUnreadable(f"a report of the schema {report['schema']!r}, not {SCHEMA}")
        made = data.get("imprint")
        imprint = made and Imprint(datetime.fromisoformat(made["made_at"]), str(made["source"]))
    except (ValueError, TypeError, KeyError) as error:
        raise ReportUnreadable("the file holds no report of Headwater", "give the file as written") from error
    return Sealed(report, str(found), imprint)


def from_json(data: Mapping[str, Any]) -> Document:
    """The document out of its plain data. Raises ``ReportUnreadable``."""
    try:
        more = {
            name: data[name]
            for name in ("kind", "language", "title", "law", "version", "question", "complete", "classified")
        }
        sections = tuple(
            Section(
                each["key"],
                each["title"],
                tuple(map(_block, each["blocks"])),
                own_page=each.get("own_page", False),
            )
            for each in data["sections"]
        )
        return Document(as_of=datetime.fromisoformat(data["as_of"]), sections=sections, **more)
    except (ValueError, TypeError, KeyError) as error:
        raise ReportUnreadable(f"the report's content is damaged: {error}") from error


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        found = {each.name: _plain(getattr(value, each.name)) for each in fields(value)}
        kind = type(value).__name__.lower()
        return {"block": kind, **found} if kind in _BLOCKS else found
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    return value


def _block(data: Mapping[str, Any]) -> Block:
    given = {name: value for name, value in data.items() if name != "block"}
    kind = _BLOCKS[data["block"]]
    if kind is Facts:
        facts = tuple(Fact(each["key"], each["term"], tuple(each["values"])) for each in given["facts"])
        return Facts(given["key"], facts)
    if kind is Table:
        return Table(**{**given, "columns": _columns(given["columns"]), "rows": _rows(given["rows"])})
    if kind is Findings:
        return Findings(**{**given, "findings": tuple(map(_finding, given["findings"]))})
    if kind is Flows:
        flows = tuple(Flow(**{**each, "origin": tuple(each["origin"])}) for each in given["flows"])
        return Flows(given["key"], given["title"], flows)
    if kind is Sides:
        computed = tuple(Computed(**{**each, "inputs": tuple(each["inputs"])}) for each in given["computed"])
        return Sides(given["key"], given["title"], computed)
    if kind is Lines:
        return Lines(given["key"], tuple(given["labels"]))
    return Paragraph(**given)


def _columns(given: list[dict[str, Any]]) -> tuple[Column, ...]:
    return tuple(Column(**{**each, "kind": ColumnKind(each["kind"])}) for each in given)


def _rows(given: list[list[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(tuple(cell) if isinstance(cell, list) else cell for cell in row) for row in given)


def _finding(given: dict[str, Any]) -> Finding:
    return Finding(
        Place(**given["attribute"]),
        tuple(given["categories"]),
        Place(**given["place"]),
        tuple(given["forms"]),
        tuple(map(_step, given["steps"])),
        given["remark"],
    )


def _step(given: dict[str, Any]) -> Step:
    places = {"source": Place(**given["source"]), "target": Place(**given["target"])}
    return Step(**{**given, **places, "functions": tuple(given["functions"])})
