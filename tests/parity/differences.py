"""What two agents' column lineage differs in, and the page on it: each reason once, and the differences by job.

Reasons are filed in `reasons.json`: each, ``theirs wrong``, ``theirs coarser`` or ``ours wrong`` with a sentence, has
the keys of the differences that it is the reason of, from a whole job to one dependency.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

REASONS = Path(__file__).resolve().parent / "reasons.json"
UNEXPLAINED = "**unexplained**"


class Entry(NamedTuple):
    """One dependency; ``column`` is empty for one of the whole output."""

    job: str
    column: str
    source: str
    kind: str

    def __str__(self) -> str:
        return f"{self.column or '*'} ← {self.source}: {self.kind}"


class Difference(NamedTuple):
    """A dependency that one side alone has, under these settings of the official agent.

    ``key`` is what its reason is filed under, and empty if there is none.
    """

    entry: Entry
    side: str
    settings: tuple[str, ...]
    key: str


def filed_reasons(path: Path = REASONS) -> dict[str, str]:
    """The reason of each key, in the order of the file."""
    listed: dict[str, list[str]] = json.loads(path.read_text("utf-8"))
    return {key: reason for reason, keys in listed.items() for key in keys}


def differences(ours: set[Entry], theirs: dict[str, set[Entry]], filed: Iterable[str]) -> list[Difference]:
    """What one side alone has, sorted by job. It is one difference under all settings that have it for one reason."""
    settings: dict[tuple[Entry, str, str], list[str]] = {}
    for setting, found in theirs.items():
        for side, only in (("theirs only", found - ours), ("ours only", ours - found)):
            for entry in only:
                key = next((key for key in _keys(setting, side, entry) if key in filed), "")
                settings.setdefault((entry, side, key), []).append(setting)
    return sorted(
        Difference(entry, side, tuple(under), key) for (entry, side, key), under in settings.items()
    )


def _keys(setting: str, side: str, entry: Entry) -> list[str]:
    """What a reason may be filed under, the most exact first."""
    whole = f"{entry.column or '*'} <- {entry.source}: {entry.kind}"
    return [
        f"{side}, {setting}: {entry.job}: {whole}",
        f"{side}: {entry.job}: {whole}",
        f"{side}, {setting}: {entry.job}",
        f"{side}: {entry.job}",
        f"{side}, {setting}: {'*' if not entry.column else 'column'}: {entry.kind}",
        f"{side}: {'*' if not entry.column else 'column'}: {entry.kind}",
    ]


def summary(ours: set[Entry], theirs: dict[str, set[Entry]]) -> str:
    """How many dependencies there are, and how many of them both sides have."""
    jobs = len({entry.job for entry in ours})
    alike = (f"{len(found & ours)} of {len(found)} {setting}" for setting, found in theirs.items())
    return (
        f"{len(ours)} dependencies of ours over {jobs} jobs; the same in the official agent's:\n"
        f"{', '.join(alike)}."
    )


def page(summed: str, found: list[Difference], filed: dict[str, str]) -> str:
    """The page in Markdown: the reasons by number, and a row for what one side has of a job for one reason."""
    numbers = {reason: str(number) for number, reason in enumerate(dict.fromkeys(filed.values()), start=1)}
    return "\n".join(
        [
            *("# Parity with the official agent", "", summed, "", "## Reasons", ""),
            *("| number | reason of a difference | differences |", "|---|---|---|"),
            *(f"| {numbers[reason]} | {reason} | {count} |" for reason, count in _counts(found, filed)),
            *("", "## Differences", "", "Under both settings of the official agent, if none is named.", ""),
            *("| job | found by | dependencies | reason |", "|---|---|---|---|"),
            *_rows(found, {key: numbers[reason] for key, reason in filed.items()}),
        ]
    )


def _counts(found: list[Difference], filed: dict[str, str]) -> Iterator[tuple[str, int]]:
    reasons = [filed.get(each.key) for each in found]
    return ((reason, reasons.count(reason)) for reason in dict.fromkeys(filed.values()))


def _rows(found: list[Difference], number_of: dict[str, str]) -> Iterator[str]:
    settings = {setting for each in found for setting in each.settings}

    def place(each: Difference) -> tuple[str, str, str]:
        named = "" if set(each.settings) == settings else f", {' and '.join(each.settings)}"
        return each.entry.job, each.side + named, number_of.get(each.key, UNEXPLAINED)

    for (job, side, number), together in groupby(sorted(found, key=place), key=place):
        yield f"| {job} | {side} | {', '.join(f'`{each.entry}`' for each in together)} | {number} |"
