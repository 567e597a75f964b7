"""Claims: facets from callers about datasets of others, which are kept and shown, never applied.

Only callers who may write a dataset's namespace decide on its name, content, owners and state; only callers who may
write two namespaces may join names in them. What anybody else reports is a *claim*. Agents make claims whenever they
describe their inputs, so an event is not refused for it: its lineage is stored, and the facets are kept as facets whose
owner is ``claim``, a blank, the dataset's key and the caller's name. Answers ignore them.

A run's parent counts where the caller may write the parent's namespace, because what a run did is counted for its
parent, too. Else the ``parent`` facet is kept as ``parentClaim``.

The paths of a claimed schema become known paths, like all paths that any job read: more known paths do not change any
answer otherwise. In which state a run read a dataset is its own to say, as it is that the run read it.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from headwater_backend.domain import facet_readers
from headwater_backend.domain.node_keys import claim_owner, dataset_of
from headwater_backend.domain.records import EMPTY, READ, Batch, ChangeSeen, FacetSeen, SymlinkSeen
from headwater_backend.domain.roles import Caller

_DATASET: Final = "dataset "


def with_claims(batch: Batch, caller: Caller) -> Batch:
    """The batch, with what the caller may not decide turned into claims."""
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
    for facet in batch.facets:
        if facet.name == "parent" and not _may_be_below(caller, facet):
            claim = replace(facet, name=facet_readers.PARENT_CLAIM)
            facets[claim.key] = claim
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


def _may_be_below(caller: Caller, parent: FacetSeen) -> bool:
    above = facet_readers.parent({parent.name: json.loads(parent.body)}) if parent.body else None
    return above is None or caller.may_write(above.job.namespace)


def _may_change(caller: Caller, change: ChangeSeen) -> bool:
    is_of_read = change.change in {READ, EMPTY}
    return is_of_read or _may_join(caller, change.dataset, change.former_name or change.dataset)


def _may_join(caller: Caller, *names: str) -> bool:
    return all(_may_write(caller, name) for name in names)


def _may_write(caller: Caller, dataset: str) -> bool:
    return caller.may_write(dataset_of(dataset).namespace)
