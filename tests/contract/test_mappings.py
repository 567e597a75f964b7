"""Business mappings in a store: where an attribute comes from, and which ways no row can take."""

from __future__ import annotations

from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.active.active_lineage import active_lineage
from headwater_backend.questions.closure import LineageGraph
from headwater_backend.questions.lineage import Scope
from headwater_mappings import Document, events_of, parse

TIME = "2026-01-01T00:00:00+00:00"
BOTH = '{0}.REGION = "Europe" OR {0}.REGION = "Americas"'


def populating(target: str, source: str, condition: str, **attributes: str) -> str:
    lines = [f"WHEN POPULATING {target} FROM {source}"]
    attributes["REGION"] = "REGION"
    lines += [f"  POPULATE {target}.{name} WITH {source}.{of}" for name, of in attributes.items()]
    return "\n".join([*lines, f"  SELECT ROWS WHERE {condition.format(source)}", ""])


REGIONS = (
    populating("N0", "N1", BOTH, A0="A2", A1="A3")
    + populating("N1", "N2", '{0}.REGION = "Americas"', A2="A4", A3="A5")
    + populating("N2", "N3", BOTH, A4="A6", A5="A7")
    + populating("N3", "N4", '{0}.REGION = "Americas"', A6="A8")
    + populating("N3", "N5", '{0}.REGION = "Europe"', A7="A9")
)


def ask(store: LineageStore, name: str) -> LineageGraph:
    outcomes = ingest(store, list(events_of([Document("regions.txt", TIME, parse(REGIONS))])))
    assert [each.error for each in outcomes] == [None] * 5
    start = NodeKey(DatasetKey("mappings", "N0"), (name,))
    return active_lineage(store, start, Direction.BACKWARD, Scope())


def test_the_data_of_one_region_arrives(store: LineageStore) -> None:
    found = ask(store, "A0")
    assert {each.key.path[0] for each in found.nodes} == {"A0", "A2", "A4", "A6", "A8"}
    assert not found.pruned


def test_that_of_the_other_is_cut_and_both_conditions_are_named(store: LineageStore) -> None:
    found = ask(store, "A1")
    assert {each.key.path[0] for each in found.nodes} == {"A1", "A3", "A5", "A7"}
    (pruned,) = found.pruned
    (why,) = pruned.because
    assert "N1 FROM N2" in why and "N3 FROM N5" in why
    assert "Americas" in why and "Europe" in why


GROUPS = """
WHEN POPULATING SALES FROM SHOPS POPULATE SALES.KIND WITH "shop" POPULATE SALES.NAME WITH SHOPS.NAME
WHEN POPULATING SALES FROM SITES POPULATE SALES.KIND WITH "web" POPULATE SALES.NAME WITH SITES.NAME
WHEN POPULATING TOTALS FROM SALES POPULATE TOTALS.KIND WITH SALES.KIND POPULATE TOTALS.NAME WITH {}
WHEN POPULATING REPORT FROM TOTALS POPULATE REPORT.NAME WITH TOTALS.NAME SELECT ROWS WHERE TOTALS.KIND = "web"
"""


def sources_of_groups(store: LineageStore, expression: str) -> set[str]:
    events = list(events_of([Document("groups.txt", TIME, parse(GROUPS.format(expression)))]))
    assert all(each.stored for each in ingest(store, events))
    start = NodeKey(DatasetKey("mappings", "REPORT"), ("NAME",))
    found = active_lineage(store, start, Direction.BACKWARD, Scope())
    return {each.key.dataset.name for each in found.nodes} & {"SHOPS", "SITES"}


def test_a_condition_on_a_moved_attribute_excludes_the_other_source(store: LineageStore) -> None:
    assert sources_of_groups(store, "SALES.NAME") == {"SITES"}


def test_what_is_grouped_may_be_of_any_row_so_that_nothing_is_excluded(store: LineageStore) -> None:
    assert sources_of_groups(store, "MAX(SALES.NAME)") == {"SHOPS", "SITES"}
