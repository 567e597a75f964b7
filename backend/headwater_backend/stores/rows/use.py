"""Use of datasets: which have no inputs, which exist, which nobody reads, and how their paths were read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from headwater_backend.domain.layouts import Layout, layout_of
from headwater_backend.domain.model import DatasetKey, Reading, Unused
from headwater_backend.domain.moments import maybe_moment, micros
from headwater_backend.domain.node_keys import dataset_of, named_text
from headwater_backend.in_force import found, readings
from headwater_backend.in_force.copies import Copies
from headwater_backend.in_force.current import FOREVER
from headwater_backend.in_force.found import FirstUse
from headwater_backend.in_force.readings import MovedRow
from headwater_backend.stores import answers
from headwater_backend.stores.answers import ChangeRow
from headwater_backend.stores.rows.catalog import place
from headwater_backend.stores.rows.current import chosen_at, decided_at
from headwater_backend.stores.rows.history import StoredHistory
from headwater_backend.stores.rows.transaction import Transaction, moment_of


def sources(
    tx: Transaction,
    first: int,
    after: DatasetKey | None,
    among: Sequence[DatasetKey] | None,
    as_of: datetime | None,
) -> list[DatasetKey]:
    """A page of the datasets without inputs."""
    use, current = tx.statements.use, tx.statements.current
    some = None if among is None else list(map(named_text, among))
    wanted = {**place(after), "among": some, "count": first}
    at = moment_of(tx, as_of)
    if at is None:
        return [DatasetKey(*row) for row in tx.rows(use.sources, **wanted, at=FOREVER)]
    slots = tx.rows(current.slots) if some is None else tx.rows(current.slots_among, keys=some)
    rows = tx.rows(use.sources_then, **wanted, at=at, decided=decided_at(tx, slots, at))
    return [DatasetKey(*row) for row in rows]


def found_there(
    tx: Transaction, among: Sequence[DatasetKey] | None, as_of: datetime | None
) -> dict[DatasetKey, list[Layout]]:
    """The datasets that were read before they were written, and may hold what was read, with the layouts of then."""
    use, at = tx.statements.use, FOREVER if as_of is None else micros(as_of)
    some = None if among is None else list(map(named_text, among))
    uses = map(FirstUse._make, tx.rows(use.first_uses, among=some, at=at, received=tx.known))
    keys = found.found_there(uses, Copies(StoredHistory(tx), at))
    layouts: dict[DatasetKey, list[Layout]] = {dataset_of(key): [] for key in keys}
    for key, text in tx.rows(use.read_layouts, keys=keys, at=at) if keys else ():
        layouts[dataset_of(key)].append(layout_of(text))
    return layouts


def existing(tx: Transaction, keys: Sequence[DatasetKey], as_of: datetime | None) -> set[DatasetKey]:
    """The datasets that exist at that moment."""
    at = FOREVER if as_of is None else micros(as_of)
    spans = tx.rows(tx.statements.catalog.spans, keys=list(map(named_text, keys)))
    own = {asked: key for asked, key, first, _ in spans if first <= at}
    made = map(ChangeRow._make, tx.rows(tx.statements.names.changes_of, keys=sorted(set(own.values()))))
    gone = answers.dropped(row for row in made if row.time <= at)
    missing = {None, *gone} - (_written(tx, gone, at) if gone else set())
    return {key for key in keys if own.get(named_text(key)) not in missing}


def _written(tx: Transaction, keys: Sequence[str], at: int) -> set[str]:
    """The datasets that had lineage at that moment; ``keys`` are canonical."""
    names = dict(tx.rows(tx.statements.names.names_of, keys=list(keys)))
    slots = tx.rows(tx.statements.current.slots_among, keys=list(keys))
    outputs = {slot: output for slot, _, output in slots}
    return {names[outputs[slot]] for slot in chosen_at(tx, list(outputs), at)}


def unused(tx: Transaction, since: datetime, first: int, after: DatasetKey | None) -> list[Unused]:
    """A page of the datasets that nobody read since then."""
    statements = tx.statements.use
    wanted = {**place(after), "among": None, "since": micros(since), "count": first}
    keys = [DatasetKey(*row) for row in tx.rows(statements.unused, **wanted)]
    rows = tx.rows(statements.last_used, keys=list(map(named_text, keys)))
    used = {key: (read, written) for key, read, written in rows}
    return [Unused(key, *map(maybe_moment, used.get(named_text(key), (None, None)))) for key in keys]


def read_paths(
    tx: Transaction, dataset: DatasetKey, since: datetime, until: datetime, most: int
) -> tuple[list[Reading], bool]:
    """How runs read the paths of the dataset, and whether these are all."""
    statements = tx.statements.use
    window = {"since": micros(since), "until": micros(until), "most": most}
    asked = {"dataset": named_text(dataset), **window}
    moved = list(map(MovedRow._make, tx.rows(statements.moved, **asked)))
    versions = sorted({row.version for row in moved})
    return readings.readings(
        moved,
        tx.rows(statements.runs_of_versions, versions=versions, **window),
        tx.rows(statements.looked_at, **asked),
        tx.rows(statements.stored, **asked),
        most,
    )
