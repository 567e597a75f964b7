"""A digest of a store's graph, equal for equal graphs in stores of any sort.

Each row of ``contents`` is hashed by itself, and the hashes of a kind are added up: so neither the order of rows nor
the size of the store matters. What is computed from the records (other names, what is current) counts as well. The
audit log and the dead letters do not.

When, and from whom, records were received is left out on request: two stores to which the same events were sent at
different times are equal then, though not as they were known at a time.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from headwater_backend.ports import Contents

_MODULUS: Final = 2**256
BEFORE_RECEIPTS: Final[Mapping[str, int]] = {"run": 13, "io": 6, "change": 7, "observation": 9}
"""Of the kinds whose rows end with receipts, the length of a row without them."""


@dataclass(frozen=True, slots=True)
class GraphDigest:
    """``digest`` is of the whole; ``kinds`` has the digest and ``counts`` the number of rows of each kind."""

    digest: str
    counts: Mapping[str, int]
    kinds: Mapping[str, str]

    def differ(self, other: GraphDigest) -> list[str]:
        """The kinds in which the graphs are not equal."""
        return sorted(
            kind for kind in {*self.kinds, *other.kinds} if self.kinds.get(kind) != other.kinds.get(kind)
        )


def graph_digest(store: Contents, *, receipts: bool = True) -> GraphDigest:
    """The digest of all that is stored, with or without receipts, read in bounded memory."""
    lengths: Mapping[str, int] = {} if receipts else BEFORE_RECEIPTS
    sums: dict[str, int] = {}
    counts: Counter[str] = Counter()
    for row in store.contents():
        kind = row[0]
        hashed = hashlib.sha256(json.dumps(row[: lengths.get(kind)], separators=(",", ":")).encode()).digest()
        sums[kind] = (sums.get(kind, 0) + int.from_bytes(hashed, "big")) % _MODULUS
        counts[kind] += 1
    kinds = {kind: f"{total:064x}" for kind, total in sorted(sums.items())}
    return GraphDigest(hashlib.sha256(json.dumps(kinds).encode()).hexdigest(), counts, kinds)


def is_empty(store: Contents) -> bool:
    """Whether the store has no records."""
    return next(store.contents(), None) is None
