"""The catalog: datasets, jobs, labels, and searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headwater_backend.domain.model import (
    Claim,
    ClaimPlace,
    Dataset,
    DatasetKey,
    DatasetPage,
    JobKey,
    NodeKey,
    PathSteps,
)
from headwater_backend.domain.node_keys import named_text, node_of, node_text
from headwater_backend.domain.pages import cursor, read_cursor
from headwater_backend.in_force.datasets.changes import counting
from headwater_backend.in_force.datasets.facets import FacetRow
from headwater_backend.stores import answers, claims, labels
from headwater_backend.stores.claims import ClaimRow
from headwater_backend.stores.rows.transaction import Transaction, column, with_facets


def get_datasets(tx: Transaction, keys: Sequence[DatasetKey]) -> dict[DatasetKey, Dataset]:
    """The datasets with their facets, other names and changes."""
    catalog, names = tx.statements.catalog, tx.statements.names
    texts = list(map(named_text, keys))
    rows = with_facets(tx, catalog.datasets, catalog.facets_of_datasets, keys=texts)
    own = sorted({row[1] for row, _ in rows})
    changes = counting(tx.rows(names.changes_of, keys=own))
    changed = sorted({change.of for change in changes})
    alive = column(tx.rows(names.alive, keys=changed)) if changed else ()
    others = tx.rows(names.aliases_of, keys=own)
    found = answers.datasets_of(keys, ((*row, facets) for row, facets in rows))
    return answers.with_states(found, others, changes, alive)


def datasets(tx: Transaction, search: str | None, first: int, after: str | None) -> DatasetPage:
    """A page of datasets, with the number of all."""
    statements = tx.statements.catalog
    text = (search or "").casefold()
    behind = DatasetKey(*read_cursor(after, (str, str))) if after else None
    ((total,),) = tx.rows(statements.found, search=text) if text else tx.rows(statements.total)
    rows = tx.rows(statements.page, search=text, **place(behind), count=first + 1) if first else ()
    items = tuple(get_datasets(tx, [DatasetKey(*row) for row in rows[:first]]).values())
    return DatasetPage(items, cursor(*items[-1].key) if items else None, len(rows) > first, total)


def dataset_keys(tx: Transaction) -> list[DatasetKey]:
    """All canonical keys, in order."""
    return [DatasetKey(*row) for row in tx.rows(tx.statements.catalog.dataset_keys)]


def paths(tx: Transaction, datasets: Sequence[DatasetKey]) -> dict[DatasetKey, list[PathSteps]]:
    """The paths of each dataset."""
    keys = list(map(named_text, datasets))
    return answers.paths_of(datasets, tx.rows(tx.statements.catalog.paths, keys=keys))


def datasets_like(tx: Transaction, text: str, first: int, after: DatasetKey | None) -> list[DatasetKey]:
    """Datasets by a part of their names."""
    wanted = {"text": text.lower(), "nul": labels.NUL, **place(after), "count": first}
    return [DatasetKey(*row) for row in tx.rows(tx.statements.catalog.datasets_like, **wanted)]


def jobs_like(tx: Transaction, text: str, first: int, after: JobKey | None) -> list[JobKey]:
    """Jobs by a part of their names."""
    wanted = {"text": text.lower(), "nul": labels.NUL, **place(after), "count": first}
    return [JobKey(*row) for row in tx.rows(tx.statements.catalog.jobs_like, **wanted)]


def paths_like(tx: Transaction, text: str, first: int, after: NodeKey | None) -> list[NodeKey]:
    """Paths by a part of their steps."""
    wanted = {
        "text": text.lower(),
        "piece": labels.in_the_key(text),
        "nul": labels.NUL,
        "after": node_text(after) if after else "",
        "count": first,
    }
    return [node_of(key) for (key,) in tx.rows(tx.statements.catalog.paths_like, **wanted)]


def labelled_datasets(tx: Transaction) -> Mapping[DatasetKey, Mapping[str, Any]]:
    """The labels of each dataset that has any."""
    return labels.of_datasets(_labels(tx, "dataset "), seen_aliases(tx))


def labelled_jobs(tx: Transaction) -> Mapping[JobKey, Mapping[str, Any]]:
    """The labels of each job that has any."""
    return labels.of_jobs(_labels(tx, "job "))


def tagged_fields(tx: Transaction) -> list[tuple[NodeKey, str, str]]:
    """All tags of fields."""
    rows = list(map(FacetRow._make, tx.rows(tx.statements.catalog.tags)))
    return answers.all_field_tags(rows, seen_aliases(tx))


def claimed(
    tx: Transaction, first: int, after: ClaimPlace | None, among: Sequence[DatasetKey] | None
) -> list[Claim]:
    """A page of claims."""
    wanted = claims.parameters(first, after, among)
    return [ClaimRow._make(row).claim() for row in tx.rows(tx.statements.catalog.claims, **wanted)]


def seen_aliases(tx: Transaction) -> dict[str, str]:
    """From other names of stored datasets to the canonical ones."""
    return dict(tx.rows(tx.statements.names.seen_aliases))


def place(after: DatasetKey | JobKey | None) -> dict[str, str | None]:
    """The parameters of a page in key order."""
    return {"namespace": after.namespace if after else None, "name": after.name if after else None}


def _labels(tx: Transaction, kind: str) -> list[FacetRow]:
    return list(map(FacetRow._make, tx.rows(tx.statements.catalog.labels, kind=kind)))
