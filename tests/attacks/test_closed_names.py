"""A reader of some namespaces learns no name of another one, whatever is asked and however."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from headwater_backend.access.api_keys import new_key
from headwater_backend.domain.model import DatasetKey
from headwater_backend.domain.roles import Role, everything
from headwater_backend.ingest.service import ingest
from headwater_backend.names import stewardship
from headwater_backend.names.decisions import Alias
from headwater_backend.names.stewardship import Steward, Wanted
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from kit import operations
from kit.openlineage import dataset, event, facet, run_id

OPEN, SHUT = "open", "shut"
SECRET = "topsecret"
"""Part of every name that a reader must not see."""
PATIENCE = 20
FIRST = {"namespace": OPEN, "name": "first", "path": ["a"]}
LAST = {"namespace": OPEN, "name": "last", "path": ["a"]}
MIDDLE = {"namespace": SHUT, "name": f"{SECRET}_middle"}
JOB = {"namespace": OPEN, "name": "one"}
Ask = Callable[..., Mapping[str, Any]]

ASKED = operations.variables(
    operations.Known(source=FIRST, target=LAST, job=JOB, run=run_id("one"), parent=run_id("parent"))
)
ALSO: Mapping[str, list[dict[str, Any]]] = {
    "conditions": [{"job": {"namespace": OPEN, "name": "two"}, "output": LAST}],
    "dataset": [{"namespace": OPEN, "name": "alias"}],
    "datasets": [{"search": SECRET[:4]}],
    "jobs": [{"search": SECRET[:4]}],
    "overview": [{"opened": [{"namespace": OPEN}, {"namespace": SHUT}, {"namespace": "closed"}]}],
    "near_names": [
        {"text": f"{SECRET}_mid", "kinds": ["DATASET", "JOB", "NAMESPACE", "OWNER", "TAG"]},
        {"text": "x", "kinds": ["DATASET", "JOB", "NAMESPACE", "OWNER", "TAG"]},
    ],
    "named_datasets": [{"text": SECRET[:4]}],
    "newest_runs": [{"jobs": [JOB, {"namespace": SHUT, "name": f"{SECRET}_job"}]}],
    "search": [{"text": SECRET[:4]}, {"text": "e"}, {"text": "team"}],
    "user_functions": [{"search": "one"}],
}
"""What is asked besides, about or with names that must stay closed."""
NO_NAMES = {"caller", "column_usage", "dataset_paths"}
"""Questions about the reader, or about the paths of one dataset, whose answers name nothing else."""
REFUSED = {
    "claims", "copy_decisions", "copy_proposals", "correction_decisions", "corrections", "dataset_aliases",
    "dataset_separations", "function_proposals", "name_decisions", "name_proposals", "namespace_rules",
}  # fmt: skip
"""Lists of names of all namespaces: a decision about security, made here for each operation."""
READABLE = sorted(operations.for_readers() - REFUSED - {"run_news"})

USED = {
    "name": "f",
    "sort": "PYTHON_UDF",
    "known": "DECLARED",
    "code": {"function": "f", "file": f"{SECRET}.py", "line": 1},
    "differences": [{"difference": "UNDECLARED", "argument": 0, "from": [f"{SECRET}_field"], "to": []}],
}


FILTER = {
    "operator": 3,
    "access": "FILTER",
    "sql": f"{SECRET}_field = 1",
    "expression": {
        "op": "=",
        "args": [{"path": {**MIDDLE, "path": [f"{SECRET}_field"]}}, {"literal": 1, "type": "integer"}],
    },
}


def named(name: str, namespace: str, **facets: Any) -> dict[str, Any]:
    field = "a" if namespace == OPEN else f"{SECRET}_field"
    return {**dataset(name, field, **facets), "namespace": namespace}


def step(job: str, source: dict[str, Any], target: dict[str, Any], minute: int) -> dict[str, Any]:
    """A run of a job that copies the only column of one dataset to another, and has a gap."""
    path = [each["facets"]["schema"]["fields"][0]["name"] for each in (source, target)]
    lineage = facet(
        fields=[
            {
                "path": [path[1]],
                "inputFields": [
                    {
                        "namespace": source["namespace"],
                        "name": source["name"],
                        "path": [path[0]],
                        "transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "masking": False}],
                    }
                ],
            }
        ],
        complete=False,
        incomplete=[{"reason": "RDD", "detail": f"an RDD over {SECRET}"}],
    )
    target["facets"]["headwater_pathLineage"] = lineage
    run = event("COMPLETE", minute, job, [source], [target], job)
    run["job"]["namespace"] = OPEN if job in ("one", "two") else SHUT
    run["job"]["facets"] = {
        "sql": facet(query=f"SELECT * FROM {SECRET}"),
        "ownership": facet(owners=[{"name": "team"}]),
        "headwater_functions": facet(functions=[USED]),
        "headwater_conditions": facet(conditions=[FILTER]),
    }
    parent = {"run": {"runId": run_id("parent")}, "job": {"namespace": SHUT, "name": f"{SECRET}_parent"}}
    run["run"]["facets"] = {"parent": facet(**parent), "errorMessage": facet(message=f"no {SECRET}")}
    return run


def beside(job: str, *used: dict[str, Any]) -> dict[str, Any]:
    """A run of a closed job that reads datasets, or writes one with records, and passes nothing on."""
    run = event("COMPLETE", 4, job, list(used), [], job)
    if len(used) == 1:
        run.update(inputs=[], outputs=list(used))
        run["run"]["facets"] = {"headwater_records": facet(mode="ends", folder="file:/records", entry="a")}
    run["job"]["namespace"] = SHUT
    return run


@pytest.fixture
def filled(store: LineageStore) -> LineageStore:
    """Lineage from an open dataset through two closed ones to an open one, by open and closed jobs."""
    middle, beyond = named(f"{SECRET}_middle", SHUT), named(f"{SECRET}_beyond", SHUT)
    links = {"identifiers": [{"namespace": SHUT, "name": f"{SECRET}_link", "type": "TABLE"}]}
    owned = facet(owners=[{"name": f"{SECRET}_team"}])
    tagged = facet(tags=[{"key": f"{SECRET}_tag", "value": "x"}])
    events = [
        step("one", named("first", OPEN, symlinks=facet(**links)), middle, 1),
        step(f"{SECRET}_job", {**middle, "facets": {**middle["facets"], "ownership": owned}}, beyond, 2),
        step("two", {**beyond, "facets": {**beyond["facets"], "tags": tagged}}, named("last", OPEN), 3),
    ]
    events.append(beside(f"{SECRET}_reader", named("first", OPEN), named(f"{SECRET}_source", SHUT)))
    events.append(beside(f"{SECRET}_writer", named("last", OPEN)))
    assert [outcome.error for outcome in ingest(store, events)] == [None] * 5
    alias = Alias(DatasetKey(OPEN, "alias"), DatasetKey(**MIDDLE))
    stewardship.decide(store, Wanted((alias,), (), ()), Steward(everything("somebody"), "known"))
    return store


@pytest.fixture
def ask(filled: LineageStore, tmp_path: Path) -> Iterator[Ask]:
    """A function that asks a kept operation by the key of a reader of open namespaces."""
    with asking(filled, tmp_path, Role.READER, ["open*"]) as send:
        yield send


@contextmanager
def asking(store: LineageStore, folder: Path, role: Role, namespaces: list[str]) -> Iterator[Ask]:
    file = folder / "keys.json"
    _, key = new_key(file, "somebody", [role], namespaces)
    settings = Settings(keys_file=file, readers_by_namespace=True)
    with TestClient(create_app(store, settings), base_url="http://localhost") as client:

        def send(operation: str, /, **variables: Any) -> Mapping[str, Any]:
            body = {"query": queries()[operation], "variables": variables}
            headers = {"authorization": f"Bearer {key}"}
            return dict(client.post("/graphql", json=body, headers=headers).json())

        yield send


def test_each_operation_that_is_not_for_readers_is_refused(ask: Ask) -> None:
    for name in sorted(ASKED.keys() - operations.for_readers()):
        for variables in ASKED[name]:
            errors = json.dumps(ask(name, **variables)["errors"])
            assert "FORBIDDEN" in errors and SECRET not in errors, name


def test_each_operation_that_a_reader_may_ask_has_a_question() -> None:
    assert operations.missing(ASKED) == ""
    assert len(READABLE) > 30 and ALSO.keys() <= set(READABLE)


@pytest.mark.parametrize("name", READABLE)
def test_no_answer_has_a_name_of_a_closed_namespace(ask: Ask, name: str) -> None:
    for variables in [*ASKED[name], *ALSO.get(name, [])]:
        answer = ask(name, **variables)
        assert "errors" not in answer, f"an answer is wanted, unless {name} belongs to REFUSED: {answer}"
        answered = json.dumps(answer["data"])
        assert SECRET not in answered and SHUT not in answered


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_lists_of_all_names_are_refused(ask: Ask, name: str) -> None:
    answers = [ask(name, **variables) for variables in [{}, *ASKED[name]]]
    assert answers[0]["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    assert [answer["data"] for answer in answers] == [None] * len(answers)
    assert SECRET not in json.dumps(answers)


def test_the_answers_would_have_such_names(filled: LineageStore, tmp_path: Path) -> None:
    with asking(filled, tmp_path, Role.AUDITOR, []) as ask:
        answers = {
            name: [ask(name, **each)["data"] for each in [*ASKED[name], *ALSO.get(name, [])]]
            for name in READABLE
        }
    without = {name for name, answer in answers.items() if SECRET not in json.dumps(answer)}
    assert sorted(without ^ NO_NAMES) == [], (
        "let `filled` have something that is found, or say in NO_NAMES that none is"
    )


def test_lineage_goes_on_through_closed_datasets_and_jobs(ask: Ask) -> None:
    graph = ask("forward", node=FIRST)["data"]["forwardLineage"]
    names = [(node["namespace"], node["name"].split(" ")[0]) for node in graph["nodes"]]
    assert names == [(OPEN, "first"), ("closed", "dataset"), ("closed", "dataset"), (OPEN, "last")]
    assert len(graph["edges"]) == 3 and not graph["complete"]
    jobs = [edge["job"]["name"].split(" ")[0] for edge in graph["edges"]]
    assert sorted(jobs) == ["job", "one", "two"]


def test_a_closed_name_can_be_asked_on_and_still_tells_nothing(ask: Ask) -> None:
    closed = ask("forward", node=FIRST)["data"]["forwardLineage"]["nodes"][1]
    node = {key: closed[key] for key in ("namespace", "name", "path")}
    graph = ask("forward", node=node)["data"]["forwardLineage"]
    assert graph["nodes"][-1]["name"] == "last"
    described = ask("dataset", namespace=node["namespace"], name=node["name"])["data"]["dataset"]
    assert described["facets"] == {} and described["owners"] == [] and SECRET not in json.dumps(described)


def test_the_real_name_of_a_closed_dataset_is_an_unknown_one(ask: Ask) -> None:
    answer = ask("forward", node=MIDDLE)
    missing = ask("forward", node={"namespace": SHUT, "name": "nothing_like_it"})
    assert answer["errors"][0]["extensions"]["code"] == missing["errors"][0]["extensions"]["code"]
    assert ask("dataset", **MIDDLE)["data"]["dataset"] is None
    job = {"namespace": SHUT, "name": f"{SECRET}_job"}
    assert ask("job", **job)["data"]["job"] is None


def test_auditors_see_all(filled: LineageStore, tmp_path: Path) -> None:
    file = tmp_path / "others.json"
    _, key = new_key(file, "auditor", [Role.AUDITOR], [])
    settings = Settings(keys_file=file, readers_by_namespace=True)
    with TestClient(create_app(filled, settings), base_url="http://localhost") as client:
        body = {"query": queries()["forward"], "variables": {"node": FIRST}}
        answer = client.post("/graphql", json=body, headers={"authorization": f"Bearer {key}"}).text
    assert f"{SECRET}_middle" in answer


@pytest.mark.parametrize("by_header", [True, False], ids=["header", "first message"])
def test_news_are_of_open_jobs_only(filled: LineageStore, tmp_path: Path, by_header: bool) -> None:
    file = tmp_path / "news.json"
    _, key = new_key(file, "somebody", [Role.READER], ["open*"])
    credential = {"authorization": f"Bearer {key}"}
    app = create_app(filled, Settings(keys_file=file, readers_by_namespace=True))
    address, headers = "ws://localhost/graphql", credential if by_header else {}
    with (
        TestClient(app, base_url="http://localhost") as client,
        client.websocket_connect(address, subprotocols=["graphql-transport-ws"], headers=headers) as socket,
    ):
        socket.send_json({"type": "connection_init", "payload": {} if by_header else credential})
        assert socket.receive_json()["type"] == "connection_ack"
        payload = {"query": queries()["run_news"], "variables": {}}
        socket.send_json({"id": "1", "type": "subscribe", "payload": payload})
        give_up = time.monotonic() + PATIENCE
        while not app.state.feed.readers:  # events that are stored before the subscription are no news
            assert time.monotonic() < give_up, "the subscription did not begin"
            time.sleep(0.01)
        shut = event("START", 8, "shut", job=f"{SECRET}_job")
        shut["job"]["namespace"] = SHUT
        mine = event("START", 9, "mine", job="one")
        mine["job"]["namespace"] = OPEN
        for each in (shut, mine):
            assert [outcome.error for outcome in ingest(filled, [each])] == [None]
        message = socket.receive_json()
        assert message["payload"]["data"]["runNews"]["job"] == JOB and SECRET not in json.dumps(message)


def test_news_of_closed_jobs_end_with_the_right_to_see_them(filled: LineageStore, tmp_path: Path) -> None:
    file = tmp_path / "news.json"
    _, key = new_key(file, "somebody", [Role.AUDITOR], ["open*"])
    app = create_app(filled, Settings(keys_file=file, readers_by_namespace=True))
    headers = {"authorization": f"Bearer {key}"}
    with (
        TestClient(app, base_url="http://localhost") as client,
        client.websocket_connect(
            "ws://localhost/graphql", subprotocols=["graphql-transport-ws"], headers=headers
        ) as socket,
    ):
        socket.send_json({"type": "connection_init"})
        assert socket.receive_json()["type"] == "connection_ack"
        payload = {"query": queries()["run_news"], "variables": {}}
        socket.send_json({"id": "1", "type": "subscribe", "payload": payload})
        give_up = time.monotonic() + PATIENCE
        while not app.state.feed.readers:
            assert time.monotonic() < give_up, "the subscription did not begin"
            time.sleep(0.01)
        keys = json.loads(file.read_text())
        file.write_text(json.dumps([{**each, "roles": ["reader"]} for each in keys]))
        shut = event("START", 8, "shut", job=f"{SECRET}_job")
        shut["job"]["namespace"] = SHUT
        assert [outcome.error for outcome in ingest(filled, [shut])] == [None]
        text = json.dumps(socket.receive_json())
        assert "the rights of these credentials have changed" in text
        assert SECRET not in text
