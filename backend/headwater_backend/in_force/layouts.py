"""Layouts as stored: with which schemas jobs used a dataset."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar


class LayoutKind(NamedTuple):
    """A layout with which any job used a dataset."""

    dataset: str
    use: str
    digest: str


class LayoutRow(NamedTuple):
    """A layout as stored; ``replaced`` and ``replaced_last`` are when a write with it first and last replaced the
    dataset or a part of it, ``whole`` and ``whole_last`` when it certainly replaced all; of a read layout, when the
    reading run certainly replaced all of its outputs.
    """

    dataset: str
    use: str
    job: str
    digest: str
    first: int
    last: int
    replaced: int | None
    replaced_last: int | None
    whole: int | None
    whole_last: int | None


R = TypeVar("R", LayoutKind, LayoutRow)


def by_dataset(rows: Iterable[R], own: Mapping[str, str]) -> dict[str, list[R]]:
    """The rows of each dataset under all its names, by the canonical one."""
    groups: dict[str, list[R]] = defaultdict(list)
    for row in rows:
        groups[own.get(row.dataset, row.dataset)].append(row)
    return groups
