"""Queries over GraphQL on a graph defined in each test."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from headwater_backend.domain.errors import RulesError
from headwater_backend.domain.model import Dataset, DatasetKey, Incomplete
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from kit.memory_store import MemoryStore, graph, node

GRAPH = """
    tweets:user.id -IDENTITY-> out:author.id @union
    tweets:retweets -FILTER-> out @union
    out:author.id -HASH-> token:id @mask
"""


def _client(store: MemoryStore, **settings: Any) -> TestClient:
    return TestClient(create_app(store, Settings(**settings)), base_url="http://localhost")


@pytest.fixture
def client() -> Iterator[TestClient]:
    gap = Incomplete("RDD", DatasetKey("ns", "token"), (), None, "an RDD")
    tags = [(node("tweets:user.id"), "pii", "true")]
    with _client(MemoryStore(graph(GRAPH), tags=tags, incomplete=[gap])) as opened:
        yield opened


def _run_query(client: TestClient, operation: str, /, **variables: Any) -> dict[str, Any]:
    response = client.post("/graphql", json={"query": queries()[operation], "variables": variables})
    assert response.status_code == 200
    answer: dict[str, Any] = response.json()
    return answer


def _ref(text: str) -> dict[str, Any]:
    key = node(text)
    return {"namespace": "ns", "name": key.dataset.name, "path": list(key.path)}


def test_backward_lineage_has_the_start_first_and_edges_by_index(client: TestClient) -> None:
    answer = _run_query(client, "backward", node=_ref("out:author.id"), types=["DIRECT", "INDIRECT"])
    found = answer["data"]["backwardLineage"]
    assert [(n["name"], n["label"], n["distance"], n["reach"]) for n in found["nodes"]] == [
        ("out", "author.id", 0, "DIRECT"),
        ("out", "out", 0, "DIRECT"),
        ("tweets", "retweets", 1, "INFLUENCED"),
        ("tweets", "user.id", 1, "DIRECT"),
    ]
    ends = {(e["source"], e["target"], e["transformations"][0]["subtype"]) for e in found["edges"]}
    assert ends == {(3, 0, "IDENTITY"), (2, 1, "FILTER")}
    assert found["edges"][0]["job"] == {"namespace": "ns", "name": "union"}
    assert found["complete"] is True


def test_the_default_follows_values_only(client: TestClient) -> None:
    found = _run_query(client, "backward", node=_ref("out:author.id"))["data"]["backwardLineage"]
    assert [n["label"] for n in found["nodes"]] == ["author.id", "user.id"]


def test_forward_lineage_reports_gaps(client: TestClient) -> None:
    found = _run_query(client, "forward", node=_ref("tweets:user.id"))["data"]["forwardLineage"]
    assert [n["label"] for n in found["nodes"]] == ["user.id", "author.id", "id"]
    assert found["complete"] is False
    assert [entry["reason"] for entry in found["incomplete"]] == ["RDD"]


def test_no_path_is_the_whole_dataset(client: TestClient) -> None:
    answer = _run_query(
        client, "forward", node={"namespace": "ns", "name": "tweets"}, types=["DIRECT", "INDIRECT"]
    )
    nodes = answer["data"]["forwardLineage"]["nodes"]
    assert (nodes[0]["path"], nodes[0]["label"]) == ([], "tweets")
    assert {n["label"] for n in nodes} == {"tweets", "user.id", "retweets", "author.id", "out", "id"}


def test_exposure_has_a_witness(client: TestClient) -> None:
    found = _run_query(client, "exposure")["data"]["attributeExposure"]
    (attribute,) = found["attributes"]
    assert attribute["categories"] == ["user"]
    assert attribute["saidBy"] == ["tag pii = true"]
    found = {
        out["node"]["label"]: (out["form"], [step["job"]["name"] for step in out["witness"]])
        for out in attribute["outputs"]
    }
    assert found == {"author.id": ("IDENTITY", ["union"]), "id": ("PSEUDONYMISED", ["union", "mask"])}


def test_rules_of_the_server_classify_attributes(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("- {dataset: 'ns tweets', path: retweets, category: user.social}\n")
    with _client(MemoryStore(graph(GRAPH)), rules=rules) as client:
        found = _run_query(client, "exposure", category="user.social", influenced=True)["data"][
            "attributeExposure"
        ]
    (attribute,) = found["attributes"]
    assert [(o["form"], o["kinds"]) for o in attribute["outputs"]] == [("INFLUENCED", ["FILTER"])] * 2


def test_invalid_rules_stop_the_server_before_it_starts(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("- {dataset: x, path: y, category: nonsense}\n")
    with pytest.raises(RulesError):
        create_app(MemoryStore([]), Settings(rules=rules))


def test_datasets_are_paged(client: TestClient) -> None:
    first = _run_query(client, "datasets", first=2)["data"]["datasets"]
    assert [edge["node"]["name"] for edge in first["edges"]] == ["out", "token"]
    assert first["totalCount"] == 3 and first["pageInfo"]["hasNextPage"] is True
    rest = _run_query(client, "datasets", after=first["pageInfo"]["endCursor"])["data"]["datasets"]
    assert [edge["node"]["name"] for edge in rest["edges"]] == ["tweets"]
    assert rest["pageInfo"]["hasNextPage"] is False


def test_a_page_reads_the_paths_and_gaps_of_all_its_datasets_at_once() -> None:
    store = MemoryStore(graph("\n".join(f"in{n}:a -IDENTITY-> out{n}:b" for n in range(20))))
    query = "{ datasets { edges { node { name paths { label } incomplete { reason } } } } }"
    with _client(store) as client:
        found = client.post("/graphql", json={"query": query}).json()["data"]["datasets"]["edges"]
    assert [path["label"] for edge in found for path in edge["node"]["paths"]] == ["a"] * 20 + ["b"] * 20
    assert store.calls == ["datasets", "paths", "incomplete"]


def test_datasets_are_searched(client: TestClient) -> None:
    found = _run_query(client, "datasets", search="TWEE")["data"]["datasets"]
    assert [edge["node"]["name"] for edge in found["edges"]] == ["tweets"]


def test_a_dataset_has_its_paths_and_gaps(client: TestClient) -> None:
    found = _run_query(client, "dataset", namespace="ns", name="token")["data"]["dataset"]
    assert [path["label"] for path in found["paths"]] == ["id"]
    assert [entry["reason"] for entry in found["incomplete"]] == ["RDD"]


def test_an_unknown_dataset_is_null(client: TestClient) -> None:
    assert _run_query(client, "dataset", namespace="ns", name="nope") == {"data": {"dataset": None}}


@pytest.mark.parametrize(
    ("name", "variables", "code", "hint"),
    [
        ("forward", {"node": _ref("tweest:user.id")}, "UNKNOWN_DATASET", "'ns tweets'"),
        ("backward", {"node": _ref("tweets:user.ids")}, "UNKNOWN_PATH", "'user.id'"),
        ("exposure", {"category": "user.contact.emial"}, "UNKNOWN_CATEGORY", "user.contact.email"),
        ("forward", {"node": _ref("tweets:user.id"), "depth": -1}, "BAD_QUESTION", "from 0"),
        ("backward", {"node": _ref("tweets:user.id"), "where": "usr = 1"}, "BAD_CONDITION", "did you mean"),
        ("backward", {"node": _ref("tweets:user.id"), "where": "= 1"}, "BAD_CONDITION", "may be compared"),
        ("forward", {"node": _ref("tweets:user.id"), "mostWays": 0}, "BAD_THRESHOLD", "1 to"),
        (
            "backward",
            {"node": _ref("tweets:user.id"), "active": True, "level": "DATASET"},
            "NO_ACTIVE_LINEAGE",
            "passive",
        ),
        ("datasets", {"first": 0}, "BAD_QUESTION", "from 1"),
        ("datasets", {"after": "nonsense"}, "BAD_QUESTION", "endCursor"),
    ],
)
def test_errors_have_a_code_and_a_hint(
    client: TestClient, name: str, variables: dict[str, Any], code: str, hint: str
) -> None:
    answer = _run_query(client, name, **variables)
    (error,) = answer["errors"]
    assert error["extensions"]["code"] == code
    assert hint in error["extensions"]["hint"]


@pytest.mark.parametrize(
    "query",
    ["{", "{ nothing }", '{ datasets(first: "x") { totalCount } }', "{ " + "a: __typename " * 30 + "}"],
)
def test_an_invalid_query_has_a_code(client: TestClient, query: str) -> None:
    answer = client.post("/graphql", json={"query": query}).json()
    assert {error["extensions"]["code"] for error in answer["errors"]} == {"BAD_QUERY"}


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"{}",
        b"[]",
        b"7",
        b'"x"',
        b"null",
        b"",
        b"[" * 90_000,
        b"\xff\xfe",
        b'{"query": 7}',
        b'{"query": "{a}", "variables": 7}',
        b'{"query": "\\ud800"}',
        b'{"query": "' + b"{a" * 90_000 + b'"}',
        b'{"query": "' + b"{a" * 1_500 + b'"}',
        b'{"query": "{datasets(first: 99999999999999999999) {totalCount}}"}',
        b'{"query": "{dataset(namespace: \\"\\u0000\\", name: \\"\\ud800\\") {name}}"}',
    ],
)
def test_no_body_makes_the_server_fail(client: TestClient, body: bytes) -> None:
    response = client.post("/graphql", content=body, headers={"content-type": "application/json"})
    assert response.status_code < 500
    answer = response.json()
    codes = [error["extensions"]["code"] for error in answer.get("errors", ())] or [answer.get("code")]
    assert "INTERNAL" not in codes


class BrokenStore(MemoryStore):
    """A store with a bug."""

    def get_datasets(self, keys: Sequence[DatasetKey]) -> Mapping[DatasetKey, Dataset]:
        raise RuntimeError("password=secret")


def test_internal_errors_are_masked_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    with _client(BrokenStore([])) as client:
        answer = _run_query(client, "dataset", namespace="a", name="b")
    (error,) = answer["errors"]
    assert error["extensions"] == {"code": "INTERNAL"}
    assert "secret" not in str(answer)
    assert "password=secret" in caplog.text


def test_a_large_answer_is_marked_as_partial() -> None:
    edges = "\n".join(f"a:c{index} -COMPUTE-> b:x" for index in range(30))
    with _client(MemoryStore(graph(edges)), max_nodes=10) as client:
        found = _run_query(client, "backward", node=_ref("b:x"))["data"]["backwardLineage"]
    assert len(found["nodes"]) == 10
    assert [entry["reason"] for entry in found["incomplete"]] == ["NODE_LIMIT"]
