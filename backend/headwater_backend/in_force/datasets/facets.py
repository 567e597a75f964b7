"""The newest state of each facet.

A facet's owner may have several names, each with a state of its own. The one of the latest event is in force, and at
the same microsecond the one with the greater digest; a facet whose newest state is that it was deleted is not there.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple


class FacetRow(NamedTuple):
    """A facet as stored; ``body`` is None where an event deleted it."""

    owner: str
    name: str
    time: int
    digest: str
    body: str | None


class StoredFacets(Mapping[str, Any]):
    """Facets by name, out of their texts. Each is decoded when it is read: most questions need few of many."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._decoded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._decoded:
            self._decoded[name] = json.loads(self._texts[name])
        return self._decoded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._texts

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def __repr__(self) -> str:
        return repr(dict(self))


def newest(rows: Iterable[FacetRow]) -> StoredFacets:
    """Each facet's newest state, by name, without deleted ones."""
    best: dict[str, FacetRow] = {}
    for row in rows:
        known = best.get(row.name)
        if known is None or (row.time, row.digest) > (known.time, known.digest):
            best[row.name] = row
    return StoredFacets({name: row.body for name, row in sorted(best.items()) if row.body is not None})
