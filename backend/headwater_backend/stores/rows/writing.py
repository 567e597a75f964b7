"""Merging a batch, within one transaction.

Runs are stored first, because their locks order writers about the same runs; those of the slots come after them, and
that of the audit log is the last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from headwater_backend.domain.model import Renamed
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.ports.decisions import Decisions
from headwater_backend.stores import dataset_names
from headwater_backend.stores.dataset_names import KnownNaming
from headwater_backend.stores.rows import audit, current, layouts, names
from headwater_backend.stores.rows.transaction import WritingTransaction


def apply(tx: WritingTransaction, batch: Batch, known: KnownNaming) -> None:
    """Merge the batch, compute what follows, and append its notes to the audit log."""
    runs = batch.run_keys()
    tx.write_records(batch)
    touched = names.write(tx, batch, known)
    fresh = tx.write_versions(batch.versions)
    tx.write_observations(batch.observations)
    current.keep(tx, runs)
    marked = current.choose(tx, batch, touched, fresh)
    if fresh:
        tx.write_edges([version for version in batch.versions if version.key in fresh], marked)
    layouts.write(tx, batch, touched)
    audit.append(tx, batch.notes)


def decide(
    tx: WritingTransaction, decisions: Callable[[Sequence[DecisionMade]], Batch], known: Decisions
) -> Sequence[Renamed]:
    """Merge what ``decisions`` returns for all previous ones, of which some are ``known``, and return the names that
    became another dataset's.
    """
    before = names.aliases(tx)
    apply(tx, decisions(names.known_decisions(tx, known)), KnownNaming())
    return dataset_names.renamed(before, names.aliases(tx))
