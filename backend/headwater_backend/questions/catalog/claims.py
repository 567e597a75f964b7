"""Claims of callers about datasets of others, listed so that somebody can check them."""

from __future__ import annotations

from collections.abc import Iterator

from headwater_backend.domain import facet_readers, pages
from headwater_backend.domain.model import Claim, ClaimPlace, DatasetKey
from headwater_backend.domain.pages import MAX_PAGE, Page, page, size
from headwater_backend.ports import LineageStore, Names
from headwater_backend.questions import resolving


def claims(
    store: LineageStore, dataset: DatasetKey | None = None, first: int | None = None, after: str | None = None
) -> Page[Claim]:
    """A page of claims about a dataset, under any of its names, or about all. Raises ``BadQuestion`` and
    ``UnknownDataset``.
    """
    wanted = size(first, "claims")
    found = resolving.resolve_dataset(store, dataset) if dataset else None
    among = [found.key, *found.names] if found else None
    return page(store.claims(wanted + 1, _place(after), among), wanted)


def joins(store: Names) -> Iterator[tuple[Claim, DatasetKey]]:
    """Claims that a dataset has another name, with that name: lineage may end between them until somebody decides."""
    place: ClaimPlace | None = None
    while found := store.claims(MAX_PAGE, place):
        place = found[-1].place
        yield from ((claim, name) for claim in found for name in _names(claim))


def _names(claim: Claim) -> list[DatasetKey]:
    """The other names that the claim gives its dataset."""
    if claim.facet == "symlinks":
        return [DatasetKey(each["namespace"], each["name"]) for each in claim.body.get("identifiers") or ()]
    change = facet_readers.state_change(claim.body) if claim.facet == "lifecycleStateChange" else None
    return [change[1]] if change and change[0] == "RENAME" and change[1] else []


def cursor(claim: Claim) -> str:
    """The cursor of the list after this claim."""
    return pages.cursor(*claim.dataset, claim.by, claim.facet)


def _place(after: str | None) -> ClaimPlace | None:
    if not after:
        return None
    namespace, name, by, facet = pages.read_cursor(after, (str, str, str, str))
    return ClaimPlace(DatasetKey(namespace, name), by, facet)
