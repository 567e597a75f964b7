"""An imported mapping comes out of a store as it went in, up to layout, for any mapping of the language."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.lineage import Scope
from headwater_backend.reports.mapped.question import mapped
from headwater_backend.stores import open_store
from headwater_mappings import Document, events_of, parse, render
from headwater_mappings import tree as t
from kit import sqlite
from unit.mappings.test_parsing import mappings

TIME = "2026-01-01T00:00:00+00:00"


@settings(deadline=None, max_examples=60)  # each example has a store of its own
@given(mappings)
def test_what_was_imported_is_reported_as_it_was_written(mapping: t.Mapping) -> None:
    with (
        TemporaryDirectory() as folder,
        closing(open_store(sqlite.empty(Path(folder, "lineage.db")))) as store,
    ):
        assert all(each.stored for each in ingest(store, list(events_of([Document("m", TIME, [mapping])]))))
        for each in mapping.populates:
            _check(store, mapping, each)


def _check(store: LineageStore, mapping: t.Mapping, populate: t.Populate) -> None:
    node = NodeKey(DatasetKey("mappings", "TARGET"), (populate.attribute.name,))
    found = mapped(store, node, Scope())
    if found.graph.edges:
        assert render(parse(found.text)) == render([replace(mapping, populates=(populate,))])
    else:
        assert all(line.startswith("#") for line in found.text.splitlines())
        made_of = [name for choice in populate.choices for name in t.attributes(choice.expression)]
        assert found.graph.pruned or not made_of
