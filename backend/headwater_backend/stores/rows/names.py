"""Names of datasets: the decisions about them, the links that follow (``stores.dataset_names``), and canonical names
(``in_force.aliases``).

Where writers of several processes do not see each other's transactions, a batch of events may add a name while another
process stores a decision about it. The process that added the name finds with its next batch that the number of
decisions about names has grown (``KnownNaming.is_behind``), and computes all links again.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.node_keys import dataset_of
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.in_force.aliases import Link, canonical_names
from headwater_backend.names.decisions import is_about_names, standing
from headwater_backend.ports.decisions import Decisions
from headwater_backend.stores import dataset_names
from headwater_backend.stores.answers import folded
from headwater_backend.stores.dataset_names import DecidedLink, KnownNaming, ends_of, links_of, rule_links
from headwater_backend.stores.rows.current import all_links
from headwater_backend.stores.rows.transaction import Transaction, WritingTransaction, column


def decisions(tx: Transaction, since: int | None = None) -> list[DecisionMade]:
    """All decisions, or those after a time, oldest first."""
    return [DecisionMade(*row) for row in tx.rows(tx.statements.names.decisions, since=since)]


def known_decisions(tx: Transaction, known: Decisions) -> Decisions:
    """All decisions with the present names: those that are known already, if none were added and no name has changed.

    Decisions are never changed or deleted, so their number tells.
    """
    ((count,),) = tx.rows(tx.statements.names.count_of_decisions)
    canonical = aliases(tx) if count else {}
    if count == len(known) and canonical == known.canonical:
        return known
    return Decisions(_continued(tx, known, count), canonical)


def _continued(tx: Transaction, known: Decisions, count: int) -> Sequence[DecisionMade]:
    """All decisions, of which there are ``count``. Only later ones than are known are read, if these are all."""
    newer = decisions(tx, known[-1].time) if known and count > len(known) else []
    found = [*known, *newer]
    return found if len(found) == count else decisions(tx)


def names(tx: Transaction) -> dict[DatasetKey, DatasetKey]:
    """Each known name with the canonical one."""
    return dataset_names.names(column(tx.rows(tx.statements.names.seen)), aliases(tx))


def aliases(tx: Transaction) -> dict[str, str]:
    """From each name that is not canonical to the one that is."""
    return dict(tx.rows(tx.statements.names.aliases))


def write(tx: WritingTransaction, batch: Batch, known: KnownNaming) -> set[str]:
    """Store the changes and decisions of the batch, resolve the names of all datasets that they may concern, and return
    those names.
    """
    statements = tx.statements.names
    tx.write(statements.change, map(asdict, batch.changes))
    ((changed, count),) = tx.rows(statements.changed, runs=batch.run_keys())
    changed = [*changed, *((seen.dataset, seen.former_name) for seen in batch.changes)]
    linked = ((link.name, link.dataset) for link in batch.symlinks)
    found = {name for pair in (*changed, *linked) for name in pair if name}
    found |= _decide(tx, batch, count, known)
    return _follow(tx, found) if found else found


def settle(tx: WritingTransaction) -> None:
    """Compute again what follows from decisions about names, after names were deleted."""
    found = _relink(tx)
    if found:
        _follow(tx, found)


def _decide(tx: WritingTransaction, batch: Batch, count: int, known: KnownNaming) -> set[str]:
    """Store the decisions of the batch, link its names by those in force, and return the names whose links changed.

    ``count`` is the number of decisions about names before the batch.
    """
    if batch.decisions:
        rows = ({**asdict(made), "key": _digest(made.key)} for made in batch.decisions)
        tx.write(tx.statements.names.decide, rows)
        if any(map(is_about_names, batch.decisions)):
            return _relink(tx)
    behind = known.is_behind(count)
    naming = known.of(count, lambda: decisions(tx))
    if behind:
        return _relink(tx)
    if not naming:
        return set()
    found = dataset_names.names_in(batch)
    fresh = _link(tx, rule_links(naming, found))
    _keep(tx, column(tx.rows(tx.statements.names.nameless, names=sorted(found))))
    return ends_of(fresh)


def _relink(tx: WritingTransaction) -> set[str]:
    """Compute all links again, and return the names whose links changed."""
    statements = tx.statements.names
    wanted = links_of(standing(decisions(tx)), column(tx.rows(statements.known)))
    stored = {DecidedLink(*row) for row in tx.rows(statements.links)}
    tx.write(statements.forget_link, map(_row, sorted(stored - wanted)))
    _link(tx, wanted - stored)
    return ends_of(stored ^ wanted)


def _link(tx: WritingTransaction, links: Collection[DecidedLink]) -> list[DecidedLink]:
    """Store the links, and return those that are new."""
    rows = list(map(_row, sorted(links)))
    return [DecidedLink(*row) for row in tx.rows(tx.statements.names.link, rows=rows)] if rows else []


def _follow(tx: WritingTransaction, some: set[str]) -> set[str]:
    """Compute the canonical names in the components to which the names belong, and return all names in these."""
    statements = tx.statements.names
    links, around = all_links(tx, some)
    tx.delete(statements.forget_aliases, names=sorted(around))
    canonical = canonical_names(links)
    tx.write(statements.alias, ({"name": name, "canonical": own} for name, own in sorted(canonical.items())))
    _keep_nameless(tx, sorted(around), links, canonical)
    return around


def _keep_nameless(
    tx: WritingTransaction, around: list[str], links: Collection[Link], canonical: Mapping[str, str]
) -> None:
    """Keep an empty dataset for each canonical name among those ``around`` that needs one, and delete other empty
    ones.
    """
    statements = tx.statements.names
    tx.delete(statements.forget_nameless, names=around)
    seen = set(column(tx.rows(statements.seen_among, names=around)))
    _keep(tx, dataset_names.nameless(canonical, links, seen))


def _keep(tx: WritingTransaction, keys: Iterable[str]) -> None:
    named = ((key, dataset_of(key)) for key in keys)
    rows = ({"key": key, **dataset._asdict(), "folded": folded(dataset)} for key, dataset in named)
    tx.write(tx.statements.names.keep_nameless, rows)


def _row(link: DecidedLink) -> dict[str, Any]:
    return {**link._asdict(), "key": _digest(link)}


def _digest(parts: Iterable[object]) -> str:
    """A key of bounded length: an index may take no longer one, and names may be long."""
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()
