"""What the exposure of a company costs: counted in store calls and visited states, never in seconds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, Neighbours, PathSteps
from headwater_backend.ingest.service import ingest
from headwater_backend.privacy.exposure import ExposureReport, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.stores.sqlite.store import SqliteStore
from kit.company import Company


class Counting(SqliteStore):
    """Counts how often edges and paths are looked up, and the edges that were returned."""

    calls = 0
    edges = 0

    def neighbours(self, *args: Any, **kwargs: Any) -> Neighbours:
        found = super().neighbours(*args, **kwargs)
        self.calls += 1
        self.edges += sum(len(fan.fars) for fan in found.fans)
        return found

    def paths(self, *args: Any, **kwargs: Any) -> Mapping[DatasetKey, Sequence[PathSteps]]:
        self.calls += 1
        return super().paths(*args, **kwargs)


def _asked(folder: Path, company: Company, scope: Scope | None = None) -> tuple[ExposureReport, Counting]:
    store = Counting.open(folder / f"{company.jobs}-{company.attributes}.db")
    assert isinstance(store, Counting)
    assert all(outcome.stored for outcome in ingest(store, company.events()))
    return exposed(store, scope or Scope()), store


def _visits(report: ExposureReport) -> int:
    return report.attributes[0].propagation.visits


@pytest.mark.parametrize("influenced", [False, True])
def test_the_work_grows_with_the_company_and_no_faster(tmp_path: Path, influenced: bool) -> None:
    scope = Scope(influenced=influenced)
    half, calls_of_half = _asked(tmp_path, Company(40, 20, layers=4), scope)
    whole, calls_of_whole = _asked(tmp_path, Company(80, 40, layers=4), scope)
    assert whole.count >= 1.5 * half.count
    assert _visits(whole) <= 2.5 * _visits(half)
    assert calls_of_whole.calls == calls_of_half.calls
    assert calls_of_whole.edges <= 2.5 * calls_of_half.edges


def test_attributes_that_flow_together_are_moved_together(tmp_path: Path) -> None:
    """Every cell of the matrix would be a visit, were each attribute followed by itself."""
    report, _ = _asked(tmp_path, Company(60, 30, layers=6), Scope(influenced=True))
    assert report.count > 3 * _visits(report)


def test_a_route_is_looked_for_only_where_it_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report, _ = _asked(tmp_path, Company(40, 20, layers=4))
    asked: list[object] = []
    witness = type(report.attributes[0].propagation).witness

    def counted(*args: Any) -> Any:
        asked.append(args)
        return witness(*args)

    monkeypatch.setattr("headwater_backend.privacy.propagation.Propagation.witness", counted)
    assert report.count and report.totals and report.datasets
    assert asked == []
    assert report.attributes[0].outputs[0].witness
    assert len(asked) == 1
