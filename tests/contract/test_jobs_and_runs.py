"""Jobs, runs, and what they read and wrote: with every facet verbatim, in every store."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater_backend.domain import facet_readers
from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import DatasetKey, JobKey, RunKey, Use
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions import runs
from kit.openlineage import JOB, NAMESPACE, at, dataset, event, facet, lines, paths, run_id
from kit.shared import shared

FILES = ["food-delivery", "spark-official-nested", "spark-column-lineage", "airflow", "edge-cases"]
OTHER = JobKey(NAMESPACE, "other")


def ingest_all(store: LineageStore, *events: dict[str, Any]) -> None:
    assert all(outcome.stored for outcome in ingest(store, events))


def with_job_facets(made: dict[str, Any], **facets: Any) -> dict[str, Any]:
    made["job"]["facets"] = facets
    return made


def with_run_facets(made: dict[str, Any], **facets: Any) -> dict[str, Any]:
    made["run"]["facets"] = facets
    return made


def started_by(parent: str, job: str = "other", **more: Any) -> dict[str, Any]:
    return facet(run={"runId": run_id(parent)}, job={"namespace": NAMESPACE, "name": job}, **more)


def test_job_facets_are_kept_until_they_are_replaced_or_deleted(store: LineageStore) -> None:
    owners = facet(owners=[{"name": "team:data", "type": "MAINTAINER"}, {"name": "user:jdoe"}])
    sql = facet(query="SELECT 1")
    ingest_all(
        store,
        with_job_facets(event("START", 1), ownership=owners, sql=sql, documentation=facet(description="old")),
        with_job_facets(
            event("COMPLETE", 2), documentation=facet(description="new"), sql=facet(_deleted=True)
        ),
    )
    job = store.get_jobs([JOB, OTHER])
    assert job.keys() == {JOB}
    assert job[JOB].facets == {"ownership": owners, "documentation": facet(description="new")}
    assert facet_readers.owners(job[JOB].facets) == (("team:data", "MAINTAINER"), ("user:jdoe", None))
    assert facet_readers.description(job[JOB].facets) == "new"
    assert (job[JOB].first_seen, job[JOB].last_seen) == (at(1), at(2))


def test_what_a_run_used_has_the_facets_of_that_run(store: LineageStore) -> None:
    counted, checked = (
        facet(rowCount=3, size=20),
        facet(assertions=[{"assertion": "not_null", "success": True}]),
    )
    source, target = dataset("in"), dataset("out")
    ingest_all(
        store,
        event("START", 1, "one", [{**source, "inputFacets": {"inputStatistics": counted}}], [target]),
        event(
            "COMPLETE", 2, "one", [], [{**target, "outputFacets": {"outputStatistics": facet(rowCount=2)}}]
        ),
        event(
            "COMPLETE",
            3,
            "two",
            [{**source, "inputFacets": {"dataQualityAssertions": checked}}],
            [],
            job="other",
        ),
    )
    one, two = RunKey(JOB, run_id("one")), RunKey(OTHER, run_id("two").upper())
    used = store.used_by_runs([one, two, RunKey(JOB, "none")])
    assert [(each.dataset.name, each.use, dict(each.facets)) for each in used[one]] == [
        ("in", Use.INPUT, {"inputStatistics": counted}),
        ("out", Use.OUTPUT, {"outputStatistics": facet(rowCount=2)}),
    ]
    assert [each.facets for each in used[two]] == [{"dataQualityAssertions": checked}]
    assert used[RunKey(JOB, "none")] == []


def test_what_the_runs_of_a_job_used_is_listed_for_that_job_alone(store: LineageStore) -> None:
    ingest_all(
        store,
        event("COMPLETE", 1, "one", [dataset("in")], [dataset("out")]),
        event("COMPLETE", 5, "two", [dataset("in")], [dataset("out 2")]),
        event("COMPLETE", 9, "three", [dataset("elsewhere")], [], job="job/2"),
    )
    used = store.used_by_jobs([JOB])[JOB]
    assert [(each.use, each.dataset.name) for each in used] == [
        (Use.INPUT, "in"),
        (Use.OUTPUT, "out"),
        (Use.OUTPUT, "out 2"),
    ]
    assert (used[0].first_seen, used[0].last_seen) == (at(1), at(5))


def test_a_job_event_describes_the_job_without_a_run(store: LineageStore) -> None:
    declared = with_job_facets(
        event(None, 4, inputs=[dataset("in")], outputs=[dataset("out")]), jobType=facet(integration="DBT")
    )
    del declared["run"]
    ingest_all(store, declared)
    assert store.get_jobs([JOB])[JOB].facets == {"jobType": facet(integration="DBT")}
    assert [each.dataset.name for each in store.used_by_jobs([JOB])[JOB]] == ["in", "out"]
    assert store.runs(JOB) == []


def test_a_run_leads_to_those_that_it_started_and_to_the_one_that_started_it(store: LineageStore) -> None:
    root = {"run": {"runId": run_id("root")}, "job": {"namespace": NAMESPACE, "name": "dag"}}
    ingest_all(
        store,
        event("START", 1, "above", job="other"),
        with_run_facets(event("START", 2, "first"), parent=started_by("above", root=root)),
        with_run_facets(event("START", 3, "second"), parent=started_by("above")),
        with_run_facets(event("START", 4, "stranger"), parent=started_by("elsewhere")),
    )
    second, first = store.child_runs(run_id("above").upper())
    assert [second.run_id, first.run_id] == [run_id("second"), run_id("first")]
    assert first.parent == RunKey(OTHER, run_id("above"))
    assert first.root == RunKey(JobKey(NAMESPACE, "dag"), run_id("root"))
    assert second.root == second.parent == first.parent
    assert [run.run_id for run in store.child_runs(run_id("above"), first=1)] == [run_id("second")]
    pages = [runs.children(store, run_id("above"), 1)]
    pages.append(runs.children(store, run_id("above"), 1, runs.cursor(pages[0].items[0])))
    assert [([run.run_id for run in page.items], page.has_next) for page in pages] == [
        ([run_id("second")], True),
        ([run_id("first")], False),
    ]


def test_a_job_says_what_it_executes_and_where_that_is(store: LineageStore) -> None:
    place = facet(
        type="git",
        url="https://git.example/shop/blob/abc/jobs/load.py#L12",
        repoUrl="https://git.example/shop",
        path="jobs/load.py",
        version="abc",
        branch="main",
    )
    sql = facet(query="SELECT 1", dialect="spark")
    ingest_all(
        store,
        with_job_facets(event("COMPLETE", 1), sql=sql, sourceCodeLocation=place),
        with_job_facets(
            event("COMPLETE", 2, "other", job="other"), sourceCode=facet(language="python", sourceCode="f()")
        ),
        with_job_facets(event("COMPLETE", 3, "silent", job="silent"), sql=facet(query=3)),
    )
    found = store.get_jobs([JOB, OTHER, JobKey(NAMESPACE, "silent")])
    programs = {key.name: facet_readers.program(job.facets) for key, job in found.items()}
    assert programs == {
        JOB.name: (
            "SELECT 1", "spark", place["url"], place["repoUrl"], "jobs/load.py", "abc", "main", 12
        ),
        "other": ("f()", "python", None, None, None, None, None, None),
        "silent": None,
    }  # fmt: skip


def test_the_newest_runs_of_many_jobs_are_asked_for_at_once(store: LineageStore) -> None:
    ingest_all(store, event("COMPLETE", 1), event("FAIL", 5, "later"), event("START", 2, "o", job="other"))
    newest = runs.newest_of(store, [JOB, OTHER, JOB, JobKey(NAMESPACE, "none")])
    assert {key.name: run.state for key, run in newest.items()} == {JOB.name: "FAIL", "other": "START"}
    with pytest.raises(BadQuestion, match="at most 1000 jobs"):
        runs.newest_of(store, [JOB] * 1001)


def test_a_failed_run_has_its_error(store: LineageStore) -> None:
    failed = facet(message="no such column", programmingLanguage="PYTHON", stackTrace="at line 3")
    ingest_all(store, with_run_facets(event("FAIL", 1), errorMessage=failed), event("COMPLETE", 2))
    run = store.newest_runs([JOB]).get(JOB)
    assert run is not None
    assert run.state == "FAIL"
    assert facet_readers.error(run.facets) == "no such column"


@pytest.mark.parametrize("name", FILES)
def test_every_facet_of_a_file_is_found_in_its_last_state(store: LineageStore, name: str) -> None:
    raw = lines(shared(f"events/{name}.ndjson"))
    ingest(store, raw)
    for document in map(json.loads, raw):
        if "job" not in document:
            continue
        job = JobKey(document["job"]["namespace"], document["job"]["name"])
        assert kept(document["job"]) <= store.get_jobs([job])[job].facets.keys()
        if "run" in document:
            run = RunKey(job, document["run"]["runId"])
            found = {(each.use, each.dataset): each.facets for each in store.used_by_runs([run])[run]}
            for side, own, use in (
                ("inputs", "inputFacets", Use.INPUT),
                ("outputs", "outputFacets", Use.OUTPUT),
            ):
                for part in document.get(side) or []:
                    facets = found[use, DatasetKey(part["namespace"], part["name"])]
                    assert kept(part, own) <= facets.keys()


def kept(part: dict[str, Any], name: str = "facets") -> set[str]:
    return {key for key, content in (part.get(name) or {}).items() if content}


def application(store: LineageStore) -> None:
    """An application of three levels, of which the lowest write: twice the same output, and one of them fails."""
    lineage = paths((("a",), "in", ("a",), "IDENTITY"), complete=False, incomplete=[{"reason": "RDD"}])
    out = dataset("out", "a", headwater_pathLineage=lineage)
    rows = [{**out, "outputFacets": {"outputStatistics": facet(rowCount=count)}} for count in (2, 5)]
    ingest_all(
        store,
        event("COMPLETE", 1, "app", job="app"),
        with_run_facets(event("START", 2, "batch", job="app.batch"), parent=started_by("app", job="app")),
        with_run_facets(
            event("COMPLETE", 3, "one", [dataset("in", "a")], rows[:1], job="app.write"),
            parent=started_by("batch", job="app.batch"),
        ),
        with_run_facets(
            event("COMPLETE", 4, "two", [dataset("in", "a")], rows[1:], job="app.write"),
            parent=started_by("batch", job="app.batch"),
        ),
        with_run_facets(event("FAIL", 5, "bad", job="app.bad"), parent=started_by("app", job="app")),
        event("COMPLETE", 6, "own", [dataset("in")], [dataset("mine")]),
    )


def job(name: str) -> JobKey:
    return JobKey(NAMESPACE, name)


def test_the_runs_below_a_run_are_found_at_every_level(store: LineageStore) -> None:
    application(store)
    app, batch, own = RunKey(job("app"), run_id("app")), RunKey(job("app.batch"), run_id("batch")), JOB
    found = store.runs_below([app, batch, RunKey(own, run_id("own"))])
    written = [RunKey(job("app.write"), run_id(each)) for each in ("one", "two")]
    below = [RunKey(job("app.bad"), run_id("bad")), batch, *written]
    assert {key: sorted(runs) for key, runs in found.items()} == {app: sorted(below), batch: sorted(written)}
    assert {key: sorted(jobs) for key, jobs in store.jobs_below([app.job, batch.job, own]).items()} == {
        app.job: [job("app.bad"), job("app.batch"), job("app.write")],
        batch.job: [job("app.write")],
    }


def test_runs_that_name_each_other_as_parents_are_found_once(store: LineageStore) -> None:
    ingest_all(
        store,
        with_run_facets(event("START", 1, "one"), parent=started_by("two")),
        with_run_facets(event("START", 2, "two", job="other"), parent=started_by("one")),
    )
    one, two = RunKey(JOB, run_id("one")), RunKey(OTHER, run_id("two"))
    assert store.runs_below([one, two]) == {one: [two], two: [one]}
    assert store.jobs_below([JOB]) == {JOB: [OTHER]}


def test_an_application_did_what_its_runs_did(store: LineageStore) -> None:
    application(store)
    app = RunKey(job("app"), run_id("app"))
    below = runs.below(store, [app])[app]
    assert below.states == [("COMPLETE", 2), ("FAIL", 1), ("START", 1)]
    assert [(each.use, each.dataset.name, each.runs, each.statistics.rows) for each in below.used] == [
        (Use.INPUT, "in", 2, None),
        (Use.OUTPUT, "out", 2, 7),
    ]
    used = runs.used_by_jobs(store, [app.job, JOB])
    assert [each.dataset.name for each in used[app.job]] == ["in", "out"]
    assert [each.dataset.name for each in used[JOB]] == ["in", "mine"]
    gaps = runs.gaps_of_jobs(store, [app.job, job("app.bad")])
    assert [(gap.reason, gap.job) for gap in gaps[app.job]] == [("RDD", job("app.write"))]
    assert gaps[job("app.bad")] == []


def records_in(**more: Any) -> dict[str, Any]:
    """The facet of a run that kept its records."""
    return facet(**{"mode": "ends", "folder": "file:/lake/records", "entry": "a", **more})


def kept_records(minute: int, run: str, records: dict[str, Any]) -> dict[str, Any]:
    """What an agent adds to a run that has ended: no dataset is named again."""
    return with_run_facets(event("OTHER", minute, run, [], []), headwater_records=records)


def test_runs_say_where_their_records_are_after_they_have_ended(store: LineageStore) -> None:
    ingest_all(
        store,
        event("COMPLETE", 1, "first", [dataset("in")], [dataset("out")]),
        kept_records(2, "first", records_in(mode="full", rows=3, operators=[{"id": 1, "type": "read"}])),
        event("COMPLETE", 3, "silent", [dataset("in")], [dataset("out")]),
        kept_records(5, "failed", records_in(refused="untraceable", operator="MapInPandas")),
        event("FAIL", 4, "failed", [dataset("in")], [dataset("out")]),
        event("COMPLETE", 6, "garbled", [dataset("in")], [dataset("out")]),
        kept_records(7, "garbled", records_in(folder=["not", "a", "text"])),
        event("COMPLETE", 8, "reads", [dataset("out")], []),
        kept_records(9, "reads", records_in()),
    )
    out = DatasetKey(NAMESPACE, "out")
    found = runs.with_records(store, out).items
    assert [(run.run_id, run.state) for run in found] == [
        (run_id("failed"), "FAIL"),
        (run_id("first"), "COMPLETE"),
    ]
    failed, first = (facet_readers.records(run.facets) for run in found)
    assert failed and (failed.refused, failed.operator, failed.operators) == (
        "untraceable",
        "MapInPandas",
        None,
    )
    assert first and (first.mode, first.folder, first.rows) == ("full", "file:/lake/records", 3)
    assert runs.with_records(store, DatasetKey(NAMESPACE, "in")).items == ()
    assert len(store.used_by_runs([found[1].key])[found[1].key]) == 2, "what it used is as before"


def test_pages_of_runs_with_records_leave_out_the_others(
    store: LineageStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runs, "RUNS_AT_ONCE", 2)
    written = [event("COMPLETE", each, f"run {each}", [], [dataset("out")]) for each in range(9)]
    ingest_all(
        store, *written, *(kept_records(20 + each, f"run {each}", records_in()) for each in (0, 3, 4, 8))
    )
    seen, after, more = [], None, True
    while more:
        found = runs.with_records(store, DatasetKey(NAMESPACE, "out"), 1, after)
        seen += [run.run_id for run in found.items]
        after, more = runs.cursor(found.items[-1]), found.has_next
    assert seen == [run_id(f"run {each}") for each in (8, 4, 3, 0)]
