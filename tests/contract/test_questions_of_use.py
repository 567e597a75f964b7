"""Searching, the history of runs, sources and use, asked over each store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion, UnknownDataset, UnknownJob
from headwater_backend.domain.model import DatasetKey, JobKey, Use
from headwater_backend.domain.pages import Page
from headwater_backend.domain.patterns import DatasetPattern
from headwater_backend.ingest.decoding.limits import Limits
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions import origins, runs
from headwater_backend.questions.catalog import data_flow, text_search, usage
from headwater_backend.questions.catalog.text_search import By, Hit, Kind
from headwater_backend.questions.traversal import ALL_TYPES, Bounds
from kit.openlineage import JOB, NAMESPACE, at, dataset, event, facet, node, paths, run_id, written


def ingest_all(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [outcome.error for outcome in ingest(store, events)] == [None] * len(events)


def moved(job: str, minute: int, source: str, target: str, *fields: str, **more: Any) -> dict[str, Any]:
    """A job that copies fields, with further facets of its output."""
    lineage = paths(*(((name,), source, (name,), "IDENTITY") for name in fields), **more)
    return event(
        "COMPLETE",
        minute,
        f"{job} {minute}",
        [dataset(source, *fields)],
        [dataset(target, *fields, headwater_pathLineage=lineage)],
        job,
    )


def all_pages(ask: Callable[[str | None], Page[Any]], cursor: Callable[[Any], str]) -> list[Any]:
    found: list[Any] = []
    after = None
    while True:
        page = ask(after)
        found += page.items
        if not page.has_next:
            return found
        after = cursor(page.items[-1])


@pytest.fixture
def shop(store: LineageStore) -> LineageStore:
    """Datasets, jobs and paths in whose names, tags and owners the word mail occurs."""
    tags = facet(tags=[{"key": "pii", "value": "mail", "field": "address"}, {"key": "mailing", "value": ""}])
    owned = facet(owners=[{"name": "team:mail"}])
    tagged = moved("send mail", 1, "customers", "letters", "address", "name")
    tagged["inputs"][0]["facets"]["tags"] = tags
    labelled = moved("count", 2, "customers", "mail counts", "e-mail")
    labelled["job"]["facets"]["ownership"] = owned
    labelled["outputs"][0]["facets"]["ownership"] = owned
    ingest_all(store, tagged, labelled)
    return store


def shown(hits: list[Hit]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    return [(hit.kind.name, hit.label, [(m.by.name, m.text) for m in hit.matches]) for hit in hits]


def test_a_text_is_found_in_names_paths_tags_and_owners(shop: LineageStore) -> None:
    hits = all_pages(
        lambda after: text_search.search(shop, "MAIL", first=2, after=after), lambda hit: hit.cursor
    )
    assert shown(hits) == [
        ("DATASET", "customers", [("TAG", "mailing")]),
        ("DATASET", "mail counts", [("NAME", "mail counts"), ("OWNER", "team:mail")]),
        ("JOB", "count", [("OWNER", "team:mail")]),
        ("JOB", "send mail", [("NAME", "send mail")]),
        ("PATH", "address", [("TAG", "pii=mail")]),
        ("PATH", "e-mail", [("PATH", "e-mail")]),
        ("PATH", "e-mail", [("PATH", "e-mail")]),
    ]
    assert [hit.node.dataset.name for hit in hits[-3:] if hit.node] == [
        "customers",
        "customers",
        "mail counts",
    ]
    assert text_search.search(shop, "mail", first=1_000).items == tuple(hits)
    by_owner = text_search.search(shop, "team:mail", kinds=[Kind.JOB], by=[By.OWNER]).items
    assert [hit.job for hit in by_owner] == [JobKey(NAMESPACE, "count")]
    listed = text_search.search(shop, "", kinds=[Kind.DATASET]).items
    assert [hit.label for hit in listed] == ["customers", "letters", "mail counts"]


def test_a_search_that_makes_no_sense_is_refused(shop: LineageStore) -> None:
    for options in ({"first": 0}, {"first": 1_001}, {"after": "made up"}, {"after": "WyJYIiwgInkiXQ=="}):
        with pytest.raises(BadQuestion):
            text_search.search(shop, "mail", **options)
    with pytest.raises(BadQuestion, match="characters"):
        text_search.search(shop, "m" * 2_000)
    cursor = text_search.search(shop, "mail", first=1).items[0].cursor
    assert text_search.search(shop, "mail", kinds=[Kind.PATH], after=cursor).items != ()


def test_the_history_of_a_job_and_of_a_dataset_is_paged(store: LineageStore) -> None:
    ingest_all(
        store,
        *(moved("job", minute, "in", "out", "x") for minute in range(7)),
        moved("other", 9, "out", "end", "x"),
    )
    history = all_pages(lambda after: runs.of_job(store, JOB, 3, after), runs.cursor)
    assert [run.started_at for run in history] == [at(minute) for minute in reversed(range(7))]
    key = DatasetKey(NAMESPACE, "out")
    used = all_pages(lambda after: runs.of_dataset(store, key, None, 3, after), runs.cursor)
    assert [run.job.name for run in used] == ["other", *["job"] * 7]
    assert [run.job.name for run in runs.of_dataset(store, key, Use.INPUT).items] == ["other"]
    with pytest.raises(UnknownJob) as unknown:
        runs.of_job(store, JobKey(NAMESPACE, "othr"))
    assert "'test other'" in str(unknown.value.hint)
    with pytest.raises(UnknownDataset):
        runs.of_dataset(store, DatasetKey(NAMESPACE, "none"))
    with pytest.raises(BadQuestion, match="not a cursor"):
        runs.of_job(store, JOB, 3, "made up")


def test_golden_sources_are_where_a_nodes_lineage_begins(store: LineageStore) -> None:
    constant = moved("enrich", 3, "clean", "out", "x")
    constant["inputs"].append(dataset("rates"))
    influence = {"type": "INDIRECT", "subtype": "FILTER", "masking": False}
    constant["outputs"][0]["facets"]["headwater_pathLineage"]["dataset"] = [
        {"namespace": NAMESPACE, "name": "rates", "path": ["day"], "transformations": [influence]}
    ]
    ingest_all(
        store,
        moved("clean", 1, "raw", "clean", "x", "y"),
        moved("begin", 2, "made up", "clean", "none"),
        constant,
        event("COMPLETE", 4, "drop", outputs=[dropped("made up")], job="drops"),
    )
    found = origins.golden_sources(store, node("out", "x"))
    assert [
        (each.key.name, each.distance, [written(n.key) for n in each.nodes]) for each in found.sources
    ] == [("raw", 2, ["raw:x"])]
    assert found.complete and found.ends == ()
    wider = origins.golden_sources(store, node("out"), ALL_TYPES)
    assert [(each.key.name, each.reach.name) for each in wider.sources] == [
        ("rates", "INFLUENCED"),
        ("raw", "DIRECT"),
    ]
    names = [
        each.key.name for each in all_pages(lambda after: origins.sources(store, 1, after), dataset_cursor)
    ]
    assert names == ["rates", "raw"]


def test_golden_sources_are_those_of_a_moment(store: LineageStore) -> None:
    ingest_all(
        store,
        moved("make", 1, "old", "out", "x"),
        event("COMPLETE", 2, "load", outputs=[dataset("old")], job="load"),
        moved("make", 5, "new", "out", "x"),
        moved("fill", 6, "deeper", "old", "x"),
        moved("fill", 7, "deeper", "new", "x"),
    )
    assert sources_of(store, None) == ["deeper"]
    for minute, expected in [(1, "old"), (4, "old"), (5, "new"), (6, "new"), (7, "deeper")]:
        assert sources_of(store, minute) == [expected], minute
    everything = [DatasetKey(NAMESPACE, name) for name in ("deeper", "new", "old", "out")]
    assert store.sources(9, None, None, at(5)) == everything[:3]
    assert store.sources(9, None, everything[1:], at(6)) == everything[1:2]
    assert store.sources(9, None, everything, at(0)) == everything


def test_a_run_that_failed_later_decides_sources_until_then(store: LineageStore) -> None:
    content = moved("make", 1, "in", "out", "x")
    ingest_all(
        store,
        {**content, "eventType": "START"},
        event("FAIL", 3, "make 1", job="make"),
    )
    assert sources_of(store, 2) == ["in"]
    assert sources_of(store, 3) == sources_of(store, None) == ["out"]


def test_what_a_run_read_later_is_not_known_before(store: LineageStore) -> None:
    ingest_all(
        store,
        event("RUNNING", 1, "run", outputs=[dataset("out")]),
        event("COMPLETE", 3, "run", inputs=[dataset("in")], outputs=[dataset("out")]),
    )
    out = DatasetKey(NAMESPACE, "out")
    assert store.sources(9, None, [out], at(2)) == [out]
    assert store.sources(9, None, [out], at(3)) == []


def test_the_list_of_sources_is_that_of_a_moment(store: LineageStore) -> None:
    ingest_all(
        store,
        moved("make", 1, "raw", "out", "x"),
        event("COMPLETE", 3, "drop", outputs=[dropped("raw")], job="drops"),
        moved("fill", 5, "upload", "raw", "x"),
        event("COMPLETE", 7, "drop again", outputs=[dropped("upload")], job="drops"),
    )
    lists = [listed(store, at(minute)) for minute in range(9)]
    assert lists == [[], ["raw"], ["raw"], [], [], ["upload"], ["upload"], [], []]
    assert listed(store, None) == []


def listed(store: LineageStore, as_of: datetime | None) -> list[str]:
    """The names of all sources, asked for one at a time."""
    pages = all_pages(lambda after: origins.sources(store, 1, after, as_of), dataset_cursor)
    return [each.key.name for each in pages]


def test_a_dataset_exists_under_each_of_its_names(store: LineageStore) -> None:
    rename = {"lifecycleStateChange": "RENAME", "previousIdentifier": {"namespace": NAMESPACE, "name": "old"}}
    ingest_all(
        store,
        moved("make", 1, "in", "old", "x"),
        event("COMPLETE", 3, "rename", outputs=[dataset("new", lifecycleStateChange=facet(**rename))]),
        event("COMPLETE", 5, "drop", outputs=[dropped("old")], job="drops"),
    )
    names = [DatasetKey(NAMESPACE, name) for name in ("old", "new", "unknown")]
    assert [store.existing(names, at(minute)) for minute in (0, 2, 4, 5)] == [
        set(),
        {*names[:2]},
        {*names[:2]},
        set(),
    ]
    assert store.existing(names) == store.existing([]) == set()


def test_sources_of_a_moment_know_all_names(store: LineageStore) -> None:
    identifiers = [{"namespace": NAMESPACE, "name": "shop.t", "type": "TABLE"}]
    table = dataset("/w/t", symlinks=facet(identifiers=identifiers))
    ingest_all(
        store,
        event("COMPLETE", 1, "begin", outputs=[table], job="begin"),
        event("COMPLETE", 3, "fill", [dataset("in")], [dataset("shop.t")], "fill"),
        event("COMPLETE", 5, "grow", [dataset("/w/t")], [dataset("shop.t")], "fill"),
    )
    (own,) = {found.key for found in store.get_datasets([DatasetKey(NAMESPACE, "shop.t")]).values()}
    found = [store.sources(9, None, [own], at(minute)) for minute in (2, 3, 5)]
    assert found == [[own], [], [own]]


def test_times_at_the_ends_of_the_calendar_are_kept(store: LineageStore) -> None:
    first, last = "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"
    begun = {**moved("make", 1, "in", "out", "x"), "eventType": "START", "eventTime": first}
    ended = {**moved("make", 1, "in", "out", "x"), "eventTime": last}
    nominal = facet(nominalStartTime="0001-01-01T00:00:00+14:00", nominalEndTime="9999-12-31T23:59:59-14:00")
    begun["run"]["facets"] = {"nominalTime": nominal}
    any_time = Limits(clock_skew=(LAST - datetime.now(timezone.utc)) // timedelta(seconds=1) + 1)
    assert all(outcome.stored for outcome in ingest(store, [begun, ended], any_time))
    (run,) = runs.of_job(store, JobKey(NAMESPACE, "make")).items
    assert (run.started_at, run.ended_at) == (datetime.fromisoformat(first[:-1] + "+00:00"), LAST)
    assert run.facets["nominalTime"]["nominalStartTime"] == nominal["nominalStartTime"]
    for moment in (run.started_at, LAST, LAST.astimezone(timezone(timedelta(hours=-14)))):
        found = origins.golden_sources(store, node("out", "x"), bounds=Bounds(as_of=moment))
        assert [each.key.name for each in found.sources] == ["in"]


LAST = datetime.max.replace(tzinfo=timezone.utc)


def sources_of(store: LineageStore, minute: int | None) -> list[str]:
    bounds = Bounds(as_of=None if minute is None else at(minute))
    found = origins.golden_sources(store, node("out", "x"), bounds=bounds)
    return [each.key.name for each in found.sources]


def dropped(name: str) -> dict[str, Any]:
    return dataset(name, lifecycleStateChange=facet(lifecycleStateChange="DROP"))


def dataset_cursor(found: Any) -> str:
    from headwater_backend.domain.pages import cursor

    return cursor(*found.key)


def test_unused_datasets_are_listed_without_dropped_ones(store: LineageStore) -> None:
    ingest_all(
        store,
        moved("job", 1, "a", "b", "x"),
        moved("job", 5, "c", "d", "x"),
        moved("job", 2, "a", "e", "x"),
        event("COMPLETE", 6, "drop", outputs=[dropped("b")], job="drops"),
    )
    found = all_pages(lambda after: usage.unused(store, at(3), 1, after), dataset_cursor)
    assert [(each.key.name, each.last_read, each.last_written) for each in found] == [
        ("a", at(2), None),
        ("d", None, at(5)),
        ("e", None, at(2)),
    ]


def test_column_usage_counts_runs_jobs_and_pairs_in_a_window(store: LineageStore) -> None:
    looked = facet(paths=[{"path": ["c"], "access": ["FILTER"], "reachesOutput": False}])
    reading = event("COMPLETE", 5, "looks", [dataset("in", headwater_access=looked)], job="looks")
    ingest_all(
        store,
        *(moved("job", minute, "in", "out", "a", "b", manipulation=["COPY"]) for minute in (1, 2, 3)),
        moved("other", 4, "in", "end", "a", manipulation=["CAST"]),
        reading,
        event("COMPLETE", 0, "describes", [dataset("in", "a", "b", "c", "d", ("s", ["t"]))]),
    )
    key = DatasetKey(NAMESPACE, "in")
    found = usage.column_usage(store, key, at(1), at(10))
    assert [
        (each.label, each.runs, each.jobs, each.last, each.accessed, each.manipulated) for each in found.paths
    ] == [
        ("a", 4, 2, at(4), (), (("COPY", 3), ("CAST", 1))),
        ("b", 3, 1, at(3), (), (("COPY", 3),)),
        ("c", 1, 1, at(5), (("FILTER", 1),), ()),
    ]
    assert [(each.labels, each.runs, each.jobs) for each in found.pairs] == [(("a", "b"), 3, 1)]
    assert found.unused == (("d",), ("s",), ("s", "t"))
    assert (found.runs, found.complete) == (5, True)
    earlier = usage.column_usage(store, key, at(1), at(3), paths=1, pairs=0)
    assert [(each.label, each.runs) for each in earlier.paths] == [("a", 2)]
    assert earlier.cut == ("PATHS", "PAIRS")
    with pytest.raises(BadQuestion, match="ends before"):
        usage.column_usage(store, key, at(2), at(2))
    assert run_id("looks") in {run.run_id for run in store.runs_with([key])[key]}


def stored_as(*names: str, minute: int = 1) -> dict[str, Any]:
    """A run that writes a CSV file with these columns."""
    output = dataset("d", *names, storage=facet(storageLayer="file", fileFormat="csv"))
    return event("COMPLETE", minute, f"writer {minute}", outputs=[output], job="writer")


def read_as(
    *names: str, file_format: str = "csv", looked_at: str = "", job: str = "reader"
) -> dict[str, Any]:
    """A run that reads the file by other names, and copies the last of them, or only looks at one."""
    storage = facet(storageLayer="file", fileFormat=file_format)
    entries = [{"path": [looked_at], "access": ["FILTER"], "reachesOutput": False}] if looked_at else []
    read = dataset("d", *names, storage=storage, headwater_access=facet(paths=entries))
    lineage = paths((["x"], "d", [names[-1]], "IDENTITY"), manipulation=["COPY"])
    outputs = [] if looked_at else [dataset("out", "x", headwater_pathLineage=lineage)]
    return event("COMPLETE", 2, f"{job} 2", [read], outputs, job)


def usage_of(store: LineageStore, until: int = 10) -> usage.ColumnUsage:
    return usage.column_usage(store, DatasetKey(NAMESPACE, "d"), at(0), at(until))


def test_what_is_read_by_another_name_is_used_under_the_name_that_it_is_stored_by(
    store: LineageStore,
) -> None:
    ingest_all(store, stored_as("name", "ssn"), read_as("_c0", "_c1"))
    found = usage_of(store)
    assert [(each.label, each.runs, each.jobs, each.manipulated) for each in found.paths] == [
        ("_c1", 1, 1, (("COPY", 1),)),
        ("ssn", 1, 1, (("COPY", 1),)),
    ]
    assert found.unused == (("_c0",), ("name",))
    assert found.complete
    ingest_all(store, read_as("_c0", "_c1", looked_at="_c0", job="looks"))
    assert [(each.label, each.accessed) for each in usage_of(store).paths if each.accessed] == [
        ("_c0", (("FILTER", 1),)),
        ("name", (("FILTER", 1),)),
    ]


def test_one_jobs_names_are_not_anothers(store: LineageStore) -> None:
    ingest_all(store, stored_as("name", "ssn"), read_as("_c0", "_c1"), read_as("name", "ssn", job="exact"))
    assert {each.label: each.jobs for each in usage_of(store).paths} == {"_c1": 1, "ssn": 2}


def test_what_may_be_read_by_a_schema_that_does_not_fit_is_not_called_unused(store: LineageStore) -> None:
    written = stored_as("name", "ssn", "city")
    written["outputs"][0]["facets"]["storage"]["fileFormat"] = "parquet"
    ingest_all(store, written, read_as("name", "city", "nummer", file_format="parquet"))
    found = usage_of(store)
    assert (found.unused, found.cut) == ((("city",), ("name",)), ("SCHEMA_DRIFT",))


def test_what_a_job_does_not_list_that_it_read_may_be_used(store: LineageStore) -> None:
    ingest_all(store, stored_as("name"), event("COMPLETE", 2, "r", [dataset("d")], [dataset("out")], "reads"))
    found = usage_of(store)
    assert (found.cut, found.complete) == (("UNTRACED",), False)


def test_the_data_flow_lists_all_datasets_and_the_jobs_between_them(shop: LineageStore) -> None:
    found = data_flow.data_flow(shop)
    assert [(each.key.name, [owner.name for owner in each.owners], each.gaps) for each in found.datasets] == [
        ("customers", [], 0),
        ("letters", [], 0),
        ("mail counts", ["team:mail"], 0),
    ]
    assert [(flow.job.name, flow.use.value, flow.dataset.name) for flow in found.flows] == [
        ("count", "INPUT", "customers"),
        ("count", "OUTPUT", "mail counts"),
        ("send mail", "INPUT", "customers"),
        ("send mail", "OUTPUT", "letters"),
    ]
    assert [job.name for job in found.jobs] == ["count", "send mail"] and found.total == 3


def test_a_data_flow_is_limited_to_patterns_and_to_the_first_datasets(shop: LineageStore) -> None:
    letters = data_flow.data_flow(shop, [DatasetPattern(name="l*")])
    assert [(flow.job.name, flow.dataset.name) for flow in letters.flows] == [("send mail", "letters")]
    first = data_flow.data_flow(shop, first=1)
    assert ([each.key.name for each in first.datasets], first.total) == (["customers"], 3)
    with pytest.raises(BadQuestion):
        data_flow.data_flow(shop, first=0)


def test_a_dataset_stands_in_the_data_flow_once_whatever_name_a_job_uses(store: LineageStore) -> None:
    links = {"identifiers": [{"namespace": "other", "name": "alias", "type": "TABLE"}]}
    linked = moved("write", 1, "in", "out", "a")
    linked["outputs"][0]["facets"]["symlinks"] = facet(**links)
    reader = moved("read", 2, "alias", "far", "a")
    reader["inputs"][0]["namespace"] = "other"
    ingest_all(store, linked, reader)
    found = data_flow.data_flow(store)
    middle = [(flow.job.name, flow.use.value) for flow in found.flows if flow.dataset.name == "out"]
    assert middle == [("read", "INPUT"), ("write", "OUTPUT")]
    assert DatasetKey("other", "alias") not in [each.key for each in found.datasets]


def test_the_data_flow_leads_to_programs_that_collected_what_they_read(store: LineageStore) -> None:
    taken = facet(paths=[{"path": ["a"], "access": ["PROJECT", "DRIVER"]}])
    collected = dataset("in", "a", headwater_access=taken)
    ingest_all(store, event("COMPLETE", 1, "r", [collected], [], "j"), moved("other", 2, "in", "out", "a"))
    found = data_flow.data_flow(store)
    (program,) = (each.key for each in found.datasets if each.key.namespace.startswith("driver://"))
    assert [(flow.job.name, flow.use) for flow in found.flows if flow.dataset == program] == [
        ("j", Use.OUTPUT)
    ]
    assert [(flow.job.name, flow.use) for flow in found.flows if flow.dataset.name == "in"] == [
        ("j", Use.INPUT),
        ("other", Use.INPUT),
    ]


def test_a_dataset_with_gaps_says_so_in_the_data_flow(store: LineageStore) -> None:
    ingest_all(store, moved("j", 1, "in", "out", "a", incomplete=[{"reason": "RDD", "detail": "an RDD"}]))
    gaps = {each.key.name: each.gaps for each in data_flow.data_flow(store).datasets}
    assert gaps["in"] == 0 and gaps["out"] > 0
