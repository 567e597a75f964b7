"""The gaps of an answer as text: by kind and place, with their number and what to do about each kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from headwater_cli.terminal.output import print_note

Gap = Mapping[str, Any]
PLACES: Final = 5
"""The number of datasets that are listed for a kind of gap."""


def print_gaps(answer: Mapping[str, Any]) -> None:
    """Print the gaps of the answer, and the cursor to continue a limited one."""
    print_grouped(answer["incomplete"])
    if answer.get("cursor"):
        print_note(f"more: --after {answer['cursor']}", wrap=False)


def print_grouped(gaps: Iterable[Gap], prefix: str = "") -> None:
    """Print the gaps, with a prefix to each kind."""
    for line in grouped(gaps, prefix):
        print_note(line)


def grouped(gaps: Iterable[Gap], prefix: str = "") -> Iterator[str]:
    """Yield the lines of the gaps: for each kind their number, the first datasets, and what to do."""
    kinds: dict[str, list[Gap]] = {}
    for each in gaps:
        kinds.setdefault(each["reason"], []).append(each)
    for reason, found in kinds.items():
        if len(found) == 1:
            yield f"{prefix}{gap_line(found[0])}"
        else:
            yield f"{prefix}incomplete: {reason}, {len(found):,} gaps"
            yield from _by_place(found)
        yield f"  what to do: {_remedy(reason)}"


def distinct(gaps: Iterable[Gap]) -> Iterator[Gap]:
    """Yield the gaps of several answers, each once."""
    seen = set()
    for each in gaps:
        key = each["reason"], each["namespace"], each["name"], *each["path"], each["detail"], str(each["job"])
        if key not in seen:
            seen.add(key)
            yield each


def gap_lines(answer: Mapping[str, Any]) -> list[str]:
    """Return a line for each gap in the answer."""
    return [gap_line(gap) for gap in answer["incomplete"]]


def gap_line(gap: Gap) -> str:
    """Return ``incomplete: OPAQUE at out y f(x)  by job``; gaps from limits of the query have no job."""
    return f"incomplete: {gap['reason']}{_at(gap)}"


def _by_place(gaps: Sequence[Gap]) -> Iterator[str]:
    places: dict[tuple[str, str], list[Gap]] = {}
    for each in gaps:
        places.setdefault((each["namespace"], each["name"]), []).append(each)
    for some in list(places.values())[:PLACES]:
        more = f"  and {len(some) - 1:,} more there" if len(some) > 1 else ""
        yield f" {_at(some[0])}{more}"
    if len(places) > PLACES:
        yield f"  and in {len(places) - PLACES:,} more datasets: --json lists all gaps"


def _at(gap: Gap) -> str:
    """Return where it is, what is known of it, and by which job: `` at out y f(x)  by job``."""
    place = f" at {gap['name']}" if gap["name"] else ""
    what = " ".join(filter(None, (place, ".".join(gap["path"]), gap["detail"])))
    return f" {what.strip()}" + (f"  by {gap['job']['name']}" if gap["job"] else "")


def _remedy(reason: str) -> str:
    from headwater_backend.reports.languages.catalogue import remedy

    return remedy(reason)
