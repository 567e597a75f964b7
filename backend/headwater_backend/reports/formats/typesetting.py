"""Typst in a process of its own: it keeps what it has laid out until its process ends, hundreds of megabytes a report.

The process is given the template, the texts and the rest on its standard input, and answers with the PDF.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from datetime import datetime
from typing import Final

from headwater_backend.domain import deadline
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.reports.formats.packages import require

_PROGRAM: Final = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import main; main()"
"""The modules are found where this process finds them, and not in the working folder."""


class NotTypeset(HeadwaterError):  # noqa: N818, the name describes the condition
    """Typst ended without a PDF."""

    code = "NOT_TYPESET"


def typeset(template: str, inputs: Mapping[str, str], made_at: datetime) -> bytes:
    """The PDF. Raises ``ReportsMissing`` without typst, ``NotTypeset``, and ``OutOfTime`` at the deadline."""
    require("typst", "PDF")
    given = json.dumps([template, inputs, made_at.isoformat()]).encode()
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

    template, inputs, made_at = json.load(sys.stdin.buffer)
    content = typst.compile(
        str(template).encode(),
        format="pdf",
        sys_inputs=inputs,
        timestamp=datetime.fromisoformat(made_at),
        pdf_standards=["a-3a", "ua-1"],
    )
    sys.stdout.buffer.write(content)
