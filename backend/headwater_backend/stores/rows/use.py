"""Use of datasets: which have no inputs, which exist, which nobody reads, and how their paths were read."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import datetime
from itertools import starmap
from typing import Any, Final

from headwater_backend.domain.facet_readers import Statistics, statistics
from headwater_backend.domain.layouts import Layout, layout_of
from headwater_backend.domain.model import DRIVER_NAMESPACE, DatasetKey, Reading, Unused
from headwater_backend.domain.moments import maybe_moment, micros
from headwater_backend.domain.node_keys import dataset_of, job_of, named_text
from headwater_backend.in_force import found, readings
from headwater_backend.in_force.copies import Copies
from headwater_backend.in_force.current import FOREVER
from headwater_backend.in_force.datasets import use
from headwater_backend.in_force.datasets.changes import counting, dropped
from headwater_backend.in_force.datasets.use import (
    Deciding,
    FarEnd,
    Input,
    Last,
    LastUse,
    Span,
    fed_by_edges,
    fed_by_runs,
    inputs_then,
    is_unread,
    last_used,
)
from headwater_backend.in_force.found import FirstUse, Found, Stated, found_by_writers, writing
from headwater_backend.in_force.readings import ManipulatedRow
from headwater_backend.ports.overview import CLOSED, Connection, Group, Grouped, OpenGroup, Wanted
from headwater_backend.stores.rows.catalog import place
from headwater_backend.stores.rows.current import chosen_at, deciding_at
from headwater_backend.stores.rows.history import StoredHistory
from headwater_backend.stores.rows.transaction import Transaction, column, moment_of

CANDIDATES_AT_ONCE: Final = 250
_IN: Final = "in "
"""Precedes the text of a place; that of a whole namespace is empty."""


def sources(
    tx: Transaction,
    first: int,
    after: DatasetKey | None,
    among: Sequence[DatasetKey] | None,
    as_of: datetime | None,
) -> list[DatasetKey]:
    """A page of the datasets without inputs."""
    some = None if among is None else list(map(named_text, among))
    at = moment_of(tx, as_of)

    def without_inputs(keys: list[str]) -> list[str]:
        fed = _fed(tx, keys, at)
        return [key for key in keys if key not in fed]

    return list(map(dataset_of, _page(tx, first, after, without_inputs, among=some, since=None)))


def _fed(tx: Transaction, keys: list[str], at: int | None) -> set[str]:
    """The datasets that others lead into; edges are only asked for where no run read another dataset."""
    statements, current = tx.statements.use, tx.statements.current
    own = dict(tx.rows(tx.statements.names.names_of, keys=keys))
    if at is None:
        deciding = list(starmap(Deciding, tx.rows(current.deciding, keys=keys)))
    else:
        deciding = deciding_at(tx, tx.rows(current.slots_among, keys=keys), at)
    inputs = map(Input._make, tx.rows(statements.inputs, runs=sorted({each.run for each in deciding})))
    found = fed_by_runs(deciding, inputs_then(inputs, FOREVER if at is None else at, tx.known), own)
    left = [each for each in deciding if own[each.output] not in found]
    edges = tx.rows(statements.far_ends, versions=sorted({each.version for each in left})) if left else ()
    return found | fed_by_edges(left, map(FarEnd._make, edges), own)


def _page(
    tx: Transaction,
    first: int,
    after: DatasetKey | None,
    chosen: Callable[[list[str]], list[str]],
    **wanted: Any,
) -> list[str]:
    """A page of the canonical datasets that are chosen of candidates, some of these at a time."""
    found: list[str] = []
    behind, count = after, max(first, CANDIDATES_AT_ONCE)
    while len(found) < first:
        rows = tx.rows(tx.statements.use.candidates, **place(behind), **wanted, count=count)
        keys = [named_text(DatasetKey(*row)) for row in rows]
        found += chosen(keys) if keys else ()
        if len(rows) < count:
            break
        behind = DatasetKey(*rows[-1])
    return found[:first]


def found_there(
    tx: Transaction, among: Sequence[DatasetKey] | None, as_of: datetime | None
) -> dict[DatasetKey, list[Layout]]:
    """The datasets that were read before they were written, or in which a run found what nobody is known to have
    written, and that may hold it, with the layouts with which they were read.
    """
    statements, at = tx.statements.use, FOREVER if as_of is None else micros(as_of)
    some = None if among is None else list(map(named_text, among))
    uses = map(FirstUse._make, tx.rows(statements.first_uses, among=some, at=at, received=tx.known))
    keys = found.found_there(uses, _found_by_writers(tx, some, at), Copies(StoredHistory(tx), at))
    layouts: dict[DatasetKey, list[Layout]] = {dataset_of(key): [] for key in keys}
    for key, text in tx.rows(statements.read_layouts, keys=keys, at=at) if keys else ():
        layouts[dataset_of(key)].append(layout_of(text))
    return layouts


def _found_by_writers(tx: Transaction, among: Sequence[str] | None, at: int) -> list[Found]:
    """What runs that wrote datasets found there, of nobody who is known."""
    statements, asked = tx.statements.use, {"at": at, "received": tx.known}
    keys = column(tx.rows(statements.of_others, among=among, **asked))
    if not keys:
        return []
    stated = map(Stated._make, tx.rows(statements.contents, keys=keys, **asked))
    rows = tx.rows(statements.writings, keys=keys, **asked)
    return found_by_writers(stated, (writing(row, _counted(text)) for *row, text in rows))


def _counted(text: str | None) -> Statistics:
    return statistics({"outputStatistics": json.loads(text)} if text else {})


def existing(tx: Transaction, keys: Sequence[DatasetKey], as_of: datetime | None) -> set[DatasetKey]:
    """The datasets that exist at that moment."""
    at = FOREVER if as_of is None else micros(as_of)
    rows = tx.rows(tx.statements.catalog.spans, keys=list(map(named_text, keys)))
    spans = [Span(asked, own, first) for asked, own, first, _ in rows]
    changes = counting(tx.rows(tx.statements.names.changes_of, keys=sorted({span.own for span in spans})))
    gone = dropped(changes, at)
    found = use.existing(spans, gone, _written(tx, gone, at) if gone else (), at)
    return {key for key in keys if named_text(key) in found}


def _written(tx: Transaction, keys: Sequence[str], at: int) -> set[str]:
    """The datasets that had lineage at that moment; ``keys`` are canonical."""
    names = dict(tx.rows(tx.statements.names.names_of, keys=list(keys)))
    slots = tx.rows(tx.statements.current.slots_among, keys=list(keys))
    outputs = {slot: output for slot, _, output in slots}
    return {names[outputs[slot]] for slot in chosen_at(tx, list(outputs), at)}


def unused(tx: Transaction, since: datetime, first: int, after: DatasetKey | None) -> list[Unused]:
    """A page of the datasets that nobody read since then."""
    known: dict[str, Last] = {}

    def unread(keys: list[str]) -> list[str]:
        rows = map(LastUse._make, tx.rows(tx.statements.use.last_used, keys=keys))
        known.update(dict.fromkeys(keys, Last()) | last_used(rows))
        return [key for key in keys if is_unread(known[key], micros(since))]

    keys = _page(tx, first, after, unread, among=None, since=micros(since))
    return [Unused(dataset_of(key), *map(maybe_moment, known[key])) for key in keys]


def read_paths(
    tx: Transaction, dataset: DatasetKey, since: datetime, until: datetime, most: int
) -> tuple[list[Reading], bool]:
    """How runs read the paths of the dataset, and whether these are all."""
    statements = tx.statements.use
    window = {"since": micros(since), "until": micros(until), "most": most}
    asked = {"dataset": named_text(dataset), **window}
    manipulated = list(map(ManipulatedRow._make, tx.rows(statements.manipulated, **asked)))
    versions = sorted({row.version for row in manipulated})
    return readings.readings(
        manipulated,
        tx.rows(statements.runs_of_versions, versions=versions, **window),
        tx.rows(statements.accessed, **asked),
        tx.rows(statements.stored, **asked),
        most,
    )


def grouped(tx: Transaction, wanted: Wanted) -> Grouped:
    """The first groups of all datasets, and the connections between them."""
    statements, most = tx.statements.use, wanted.most
    asked = {
        "opened": _prefixes(wanted.opened),
        "without": list(map(named_text, wanted.without)),
        "closed": list(wanted.closed),
        "closed_name": CLOSED,
    }
    groups = [
        _group(row, {CLOSED} if wanted.closed else set()) for row in tx.rows(statements.groups, **asked)
    ]
    shown = sorted(groups, key=lambda each: (each.size == 1, -each.size, each.namespace, each.place or ""))[
        : wanted.first
    ]
    between = {"numbers": _numbers(shown), "programs": DRIVER_NAMESPACE, "count": most + 1}
    rows = tx.rows(statements.connections, **asked, **between)
    connections = [Connection(source, target, jobs, job_of(job)) for source, target, jobs, job in rows[:most]]
    return Grouped(shown, connections, len(groups), sum(each.size for each in groups), len(rows) > most)


def _prefixes(opened: Iterable[OpenGroup]) -> dict[str, list[str]]:
    """The prefixes in each namespace, the longest first."""
    found: dict[str, list[str]] = defaultdict(list)
    for namespace, prefix in sorted(opened, key=lambda each: -len(each.prefix)):
        found[namespace].append(prefix)
    return dict(found)


def _group(row: tuple[str, str, int, str, str], unnamed: Set[str]) -> Group:
    namespace, place, size, first, last = row
    names = ("", "") if namespace in unnamed else (first, last)
    return Group(namespace, place[len(_IN) :] if place else None, size, *names)


def _numbers(groups: Iterable[Group]) -> Mapping[str, Mapping[str, Any]]:
    found: dict[str, dict[str, int]] = defaultdict(dict)
    for number, each in enumerate(groups):
        found[each.namespace]["" if each.place is None else _IN + each.place] = number
    return dict(found)
