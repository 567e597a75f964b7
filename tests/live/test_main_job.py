"""The main job, from a plain PySpark script to answers: on both Spark lines, from both stores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from starlette.testclient import TestClient

from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_backend.stores import open_store
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from kit.events import validate_event
from kit.jobs import Job, headwater, run_job
from kit.neo4j import empty_store
from kit.receiver import Receiver
from kit.shared import shared
from kit.spark_lines import EITHER_LINE, LINES, SPARK_4, SparkLine

pytestmark = pytest.mark.spark

DIRECT = [
    ("user.id_str", "user.id_str", "IDENTITY"),
    ("user.id_str", "entities.user_mentions[].id_str", "IDENTITY"),
    ("user.name", "user.name", "IDENTITY"),
    ("user.name", "entities.user_mentions[].name", "IDENTITY"),
    ("tweets[].text", "text", "AGGREGATION"),
]
INFLUENCES = [
    ("retweet_count", "FILTER"),
    ("user.id_str", "GROUP_BY"),
    ("user.name", "GROUP_BY"),
    ("entities.user_mentions[].id_str", "GROUP_BY"),
    ("entities.user_mentions[].name", "GROUP_BY"),
]
OUTPUTS = [
    (f"{source}_to_{target}", source)
    for source in ("json", "parquet")
    for target in ("parquet", "json", "table")
]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[SparkLine, str], Job]:
    """Runs a job over the tweets, once for each line, though pytest leaves a line and comes back to it."""

    @cache
    def run(line: SparkLine, script: str) -> Job:
        folder = tmp_path_factory.mktemp("ran")
        job = run_job(line, folder, script, str(tweets()), str(folder / "out"))
        assert job.code == 0, job.output
        return job

    return run


@pytest.fixture(scope="module", params=LINES, ids=str)
def example(request: pytest.FixtureRequest, ran: Callable[[SparkLine, str], Job]) -> Job:
    """The running example over all formats."""
    return ran(request.param, "running_example.py")


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def chain(request: pytest.FixtureRequest, ran: Callable[[SparkLine, str], Job]) -> Job:
    return ran(request.param, "chain.py")


@pytest.fixture(scope="module", params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def ask(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, example: Job, chain: Job
) -> Iterator[Any]:
    """Asks a question of `graphql/queries` over HTTP; a store of each kind has taken in the events of both jobs."""
    store = open_store(empty_store(request, tmp_path_factory.mktemp("store")))
    take(store, example)
    take(store, chain)
    app = create_app(store, Settings())
    with TestClient(app, base_url="http://127.0.0.1") as client:

        def ask(operation: str, **variables: Any) -> dict[str, Any]:
            body = {"query": queries()[operation], "variables": variables}
            answer = client.post("/graphql", json=body).json()
            assert "errors" not in answer, answer["errors"]
            return next(iter(answer["data"].values()))

        yield ask
    store.close()


def tweets() -> Any:
    return shared("data/tweets/tweets.ndjson")


def name_of(job: Job, output: str) -> str:
    source, _, target = output.partition("_to_")
    if target == "table":
        return job.path(f"spark-warehouse/users_from_{source}")
    return job.path(f"out/from_{output}")


def take(store: LineageStore, job: Job) -> None:
    for outcome in ingest(store, job.events):
        assert outcome.error is None


def label(path: list[str]) -> str:
    return ".".join(path).replace("._element", "[]")


def test_every_event_is_valid_openlineage_and_ours(example: Job, chain: Job) -> None:
    for event in (*example.events, *chain.events):
        validate_event(event)


def test_each_write_is_one_run_with_a_start_and_an_end(example: Job) -> None:
    runs: dict[str, list[str]] = {}
    for event in example.events:
        runs.setdefault(event["run"]["runId"], []).append(event["eventType"])
    assert all(types == ["START", "COMPLETE"] for types in runs.values())
    assert len(runs) == 1 + 1 + len(OUTPUTS)


@pytest.mark.parametrize(("output", "source"), OUTPUTS)
def test_the_running_example_is_reported_as_structural_provenance_says(
    example: Job, output: str, source: str
) -> None:
    facet = path_lineage(example, name_of(example, output))
    expected_input = str(tweets()) if source == "json" else example.path("out/tweets_parquet")

    found = [
        (label(f["path"]), label(i["path"]), t["subtype"])
        for f in facet["fields"]
        for i in f["inputFields"]
        for t in i["transformations"]
    ]
    assert sorted(set(found)) == sorted(DIRECT)
    assert {i["name"] for f in facet["fields"] for i in f["inputFields"]} == {expected_input}
    influences = [(label(i["path"]), t["subtype"]) for i in facet["dataset"] for t in i["transformations"]]
    assert sorted(set(influences)) == sorted(INFLUENCES)
    assert facet["complete"] is True
    nested = next(f for f in facet["fields"] if label(f["path"]) == "tweets[].text")
    assert all("NEST" in t["manipulation"] for i in nested["inputFields"] for t in i["transformations"])


@pytest.mark.parametrize(("output", "source"), OUTPUTS)
def test_both_stores_answer_the_running_example_over_graphql(
    ask: Any, example: Job, output: str, source: str
) -> None:
    target = {"namespace": "file", "name": name_of(example, output)}
    inputs = str(tweets()) if source == "json" else example.path("out/tweets_parquet")

    for path, wire in (
        ("user.id_str", ["user", "id_str"]),
        ("tweets[].text", ["tweets", "_element", "text"]),
    ):
        answer = ask("backward", node={**target, "path": wire})
        assert answer["complete"]
        assert reached(answer, inputs) == {(i, "DIRECT") for o, i, _ in DIRECT if o == path}

    influenced = ask("backward", node={**target, "path": ["user", "id_str"]}, types=["DIRECT", "INDIRECT"])
    assert reached(influenced, inputs) == {
        ("user.id_str", "DIRECT"),
        ("entities.user_mentions[].id_str", "DIRECT"),
        ("user.name", "INFLUENCED"),
        ("entities.user_mentions[].name", "INFLUENCED"),
        ("retweet_count", "INFLUENCED"),
    }

    forward = ask(
        "forward", node={"namespace": "file", "name": inputs, "path": ["retweet_count"]}, types=["INDIRECT"]
    )
    assert (target["name"], (), "INFLUENCED") in {
        (n["name"], tuple(n["path"]), n["reach"]) for n in forward["nodes"]
    }


@pytest.mark.parametrize(("output", "source"), OUTPUTS)
def test_a_breach_of_the_grouped_output_has_the_names_and_what_selected_them(
    ask: Any, example: Job, output: str, source: str
) -> None:
    personal = {
        "user.name": "user.name",
        "entities.user_mentions[].name": "user.name",
        "retweet_count": "user.behavior",
        "text": "user.content.public",
        "lang": "user",
    }
    tweet = {"namespace": "file", "name": str(tweets())}
    rules = [{**tweet, "path": path, "category": key} for path, key in personal.items()]
    # The language of a tweet is not in the output, and decided about nothing.
    answer = ask("breach", leaked=[{"namespace": "file", "name": name_of(example, output)}], rules=rules)
    copies = 1 if source == "json" else 2
    assert {
        (label(each["attribute"]["node"]["path"]), label(each["node"]["path"]), *each["forms"])
        for each in answer["values"]
    } == {
        ("user.name", "user.name", "IDENTITY"),
        ("entities.user_mentions[].name", "user.name", "IDENTITY"),
        ("text", "tweets[].text", "IDENTITY"),
        # All are authors of tweets with a certain number.
        ("retweet_count", "", "DERIVED"),
    }
    assert {len(each["witness"]) for each in answer["values"]} == {copies}
    assert {
        (label(each["attribute"]["node"]["path"]), label(each["node"]["path"]))
        for each in answer["influences"]
    } == {("user.name", ""), ("entities.user_mentions[].name", "")}


def test_a_chain_of_three_jobs_is_followed_back_and_forth(ask: Any, chain: Job) -> None:
    last = {"namespace": "file", "name": chain.path("out/often_mentioned")}
    first = {"namespace": "file", "name": str(tweets())}

    back = ask("backward", node={**last, "path": ["person", "known_as"]})
    assert [(n["distance"], n["name"].rpartition("/")[2], label(n["path"])) for n in back["nodes"]] == [
        (0, "often_mentioned", "person.known_as"),
        (1, "mentioned", "name"),
        (2, "mentions", "mention.name"),
        (3, "tweets.ndjson", "entities.user_mentions[].name"),
    ]
    assert len({e["job"]["name"] for e in back["edges"]}) == 3

    forth = ask("forward", node={**first, "path": back["nodes"][-1]["path"]})
    assert (3, last["name"], "person.known_as") in {
        (n["distance"], n["name"], label(n["path"])) for n in forth["nodes"]
    }
    counted = ask("backward", node={**last, "path": ["count"]})
    assert reached(counted, first["name"]) == {("id_str", "DIRECT")}


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_job_that_fails_is_one_fail_with_its_error(line: SparkLine, tmp_path: Any) -> None:
    job = run_job(line, tmp_path, "failing.py", str(tmp_path / "out"))
    assert job.code == 0, job.output
    assert "caught" in job.output

    writes = [e for e in job.events if e["outputs"]]
    assert [e["eventType"] for e in writes] == ["START", "FAIL"]
    error = writes[-1]["run"]["facets"]["errorMessage"]
    assert "ValueError" in error["message"] + error["stackTrace"]
    assert not re.search(r"no \d here", str(job.events))
    for event in job.events:
        validate_event(event)


def test_a_receiver_that_is_down_costs_the_job_nothing_and_gets_its_events_later(tmp_path: Any) -> None:
    receiver = Receiver()
    job = run_job(
        SPARK_4, tmp_path, "chain.py", str(tweets()), str(tmp_path / "out"), to=("--url", receiver.url)
    )
    assert job.code == 0, job.output

    with receiver:
        assert receiver.events == []
        flushed = headwater(SPARK_4, tmp_path, "spool", "flush")
        assert flushed.returncode == 0, flushed.stdout + flushed.stderr
        again = headwater(SPARK_4, tmp_path, "spool", "flush")
        assert again.returncode == 0, again.stdout + again.stderr
        events = list(receiver.events)

    keys = [(e["run"]["runId"], e["eventType"]) for e in events]
    assert len(keys) == len(set(keys)) == 8
    for run, _ in keys:
        assert keys.index((run, "START")) < keys.index((run, "COMPLETE"))


def test_a_running_server_is_sent_the_events_and_answers(tmp_path: Any) -> None:
    """`headwater run --url` against the real application."""
    store = open_store(f"sqlite:///{tmp_path}/served.db")
    with Receiver() as receiver:
        job = run_job(
            SPARK_4, tmp_path, "chain.py", str(tweets()), str(tmp_path / "out"), to=("--url", receiver.url)
        )
        assert job.code == 0, job.output
        assert [e["eventType"] for e in receiver.events].count("COMPLETE") == 4
        assert all(outcome.error is None for outcome in ingest(store, receiver.events))
    assert store.dataset_keys()
    store.close()


def path_lineage(job: Job, name: str) -> dict[str, Any]:
    """The path lineage of the completed write of that dataset."""
    (found,) = (
        o["facets"]["headwater_pathLineage"]
        for e in job.events
        if e["eventType"] == "COMPLETE"
        for o in e["outputs"]
        if o["name"] == name
    )
    return dict(found)


def reached(answer: dict[str, Any], dataset: str) -> set[tuple[str, str]]:
    """(path, reach) of what an answer has of a dataset."""
    return {(label(n["path"]), n["reach"]) for n in answer["nodes"] if n["name"] == dataset}
