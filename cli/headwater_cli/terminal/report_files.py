"""The formats of reports, by the ends of the names of their files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from headwater_cli.terminal.errors import CommandError

FORMATS = {
    ".html": "html",
    ".pdf": "pdf",
    ".xlsx": "xlsx",
    ".zip": "csv",
    ".prov.json": "prov-json",
    ".json": "json",
    ".jsonld": "dpv",
    ".ttl": "prov-o",
}
"""The format by the end of a file's name."""


def format_of(out: Path, formats: Mapping[str, str], hint: str) -> str:
    """The format of the file's name. Raises ``CommandError``, with the hint, for an unknown one."""
    found = next((each for end, each in formats.items() if out.name.lower().endswith(end)), None)
    if found is None:
        raise CommandError("FILE", f"{out} has none of the ends {', '.join(formats)}", hint)
    return found
