"""What callers said of datasets that are not theirs to describe: shown, so that somebody can look into it."""

from __future__ import annotations

from headwater_backend.cursors import made, read
from headwater_backend.model import Claim, ClaimPlace, DatasetKey
from headwater_backend.ports import LineageStore
from headwater_backend.questions import find
from headwater_backend.questions.pages import Page, page, size


def claims(
    store: LineageStore, dataset: DatasetKey | None = None, first: int | None = None, after: str | None = None
) -> Page[Claim]:
    """A page of what is claimed of a dataset, under any of its names, or of all. Raises ``BadQuestion`` and
    ``UnknownDataset``.
    """
    wanted = size(first, "claims")
    found = find.dataset(store, dataset) if dataset else None
    among = [found.key, *found.names] if found else None
    return page(store.claims(wanted + 1, _place(after), among), wanted)


def cursor(claim: Claim) -> str:
    """Where the list goes on behind this one."""
    return made(*claim.dataset, claim.by, claim.facet)


def _place(after: str | None) -> ClaimPlace | None:
    if not after:
        return None
    namespace, name, by, facet = read(after, (str, str, str, str))
    return ClaimPlace(DatasetKey(namespace, name), by, facet)
