"""The formats of reports, by the ends of the names of their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from headwater_cli.terminal.errors import CommandError

if TYPE_CHECKING:
    from headwater_backend.reports.document.model import Document
    from headwater_backend.reports.languages.catalogue import Language

Command = TypeVar("Command", bound=Callable[..., Any])

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
_OF_AN_ANSWER = {end: form for end, form in FORMATS.items() if form in {"html", "pdf", "xlsx", "csv", "json"}}
"""Those of a report that a command makes of its own answer."""


def format_of(out: Path, formats: Mapping[str, str], hint: str) -> str:
    """The format of the file's name. Raises ``CommandError``, with the hint, for an unknown one."""
    found = next((each for end, each in formats.items() if out.name.lower().endswith(end)), None)
    if found is None:
        raise CommandError("FILE", f"{out} has none of the ends {', '.join(formats)}", hint)
    return found


def report_options(what: str) -> Callable[[Command], Command]:
    """The file and the language of a report that a command makes of its own answer: ``of the split``."""
    ends = ".html, .pdf, .xlsx, .zip (CSV) or .json"
    file = click.option(
        "--report",
        type=click.Path(dir_okay=False, path_type=Path),
        help=f"Write a report {what} to this file, as its end says: {ends}.",
    )
    language = click.option(
        "--language",
        type=click.Choice(["en", "de"]),
        default="en",
        show_default=True,
        help="The report's language.",
    )
    return lambda command: file(language(command))


def form_of_answer(report: Path | None) -> str:
    """The format of such a file; empty without one. Raises ``CommandError`` for an unknown end, before any work."""
    return format_of(report, _OF_AN_ANSWER, "give it one of these") if report else ""


def rendered(make: Callable[[Language, datetime], Document], command: str, form: str, language: str) -> bytes:
    """The report that ``make`` gives in a language, as of now, in that format; it says that the command made it."""
    from headwater_backend.reports.document.model import Imprint
    from headwater_backend.reports.formats.render import Format, render
    from headwater_backend.reports.languages.catalogue import Language

    now = datetime.now(timezone.utc)
    return render(make(Language(language), now), Imprint(now, command), Format(form))
