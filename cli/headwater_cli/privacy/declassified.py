"""Lines about declassified paths in answers on personal data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from headwater_cli.terminal.output import print_note

Answer = Mapping[str, Any]


def declassified(*answers: Answer) -> list[str]:
    """Return a line for each declassification at which personal data ended, in any of the answers."""
    found = (each for answer in answers for each in answer["classification"]["declassifications"])
    return list(dict.fromkeys(declassification_lines(found)))


def print_declassified(answer: Answer) -> None:
    """Print a note for each declassification at which personal data ended."""
    for line in declassified(answer):
        print_note(line)


def declassification_lines(found: Iterable[Answer]) -> Iterable[str]:
    """Return a line for each declassification: what, by whom, when and why."""
    for each in found:
        job = f" by {each['job']['name']}" if each["job"] else ""
        until = f" until {each['until'][:19]}" if each["until"] else ""
        yield (
            f"declassified: {each['node']['label']} of {each['node']['name']}{job}{until} "
            f"({each['by']}, {each['at'][:10]}: {each['reason']})"
        )
