"""Layouts of datasets, and the ways and drifts between them (``in_force.drift``)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields
from typing import Any, Final

from headwater_backend.domain.model import PACKED, Drift
from headwater_backend.domain.node_keys import dataset_part
from headwater_backend.domain.records import Batch, LayoutSeen
from headwater_backend.in_force.among_readers import stand_ins
from headwater_backend.in_force.drift import Derived, DriftRow, ReadAsRow, derived, differing, read_otherwise
from headwater_backend.in_force.layouts import LayoutKind, LayoutRow
from headwater_backend.stores import answers
from headwater_backend.stores.rows.catalog import seen_aliases
from headwater_backend.stores.rows.transaction import Transaction, WritingTransaction, column

# Every batch has layouts, and ``asdict`` would copy their values, which takes ten times as long.
_FIELDS: Final = tuple(field.name for field in fields(LayoutSeen))


def drifts(tx: Transaction) -> list[Drift]:
    """The drifts of all datasets."""
    rows = map(DriftRow._make, tx.rows(tx.statements.layouts.all_drifts))
    return answers.drifts(rows, seen_aliases(tx))


def datasets(tx: Transaction) -> list[str]:
    """The names of all datasets that have layouts."""
    return column(tx.rows(tx.statements.layouts.of_datasets))


def write(tx: WritingTransaction, batch: Batch, names: Collection[str]) -> None:
    """Store the layouts of the batch, and compare those of their datasets and of datasets whose ``names`` may have
    changed.
    """
    tx.write(tx.statements.layouts.layout, map(_layout, batch.layouts))
    touched = {seen.dataset for seen in batch.layouts}.union(names)
    if not touched:
        return
    rows = tx.rows(tx.statements.layouts.kinds, names=sorted(touched))
    own = {name: key for key, name, *_ in rows}
    kinds = differing([LayoutKind(name, *kind) for _, name, each, *_ in rows for kind in each], own)
    known = any(drifts or ways for *_, drifts, ways in rows)
    if kinds or known:
        _replace(tx, sorted(touched.union(own)), _derived(tx, kinds, own), known=known)


def _derived(tx: Transaction, kinds: Collection[LayoutKind], own: Mapping[str, str]) -> Derived:
    if not kinds:
        return Derived()
    statements = tx.statements.layouts
    datasets = sorted({kind.dataset for kind in kinds})
    digests = sorted({kind.digest for kind in kinds})
    texts = dict(tx.rows(statements.texts, datasets=datasets, digests=digests))
    others = stand_ins(kinds, own, texts)
    read = read_otherwise(kinds, own, texts, others)
    if not read:
        return Derived()
    rows = tx.rows(statements.layouts, datasets=datasets, digests=read)
    return derived(map(LayoutRow._make, rows), own, texts, others)


def _replace(tx: WritingTransaction, names: list[str], found: Derived, *, known: bool) -> None:
    statements = tx.statements.layouts
    if known:
        ways = set(map(ReadAsRow._make, tx.rows(statements.ways, names=names)))
        drifts = set(map(DriftRow._make, tx.rows(statements.drifts, names=names)))
        if (ways, drifts) == (set(found.ways), set(found.drifts)):
            return
        tx.delete(statements.forget_ways, names=names)
        tx.delete(statements.forget_drifts, names=names)
    if statements.transformations:
        tx.write(statements.transformations, _transformations(found.ways))
    tx.write(statements.path, _packed_paths(found.ways))
    tx.write(statements.way, map(_way, found.ways))
    tx.write(statements.drift, (drift._asdict() for drift in found.drifts))


def _layout(seen: LayoutSeen) -> dict[str, Any]:
    return {name: getattr(seen, name) for name in _FIELDS}


def _transformations(ways: Iterable[ReadAsRow]) -> list[dict[str, Any]]:
    return [{"transformations": each} for each in sorted({way.transformations for way in ways})]


def _packed_paths(ways: Iterable[ReadAsRow]) -> list[dict[str, Any]]:
    """The ends of the ways inside texts, which no schema has."""
    ends = {end for way in ways for end in (way.source, way.target) if PACKED in end}
    return [{"key": end} for end in sorted(ends)]


def _way(row: ReadAsRow) -> dict[str, Any]:
    return {**row._asdict(), "dataset": dataset_part(row.target)}
