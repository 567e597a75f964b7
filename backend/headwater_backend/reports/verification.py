"""Whether a report's file is as it was written, and what has changed since.

A file is *intact* if the report that it holds has the hash that it names, and if the same report and imprint give
the same bytes again. The latter finds what was changed in the page or the PDF and not in the report within; it is only
known for a report of the same version of Headwater. Whoever can write a file can give it another hash, too: that the
report is *true* is found by asking the same question again, as of the same moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, Final

from headwater_backend.reports.document.canonical import Sealed, from_json, unsealed
from headwater_backend.reports.document.model import Imprint
from headwater_backend.reports.formats import archives, csv_files, html, pdf, spreadsheet
from headwater_backend.reports.formats.render import Format, render

_WORKBOOK = "xl/workbook.xml"
_NOT_COMPARED = frozenset({"version"})


@dataclass(frozen=True, slots=True)
class Verification:
    """What a file is, and whether it is intact.

    ``same_hash`` is whether the report has the hash that the file names, ``same_bytes`` whether it gives the same file
    again; None if that is not known, because another version of Headwater wrote it.
    """

    format: Format
    sealed: Sealed
    same_hash: bool
    same_bytes: bool | None

    @property
    def intact(self) -> bool:
        return self.same_hash and self.same_bytes is not False


def verify(content: bytes) -> Verification:
    """Whether the content of a file is intact. Raises ``ReportUnreadable``, and ``ReportsMissing``."""
    of, read = _format(content), sealed_in(content)
    imprint = read.imprint
    known = read.report.get("version") == version("headwater") and (imprint is not None or of is Format.JSON)
    same = _is_rendered(read, of, content) if known else None
    return Verification(of, read, read.intact, same)


def sealed_in(content: bytes) -> Sealed:
    """The report that a file of any format holds. Raises ``ReportUnreadable``."""
    return unsealed(_sealed(_format(content), content))


def _format(content: bytes) -> Format:
    """The format, by how the content begins."""
    if content.startswith(b"%PDF"):
        return Format.PDF
    if content.startswith(b"PK"):
        return Format.XLSX if _WORKBOOK in archives.names(content) else Format.CSV
    return Format.JSON if content.lstrip().startswith(b"{") else Format.HTML


def _sealed(of: Format, content: bytes) -> str:
    if of is Format.PDF:
        return pdf.sealed_in(content)
    if of is Format.XLSX:
        return spreadsheet.sealed_in(content)
    if of is Format.CSV:
        return csv_files.sealed_in(content)
    text = content.decode("utf-8", "replace")
    return text if of is Format.JSON else html.sealed_in(text)


def _is_rendered(read: Sealed, of: Format, content: bytes) -> bool:
    document = from_json(read.report)
    return render(document, read.imprint or Imprint(document.as_of, ""), of) == content


_GIVEN: Final = {"rules": "--rules", "policies": "--policy", "organisation": "--organisation"}
"""What a report is answered by beside the store, and does not hold itself, with the option that gives it."""


def other_settings(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """By which other rules, policies and statements the second report was answered, each as a line of text.

    Where there are any, the reports answer two questions, and nothing follows from what differs between them.
    """
    for name, option in _GIVEN.items():
        made, now = before["question"].get(name), after["question"].get(name)
        if made == now:
            continue
        if made is None:
            yield f"{name}: the report was made without any, and now there are some: ask without {option}"
        else:
            by = "none" if now is None else f"others ({now[:15]}…)"
            yield f"{name}: the report was made by {made[:15]}…, and now there are {by}: give the same {option}"


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """What differs between two reports, given as plain data, each as a line of text."""
    for name in sorted(before.keys() | after.keys()):
        if name not in _NOT_COMPARED and name != "sections" and before.get(name) != after.get(name):
            yield from _changed(name, before.get(name), after.get(name))
    old, new = _blocks(before), _blocks(after)
    for place in dict.fromkeys([*old, *new]):
        if place not in new:
            yield f"{place}: not there any more"
        elif place not in old:
            yield f"{place}: new"
        elif old[place] != new[place]:
            yield from _of_block(place, old[place], new[place])


def _blocks(report: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """The blocks of a report by where they are."""
    return {
        "/".join((section["key"], block["block"], str(block.get("key", number)))): block
        for section in report["sections"]
        for number, block in enumerate(section["blocks"])
    }


def _of_block(place: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    listed = {"table": "rows", "facts": "facts", "findings": "findings"}.get(before["block"])
    if listed is None or before["block"] != after["block"]:
        yield from _changed(place, before.get("text"), after.get("text"))
        return
    old, new = (list(map(_entry, each[listed])) for each in (before, after))
    yield from (f"{place}: - {entry}" for entry in old if entry not in new)
    yield from (f"{place}: + {entry}" for entry in new if entry not in old)
    if before.get("total") != after.get("total"):
        yield from _changed(f"{place}: number", before.get("total"), after.get("total"))


def _entry(entry: Any) -> str:
    """A row, a fact or a finding in a line."""
    if isinstance(entry, list):
        return " | ".join(" ".join(cell) if isinstance(cell, list) else str(cell) for cell in entry)
    if "term" in entry:
        return f"{entry['key']}: {', '.join(entry['values'])}"
    place, attribute = entry["place"], entry["attribute"]
    jobs = " → ".join(step["job"] for step in entry["steps"])
    forms = " ".join(entry["forms"])
    return f"{attribute['name']} {attribute['path']} in {place['name']} {place['path']}: {forms} by {jobs}"


def _changed(name: str, before: Any, after: Any) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted(before.keys() | after.keys()):
            if before.get(key) != after.get(key):
                yield f"{name}.{key}: {before.get(key)} → {after.get(key)}"
    else:
        yield f"{name}: {before} → {after}"
