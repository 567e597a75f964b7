"""Jobs that read a dataset and report no lineage, or a part of it: forward searches list their possible outputs."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from neo4j import GraphDatabase

from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, JobKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import exposure
from headwater_backend.questions.impact import impact
from headwater_backend.questions.lineage import Scope, both, jobs, lineage
from headwater_backend.stores import open_store
from kit import neo4j
from kit.openlineage import NAMESPACE, columns, dataset, event, facet, node, paths

if TYPE_CHECKING:
    from typing_extensions import LiteralString

FORWARD = Direction.FORWARD


def key(name: str) -> DatasetKey:
    return DatasetKey(NAMESPACE, name)


def gap(output: str, job: str) -> Incomplete:
    return Incomplete("NO_LINEAGE_FACET", key(output), (), JobKey(NAMESPACE, job))


def reads(
    job: str, minute: int, source: str, target: str, kind: str = "COMPLETE", **facets: Any
) -> dict[str, Any]:
    return event(
        kind, minute, f"{job} {minute}", [dataset(source, "x")], [dataset(target, "x", **facets)], job
    )


def copies(job: str, minute: int, source: str, target: str) -> dict[str, Any]:
    return reads(job, minute, source, target, columnLineage=columns({"x": [(source, "x")]}))


def ingest_all(store: LineageStore, *events: dict[str, Any]) -> None:
    assert all(outcome.stored for outcome in ingest(store, events))


@pytest.fixture
def shop(store: LineageStore) -> LineageStore:
    """``raw`` is copied to ``clean``; a run and a job event read that, without lineage."""
    tags = facet(tags=[{"key": "user.name", "value": "", "field": "x"}])
    tagged = copies("clean", 1, "raw", "clean")
    tagged["inputs"][0]["facets"]["tags"] = tags
    declared = reads("declares", 3, "clean", "declared")
    del declared["run"]
    ingest_all(
        store, tagged, reads("opaque", 2, "clean", "out"), declared, copies("copy", 4, "other", "elsewhere")
    )
    return store


def test_a_forward_search_reports_possible_outputs(shop: LineageStore) -> None:
    gaps = (gap("declared", "declares"), gap("out", "opaque"))
    answer = lineage(shop, node("raw", "x"), FORWARD, Scope())
    assert [each.key.dataset.name for each in answer.nodes] == ["raw", "clean"]
    assert (answer.incomplete, answer.complete) == (gaps, False)
    assert impact(shop, node("clean")).incomplete == gaps
    assert jobs(shop, node("raw"), FORWARD, Scope()).incomplete == gaps
    assert both(shop, node("clean"), Scope()).backward.complete


def test_exposure_reports_possible_outputs(shop: LineageStore) -> None:
    report = exposure(shop)
    (attribute,) = report.attributes
    assert set(attribute.incomplete) == {gap("declared", "declares"), gap("out", "opaque")}
    assert not report.complete


def test_a_job_that_reads_two_datasets_of_the_way_is_reported_once(shop: LineageStore) -> None:
    both_read = reads("joins", 5, "raw", "joined")
    both_read["inputs"].append(dataset("clean", "x"))
    ingest_all(shop, both_read)
    for answer in (
        exposure(shop).attributes[0].incomplete,
        lineage(shop, node("raw"), FORWARD, Scope()).incomplete,
    ):
        assert answer.count(gap("joined", "joins")) == 1


def test_a_facet_that_lists_no_input_is_no_lineage(store: LineageStore) -> None:
    ingest_all(store, reads("job", 1, "in", "out", columnLineage=columns({})))
    assert lineage(store, node("in", "x"), FORWARD, Scope()).incomplete == (gap("out", "job"),)
    ingest_all(store, reads("job", 2, "in", "out", columnLineage=columns({"x": []})))
    assert lineage(store, node("in", "x"), FORWARD, Scope()).incomplete == (gap("out", "job"),)


def test_a_source_that_only_the_lineage_names_is_read_too(store: LineageStore) -> None:
    gaps = [{"reason": "UNKNOWN_EXPRESSION", "paths": [["y"]]}]
    traced = paths((["x"], "in", ["x"], "IDENTITY"), complete=False, incomplete=gaps)
    made = dataset("out", "x", "y", headwater_pathLineage=traced)
    ingest_all(store, event("COMPLETE", 1, "run", [], [made], "job"))
    ingest_all(store, event("COMPLETE", 2, "other", [], [dataset("in", "x", "ssn")], "writes"))
    (found,) = lineage(store, node("in", "ssn"), FORWARD, Scope()).incomplete
    assert (found.reason, found.path) == ("UNKNOWN_EXPRESSION", ("y",))


def test_what_is_not_read_is_not_concerned(shop: LineageStore) -> None:
    assert lineage(shop, node("other"), FORWARD, Scope()).complete
    assert shop.possible_outputs([key("raw"), key("unknown")]) == {}
    assert shop.possible_outputs([]) == {}


def partly(job: str, minute: int, *entries: dict[str, Any], output: str = "part") -> dict[str, Any]:
    """Reads ``clean`` and makes ``part`` of ``other``, as far as it reports."""
    more = {"complete": not entries, "incomplete": list(entries)}
    traced = paths((["x"], "other", ["x"], "IDENTITY"), **more)
    return reads(job, minute, "clean", output, headwater_pathLineage=traced)


def test_a_gap_of_a_whole_output_is_reported(shop: LineageStore) -> None:
    before = shop.possible_outputs([key("clean")])[key("clean")]
    ingest_all(shop, partly("drops", 5, {"reason": "DROPPED", "detail": "too large"}))
    gap = Incomplete("DROPPED", key("part"), (), JobKey(NAMESPACE, "drops"), "too large")
    assert shop.possible_outputs([key("clean")])[key("clean")] == [*before, gap]
    answer = lineage(shop, node("raw", "x"), FORWARD, Scope())
    assert key("part") not in {each.key.dataset for each in answer.nodes}
    assert gap in answer.incomplete
    assert gap in impact(shop, node("clean")).incomplete
    assert gap in exposure(shop).attributes[0].incomplete
    ingest_all(shop, partly("drops", 6))
    assert shop.possible_outputs([key("clean")])[key("clean")] == before


@pytest.mark.neo4j
def test_a_migrated_neo4j_reports_them_too(neo4j_url: str, neo4j_server: neo4j.Server) -> None:
    name = 'a "part" \\ of it'
    with closing(open_store(neo4j_url)) as store:
        ingest_all(
            store, partly("drops", 1, {"reason": "DROPPED"}, output=name), reads("none", 2, "clean", "out")
        )
        ingest_all(
            store, partly("cut", 3, {"reason": "TRUNCATED", "detail": '", "x_UDF", "', "paths": [["x"]]})
        )
        ingest_all(store, partly("udf", 4, {"reason": "PYTHON_UDF", "paths": [["x"]]}, output="called"))
        before = store.possible_outputs([key("clean")])
    login = (neo4j_server.username, neo4j_server.password)
    with GraphDatabase.driver(neo4j_server.uri, auth=login) as driver:
        driver.execute_query("MATCH (v:Version) REMOVE v.untold")
        driver.execute_query("MATCH (m:Migration) WHERE m.number > 9 DELETE m")
    with closing(open_store(neo4j_url)) as store:
        assert store.possible_outputs([key("clean")]) == before
        marked = driver_rows(neo4j_server, "MATCH (v:Version) WHERE v.untold RETURN v.slot")
    assert [each.dataset.name for each in before[key("clean")]] == [name, "out", "part"]
    assert len(marked) == 3


def driver_rows(server: neo4j.Server, query: LiteralString) -> list[Any]:
    with GraphDatabase.driver(server.uri, auth=(server.username, server.password)) as driver:
        return driver.execute_query(query).records


def test_it_is_reported_until_the_job_reports_lineage(shop: LineageStore) -> None:
    ingest_all(shop, copies("opaque", 5, "clean", "out"))
    assert shop.possible_outputs([key("clean")]) == {key("clean"): [gap("declared", "declares")]}
    ingest_all(shop, reads("opaque", 6, "clean", "out"))
    assert shop.possible_outputs([key("clean")])[key("clean")] == [
        gap("declared", "declares"),
        gap("out", "opaque"),
    ]
    ingest_all(shop, reads("opaque", 7, "other", "out"))
    assert shop.possible_outputs([key("clean")])[key("clean")] == [gap("declared", "declares")]


def test_a_run_that_failed_makes_nothing(store: LineageStore) -> None:
    ingest_all(store, copies("job", 1, "in", "out"), reads("job", 2, "in", "out", "FAIL"))
    assert store.possible_outputs([key("in")]) == {}


def test_each_name_of_a_dataset_is_one_of_it(store: LineageStore) -> None:
    links = facet(identifiers=[{"namespace": NAMESPACE, "name": "table", "type": "TABLE"}])
    linked = dataset("/path", "x", symlinks=links)
    ingest_all(store, event("COMPLETE", 1, "makes", outputs=[linked], job="makes"))
    ingest_all(store, reads("by path", 2, "/path", "a"), reads("by table", 3, "table", "b"))
    gaps = [gap("a", "by path"), gap("b", "by table")]
    assert store.possible_outputs([key("/path"), key("table")]) == {key("/path"): gaps, key("table"): gaps}


def test_what_was_brought_earlier_is_one_of_each_name_that_is_asked_for(store: LineageStore) -> None:
    links = facet(identifiers=[{"namespace": NAMESPACE, "name": "table", "type": "TABLE"}])
    linked = dataset("/path", "x", symlinks=links)
    ingest_all(store, event("COMPLETE", 1, "makes", outputs=[linked], job="makes"))
    ingest_all(store, copies("copy", 2, "/path", "out"), copies("copy", 3, "other", "out"))
    asked = [key("/path"), key("table")]
    found = store.possible_outputs(asked, earlier=True)
    assert [gap.reason for gap in found[key("/path")]] == ["EARLIER_LINEAGE"]
    assert found[key("table")] == found[key("/path")]


def test_a_dotted_name_without_a_schema_is_a_column_and_a_nested_path(store: LineageStore) -> None:
    tags = facet(tags=[{"key": "user.name", "value": "", "field": "a"}])
    made = paths((["user", "x"], "in", ["a"], "IDENTITY"), (["one.two"], "in", ["a"], "IDENTITY"))
    schema = facet(fields=[{"name": "user", "fields": [{"name": "x"}]}, {"name": "one.two"}])
    first = event(
        "COMPLETE",
        1,
        "first",
        [dataset("in", "a", tags=tags)],
        [dataset("middle", headwater_pathLineage=made, schema=schema)],
        "first",
    )
    traced = columns({"t.u": [("middle", "user.x")], "v": [("middle", "one.two")]})
    second = event("COMPLETE", 2, "second", [], [dataset("out", columnLineage=traced)], "second")
    ingest_all(store, first, second)
    (attribute,) = exposure(store).attributes
    held = {output.node.path for output in attribute.outputs if output.node.dataset == key("out")}
    assert held == {("t.u",), ("t", "u"), ("v",)}
