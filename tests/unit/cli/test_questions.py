"""``headwater search``, ``runs``, ``job``, ``sources``, ``unused`` and ``usage`` on a store and a server."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from headwater_cli.questions.runs import duration
from kit import commands
from kit.command import STOP_SECONDS, headwater, served, surroundings
from kit.openlineage import NAMESPACE, dataset, event, facet, run_id

JOB = "rate_recent_parcels"


def rows(*arguments: str) -> list[list[str]]:
    """Return the rows of the tab-separated output, without its headings."""
    answer = headwater(*arguments)
    assert answer.exit_code == 0, answer.output
    return [line.split("\t") for line in answer.stdout.splitlines()[1:]]


def query_json(*arguments: str) -> Any:
    answer = headwater(*arguments, "--json")
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


EXAMPLES = commands.examples(commands.Known("customers", "email", "vouchers", "customer_email", JOB, "email"))
EMPTY = {
    "alias history", "alias list", "alias propose", "alias separations", "classify declassifications",
    "copies history", "copies propose", "corrections history", "corrections list", "dead-letters list",
    "dead-letters replay", "findings list", "functions list", "functions proposals", "namespaces list", "records runs",
}  # fmt: skip
"""What lists nothing of this store."""


def test_each_command_that_asks_has_an_example() -> None:
    assert commands.missing(EXAMPLES) == ""


@pytest.mark.parametrize("target", ["server"], indirect=True)
def test_a_server_returns_the_same_answers_as_a_store(looked: str, target: Sequence[str]) -> None:
    for arguments in EXAMPLES:
        if arguments == ("audit", "list"):  # to ask is an entry of the next answer
            continue
        answers = [headwater(*arguments, "--json", *where) for where in (target, ("--store", looked))]
        of_server, of_store = ((answer.exit_code, without_now(answer.stdout)) for answer in answers)
        assert of_server == of_store, arguments
        is_empty = of_store == (0, [])
        assert is_empty == (" ".join(arguments[:2]) in EMPTY), (
            f"{arguments} finds nothing here, or belongs to EMPTY"
        )


def without_now(text: str) -> Any:
    """The answer, without the moment at which it was asked."""
    answer = json.loads(text)
    return {**answer, "asOf": None} if "asOf" in answer else answer


def test_search_finds_a_text(store: str) -> None:
    found = rows("search", "EMAIL", "--store", store)
    assert {row[0] for row in found} == {"job", "path"}
    assert ["path", "parcels", "shop.customers", "email", "path email"] in found
    jobs = query_json("search", "recent", "--kind", "job", "--by", "name", "--store", store)
    assert JOB in [hit["name"] for hit in jobs]


def test_a_cut_list_is_reported(store: str) -> None:
    answer = headwater("search", "e", "--limit", "2", "--store", store)
    assert len(answer.stdout.splitlines()) == 3
    assert "only the first 2 are" in answer.stderr
    whole = headwater("search", "e", "--limit", "2000", "--store", store)
    assert len(whole.stdout.splitlines()) > 3
    assert whole.stderr == ""


def test_the_runs_of_a_job_and_of_a_dataset_are_listed(store: str) -> None:
    history = query_json("runs", JOB, "--store", store)
    assert {run["job"]["name"] for run in history} == {JOB}
    assert [run["startedAt"] for run in history] == sorted(
        (run["startedAt"] for run in history), reverse=True
    )
    assert {row[4] for row in rows("runs", JOB, "--store", store)} == {run["runId"] for run in history}
    read = query_json("runs", "--dataset", "customers", "--use", "input", "--store", store)
    assert "collect_recent_parcels" in {run["job"]["name"] for run in read}
    written = query_json("runs", "--dataset", "vouchers", "--use", "output", "--store", store)
    assert JOB in {run["job"]["name"] for run in written}


def test_runs_with_records_are_listed_with_their_folder(workdir: Path, target: Sequence[str]) -> None:
    kept = {"mode": "ends", "folder": "file:/lake/records"}
    events = [event("COMPLETE", each, f"run {each}", [], [dataset("by_user")]) for each in range(3)]
    for name, more in (
        ("run 0", {"entry": "a", "rows": 7}),
        ("run 2", {"entry": "b", "refused": "untraceable"}),
    ):
        added = event("OTHER", 9, name, [], [])
        added["run"]["facets"] = {"headwater_records": facet(**kept, **more)}
        events.append(added)
    headwater("import", "-", *target, stdin="\n".join(map(json.dumps, events)))

    found = rows("records", "runs", "by_user", *target)
    assert [each[3:] for each in found] == [
        [run_id("run 2"), "ends", "file:/lake/records", "b", "", "untraceable"],
        [run_id("run 0"), "ends", "file:/lake/records", "a", "7", ""],
    ]
    whole = query_json("records", "runs", "by_user", *target)
    assert [each["records"]["entry"] for each in whole] == ["b", "a"]
    nothing = headwater("records", "runs", "none_such", *target)
    assert nothing.exit_code == 3 and "none_such" in nothing.output


def test_metrics_and_test_results_of_a_dataset_are_printed(workdir: Path) -> None:
    metrics = facet(rowCount=3, columnMetrics={"id": {"nullCount": 1, "quantiles": {"0.5": 1.5}}})
    tests = [
        {"assertion": "not_null", "column": "id", "success": False, "severity": "warn", "actual": "1"},
        {"assertion": "unique", "column": "id", "success": True},
    ]
    read = {"dataQualityMetrics": metrics, "dataQualityAssertions": facet(assertions=tests)}
    wrote = {"outputStatistics": facet(rowCount=3, size=70, fileCount=1)}
    events = [
        event("COMPLETE", 1, "1", [], [{**dataset("orders", "id"), "outputFacets": wrote}], "load"),
        event("COMPLETE", 2, "2", [{**dataset("orders", "id"), "inputFacets": read}], [], "test"),
    ]
    executed = [{"name": "fresh", "status": "fail"}, {"name": "whole", "status": "pass", "severity": "warn"}]
    events[1]["run"]["facets"] = {"test": facet(tests=executed)}
    file = workdir / "events.ndjson"
    file.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    where = ("--store", f"sqlite:///{workdir}/quality.db")
    assert headwater("import", file, *where).exit_code == 0
    assert [row[1:] for row in rows("quality", "orders", *where)] == [
        ["test", "input", "", "rows, measured", "3"],
        ["test", "input", "id", "nulls", "1"],
        ["test", "input", "id", "quantile 0.5", "1.5"],
        ["test", "input", "id", "not_null", "FAILED (warn; actual 1)"],
        ["test", "input", "id", "unique", "success"],
        ["load", "output", "", "rows", "3"],
        ["load", "output", "", "bytes", "70"],
        ["load", "output", "", "files", "1"],
    ]
    assert [row[1] for row in rows("quality", "orders", "--use", "output", *where)] == ["load"] * 3
    tested, loaded = rows("runs", "--dataset", "orders", *where)
    assert tested[5] == "orders (1 of 2 assertions FAILED)"
    assert tested[7] == "1 of 2 tests FAILED: fresh"
    assert loaded[6] == "orders (3 rows, 70 bytes, 1 files)"
    assert query_json("quality", "orders", *where)["dataset"]["quality"] is None


def test_a_dataset_is_described(workdir: Path) -> None:
    identifiers = [{"namespace": "hive", "name": "shop.orders", "type": "TABLE"}]
    facets = {
        "symlinks": facet(identifiers=identifiers),
        "ownership": facet(owners=[{"name": "team:shop"}]),
        "documentation": facet(description="what was ordered"),
        "version": facet(datasetVersion="7"),
        "tags": facet(tags=[{"key": "gold", "value": ""}, {"key": "pii", "value": "yes", "field": "id"}]),
        "lifecycleStateChange": facet(
            lifecycleStateChange="RENAME", previousIdentifier={"namespace": "test", "name": "old"}
        ),
    }
    drop = dataset("orders", lifecycleStateChange=facet(lifecycleStateChange="DROP"))
    first = dataset(
        "orders",
        lifecycleStateChange=facet(lifecycleStateChange="OVERWRITE"),
        headwater_extent=facet(replaced="PART"),
    )
    tagged = event("COMPLETE", 1, "1", [], [dataset("orders", "id", **facets)], "load")
    tagged["job"]["facets"] = {"tags": facet(tags=[{"key": "nightly", "value": "yes"}])}
    events = [event("COMPLETE", 0, "0", [], [first], "load"), tagged]
    events.append(event("COMPLETE", 2, "2", [], [drop], "clean"))
    file, where = workdir / "events.ndjson", ("--store", f"sqlite:///{workdir}/lineage.db")
    file.write_text("\n".join(map(json.dumps, events)), encoding="utf-8")
    assert headwater("import", file, *where).exit_code == 0
    found = rows("dataset", "shop.orders", *where)
    assert {row[1] for row in found if row[0] in ("name", "also called")} == {
        "orders",
        "hive shop.orders",
        "test old",
    }
    assert [row for row in found if row[0] not in ("name", "also called")] == [
        ["namespace", "test"],
        ["description", "what was ordered"],
        ["owner", "team:shop"],
        ["version", "7"],
        ["tag", "gold"],
        ["tag of id", "pii=yes"],
        ["path", "id string"],
        ["dropped", "2026-01-01T00:02:00+00:00"],
        ["change", "2026-01-01T00:02:00+00:00 DROP by clean"],
        ["change", "2026-01-01T00:01:00+00:00 RENAME from test old by load"],
        ["change", "2026-01-01T00:00:00+00:00 OVERWRITE PART by load"],
    ]
    assert ["tag", "nightly=yes"] in rows("job", "load", *where)


def test_a_run_and_the_runs_it_started_are_listed(workdir: Path, target: Sequence[str]) -> None:
    parent = facet(run={"runId": run_id("dag")}, job={"namespace": NAMESPACE, "name": "dag"})
    events = [event("START", 0, "dag", job="dag")]
    for number in range(3):
        below = event("COMPLETE", number, f"task {number}", job="task")
        below["run"]["facets"] = {"parent": parent, "own": facet(number=number)}
        events.append(below)
    headwater("import", "-", *target, stdin="\n".join(map(json.dumps, events)))

    started = query_json("runs", "--parent", run_id("dag"), *target)
    assert [run["runId"] for run in started] == [run_id(f"task {number}") for number in (2, 1, 0)]
    cut = headwater("runs", "--parent", run_id("dag"), "--limit", "2", *target)
    assert len(cut.stdout.splitlines()) == 3 and "only the first 2 are" in cut.stderr
    (one,) = query_json("runs", "task", "--run", run_id("task 1").upper(), *target)
    assert (one["state"], one["facets"]["own"]["number"]) == ("COMPLETE", 1)
    assert [row[4] for row in rows("runs", "task", "--run", run_id("task 1"), *target)] == [run_id("task 1")]


def test_a_job_is_described(store: str) -> None:
    rows_of_job = rows("job", JOB, "--store", store)
    assert ["name", JOB] in rows_of_job
    assert ["reads", "shop.recent_parcels"] in rows_of_job
    assert query_json("job", JOB, "--store", store)["lastRun"]["runId"]


def test_a_job_of_spark_is_found_by_what_a_person_calls_it(workdir: Path) -> None:
    name, title = "etl.execute_insert_into_hadoop_fs_relation_command.lake_people", "etl: write lake_people"
    file, where = workdir / "events.ndjson", ("--store", f"sqlite:///{workdir}/lineage.db")
    file.write_text(json.dumps(event("COMPLETE", 1, "1", job=name)), encoding="utf-8")
    assert headwater("import", file, *where).exit_code == 0
    for given in (name, title):
        found = rows("job", given, *where)
        assert ["name", name] in found
        assert ["title", title] in found
        assert query_json("runs", given, *where)[0]["job"]["name"] == name


def test_sources_are_listed_and_found_for_a_path(store: str) -> None:
    names = [source["name"] for source in query_json("sources", "--store", store)]
    assert "shop.customers" in names or "shop.recent_parcels" not in names
    for moment in ("2001-01-01", "2001-01-01t00:00:00z"):
        assert query_json("sources", "--as-of", moment, "--store", store) == []
    assert [
        each["name"] for each in query_json("sources", "--as-of", "2090-01-01", "--store", store)
    ] == names
    golden = rows("sources", "vouchers", "customer_email", "--store", store)
    assert golden
    assert {row[2] for row in golden if row[0] == "source"} <= set(names)


def test_unused_datasets_depend_on_the_time(store: str) -> None:
    always = {row[1] for row in rows("unused", "--since", "1990-01-01", "--store", store)}
    later = {row[1] for row in rows("unused", "--since", "2090-01-01", "--store", store)}
    assert "shop.customers" not in always
    assert always < later
    assert "shop.customers" in later


def test_usage_counts_runs(store: str) -> None:
    found = rows("usage", "customers", "--since", "1990-01-01", "--store", store)
    assert [row[1] for row in found if row[0] == "path"]
    answer = headwater(
        "usage", "customers", "--since", "1990-01-01", "--paths", "1", "--strict", "--store", store
    )
    assert answer.exit_code == 4
    assert "incomplete: PATHS" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("runs", "rate_recent"), 3, "rate_recent_parcels"),
        (("job", "nothing_like_it"), 3, "UNKNOWN_JOB"),
        (("job", "nothing_like_it", "--namespace", "parcels"), 3, "UNKNOWN_JOB"),
        (("runs",), 2, "either a JOB, a --dataset or a --parent"),
        (("runs", JOB, "--parent", "x"), 2, "either a JOB, a --dataset or a --parent"),
        (("runs", "--dataset", "customers", "--run", "x"), 2, "--run goes with a JOB"),
        (("runs", JOB, "--run", "x"), 3, "UNKNOWN_RUN"),
        (("runs", JOB, "--use", "input"), 2, "--use goes with --dataset"),
        (("sources", "--within", "customers"), 2, "--within goes with a DATASET"),
        (("sources", "--depth", "50"), 2, "--depth goes with a DATASET"),
        (("unused", "--since", "yesterday"), 2, "is not a time"),
        (
            ("usage", "customers", "--since", "2026-01-02", "--until", "2026-01-01"),
            1,
            "since is before until",
        ),
    ],
)
def test_an_impossible_query_is_reported_with_a_hint(
    store: str, arguments: tuple[str, ...], code: int, message: str
) -> None:
    answer = headwater(*arguments, "--store", store)
    assert answer.exit_code == code
    assert message in answer.stderr
    assert answer.stdout == ""


def test_runs_are_followed_until_interrupted(workdir: Path) -> None:
    with served(workdir, "--store", f"sqlite:///{workdir}/followed.db") as (address, _):
        command = [
            sys.executable,
            "-u",
            "-m",
            "headwater_cli",
            "runs",
            "--follow",
            "--url",
            address,
            "--json",
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=surroundings(), text=True) as following:
            sending = threading.Event()

            def send() -> None:
                number = 0
                while not sending.wait(0.1):
                    number += 1
                    httpx.post(f"{address}/api/v1/lineage", json=event("START", number, f"run {number}"))

            sender = threading.Thread(target=send)
            sender.start()
            assert following.stdout is not None
            shown_run = json.loads(following.stdout.readline())
            sending.set()
            sender.join()
            following.send_signal(signal.SIGINT)
            following.communicate(timeout=STOP_SECONDS)
            assert following.returncode == 0
    assert (shown_run["job"]["name"], shown_run["state"]) == ("job", "START")


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--url", "http://127.0.0.1:9"), 1, "SERVER_AWAY"),
        (("--store", "sqlite:///some.db"), 2, "--follow goes with --url"),
        (("--url", "http://127.0.0.1:9", "--dataset", "x"), 2, "not with --dataset"),
    ],
)
def test_an_impossible_subscription_is_reported(options: tuple[str, ...], code: int, message: str) -> None:
    answer = headwater("runs", "--follow", *options)
    assert answer.exit_code == code
    assert message in answer.stderr


def test_durations_are_printed_in_suitable_units() -> None:
    shown_as = [duration(seconds) for seconds in (None, 0.0, 59.94, 90.0, 7_200.0, 129_600.0)]
    assert shown_as == ["", "0.0 s", "59.9 s", "1.5 min", "2.0 h", "1.5 d"]


def test_user_functions_are_listed_with_what_is_known_of_them(workdir: Path) -> None:
    run = event("COMPLETE", 1, run_id("one"), [dataset("in", "a")], [dataset("out", "a")], "load")
    opaque = {"code": "OUTSIDE", "reason": "it opens a file (open)", "hint": "give it", "line": 3}
    way = {"difference": "UNDECLARED", "argument": 1, "from": ["zip"], "to": []}
    run["job"]["facets"]["headwater_functions"] = facet(
        functions=[
            {"name": "city", "sort": "PYTHON_UDF", "known": "ANALYSED"},
            {"name": "score", "sort": "PYTHON_UDF", "known": "OPAQUE", "why": [opaque]},
            {
                "name": "hide",
                "sort": "PYTHON_UDF",
                "known": "DECLARED",
                "code": {"function": "hide", "file": "job.py", "line": 9},
                "differences": [way],
            },
        ]
    )
    (workdir / "events.ndjson").write_text(json.dumps(run))
    store = f"sqlite:///{workdir}/functions.db"
    assert headwater("import", "events.ndjson", "--store", store).exit_code == 0
    asked = ("functions", "list", "--store", store)
    listed = rows(*asked)
    assert [row[:4] for row in listed] == [
        ["load", "city", "read from code", ""],
        ["load", "score", "opaque", ""],
        ["load", "hide", "declared", "job.py:9"],
    ]
    assert [row[4] for row in rows(*asked, "--opaque")] == ["it opens a file (open) (line 3): give it"]
    assert [row[4] for row in rows(*asked, "lo", "--differing")] == ["UNDECLARED 1.zip -> result"]
    assert headwater(*asked, "other").stdout.startswith("no job has such functions")
    functions = [row[1] for row in rows("job", "load", "--store", store) if row[0] == "function"]
    assert functions[1:] == [
        "score  opaque  it opens a file (open) (line 3): give it",
        "hide  declared  job.py:9  UNDECLARED 1.zip -> result",
    ]
