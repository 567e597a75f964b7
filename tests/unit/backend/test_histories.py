"""What a dataset really holds after any history is listed, or a gap says that it is not known."""

from __future__ import annotations

import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from headwater_backend.domain.model import DatasetKey, Incomplete, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.undecided import KINDS
from headwater_backend.privacy.exposure import ExposureReport, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.stores import open_store
from kit import sqlite
from kit.histories import MADE, SOURCES, History
from kit.looked import look_at
from kit.openlineage import NAMESPACE

WAYS = {
    "moved": ("moved",),
    "joined": ("moved", "joined"),
    "decided": ("moved", "decided"),
    "all": ("moved", "joined", "decided", "unlisted"),
}
SEEDS = 60


def missed(store: LineageStore, history: History) -> list[str]:
    """The all-clears about values that are there."""
    assert all(each.stored for each in ingest(store, history.events))
    look_at(store, *(key.name for key in store.dataset_keys() if key.name in SOURCES))
    ahead = exposed(store, Scope())
    return [
        f"{question}: {source} in {name}"
        for name in MADE
        for source in sorted(history.held[name])
        for question, answered in (
            ("forward", _is_reported(ahead, source, name)),
            (
                "backward",
                _is_reported_at(exposed(store, Scope(at=NodeKey(DatasetKey(NAMESPACE, name), ()))), source),
            ),
        )
        if not answered
    ]


def _is_reported(report: ExposureReport, source: str, name: str) -> bool:
    (found,) = (each for each in report.attributes if each.attribute.node.dataset.name == source)
    return _has_gap(found.incomplete) or any(out.node.dataset.name == name for out in found.outputs)


def _is_reported_at(report: ExposureReport, source: str) -> bool:
    return _has_gap(report.incomplete) or any(
        each.attribute.node.dataset.name == source for each in report.attributes
    )


def _has_gap(gaps: Sequence[Incomplete]) -> bool:
    """Whether there is a gap of lineage."""
    return any(gap.reason not in KINDS for gap in gaps)


@pytest.mark.parametrize("ways", WAYS.values(), ids=list(WAYS))
def test_no_history_ends_in_an_all_clear_over_a_value(ways: tuple[str, ...], tmp_path: Path) -> None:
    for seed in range(SEEDS):
        history = History(random.Random(seed), ways).happens(8)
        with closing(open_store(sqlite.empty(tmp_path / f"{seed}.db"))) as store:
            assert missed(store, history) == [], f"seed {seed}: {history.steps}"
