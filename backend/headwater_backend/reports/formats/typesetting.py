"""Typst in a process of its own: it keeps what it has laid out until its process ends, hundreds of megabytes a report.

The process is given the template, the texts and the rest on its standard input, and answers with the PDF.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from headwater_backend.domain import deadline
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.reports.formats.packages import require
from headwater_backend.reports.formats.scripts.glyphs import font_folders

_PROGRAM: Final = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import main; main()"
"""The modules are found where this process finds them, and not in the working folder."""


class NotTypeset(HeadwaterError):  # noqa: N818, the name describes the condition
    """Typst ended without a PDF."""

    code = "NOT_TYPESET"


def typeset(
    template: str, inputs: Mapping[str, str], made_at: datetime, files: Mapping[str, bytes] | None = None
) -> bytes:
    """The PDF; the template finds the ``files`` by their names.

    Raises ``ReportsMissing`` without typst or fonts, ``NotTypeset``, and ``OutOfTime`` at the deadline.
    """
    require("typst", "PDF")
    coded = {name: base64.b64encode(content).decode("ascii") for name, content in (files or {}).items()}
    fonts = list(map(str, font_folders()))
    given = json.dumps([template, inputs, made_at.isoformat(), coded, fonts]).encode()
    limit = deadline.current()
    try:
        ended = subprocess.run(
            [sys.executable, "-c", _PROGRAM, *sys.path],
            input=given,
            capture_output=True,
            check=False,
            timeout=limit.remaining() if limit else None,
        )
    except subprocess.TimeoutExpired as error:
        assert limit is not None  # noqa: S101 - without one there is no time limit
        raise limit.error() from error
    if ended.returncode:
        last = ended.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        raise NotTypeset(
            f"the PDF could not be made: typst ended with {ended.returncode}" + (f": {last}" if last else ""),
            "ask for fewer rows, or for another format, such as HTML",
        )
    return ended.stdout


def main() -> None:
    """Typeset what standard input describes."""
    import typst  # noqa: PLC0415 - for this process alone

    template, inputs, made_at, coded, fonts = json.load(sys.stdin.buffer)
    with tempfile.TemporaryDirectory() as root:
        for name, content in coded.items():
            (Path(root) / name).write_bytes(base64.b64decode(content))
        made = typst.compile(
            str(template).encode(),
            format="pdf",
            root=root,
            font_paths=fonts,
            ignore_system_fonts=True,
            sys_inputs=inputs,
            timestamp=datetime.fromisoformat(made_at),
            pdf_standards=["a-3a", "ua-1"],
        )
    sys.stdout.buffer.write(made)
