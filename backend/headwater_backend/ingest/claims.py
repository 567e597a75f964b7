"""What callers say of datasets that are not theirs: kept and shown as claims, never applied.

What a dataset is called, what is in it, who owns it and what became of it is for those to say who may write its
namespace; that two names mean one dataset, for those who may write both. Everybody else only *claims* it. Agents do so
whenever they describe what they read, so an event is not refused for it: its lineage is stored, and the facets are kept
as facets whose owner is ``claim``, a blank, the dataset's key and the caller's name. No answer follows from them.

The paths that a claimed schema names are known as paths, like all that any job read: to know of more paths takes
nothing away from any answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from headwater_backend.domain.node_keys import claim_owner, dataset_of
from headwater_backend.domain.records import Batch, ChangeSeen, SymlinkSeen
from headwater_backend.domain.roles import Caller

_DATASET: Final = "dataset "


def with_claims(batch: Batch, caller: Caller) -> Batch:
    """The batch, in which what is not the caller's to say is its claim."""
    links = {link for link in batch.symlinks if not _may_join(caller, link.name, link.dataset)}
    changes = {change for change in batch.changes if not _may_change(caller, change)}
    renamed = _owners("symlinks", links) | _owners("lifecycleStateChange", changes)
    facets = {facet.key: facet for facet in batch.facets}
    for facet in batch.facets:
        is_own = not facet.owner.startswith(_DATASET) or _may_write(
            caller, facet.owner.removeprefix(_DATASET)
        )
        if not is_own or facet.key in renamed:
            claim = replace(facet, owner=claim_owner(facet.owner.removeprefix(_DATASET), caller.name))
            facets[claim.key] = claim
        if not is_own:
            del facets[facet.key]
    return replace(
        batch,
        facets=tuple(facets[key] for key in sorted(facets)),
        symlinks=tuple(link for link in batch.symlinks if link not in links),
        changes=tuple(change for change in batch.changes if change not in changes),
    )


def _owners(facet: str, records: set[SymlinkSeen] | set[ChangeSeen]) -> set[tuple[str, str]]:
    """The facets of that name from which the records were read."""
    return {(_DATASET + record.dataset, facet) for record in records}


def _may_change(caller: Caller, change: ChangeSeen) -> bool:
    return _may_join(caller, change.dataset, change.previous or change.dataset)


def _may_join(caller: Caller, *names: str) -> bool:
    return all(_may_write(caller, name) for name in names)


def _may_write(caller: Caller, dataset: str) -> bool:
    return caller.may_write(dataset_of(dataset).namespace)
