"""Lists over GraphQL: search, pagination, and batched store calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from starlette.testclient import TestClient

from headwater_backend.domain.model import JobKey
from headwater_backend.domain.roles import everything
from headwater_backend.function_proposals.proposal import CodeSeen, Proposal
from headwater_backend.function_proposals.stewardship import propose
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.engine import selections
from headwater_graphql.queries import queries
from kit import operations
from kit.openlineage import NAMESPACE, dataset, event, facet, paths, run_id

JOBS_BELOW = """{ search(text: "above", kinds: [JOB]) {
    pageInfo { hasNextPage } edges { node { job { inputs { name } outputs { name } } } } } }"""
NEAR = {"namespace": NAMESPACE, "name": "job"}


class Counting:
    """A store that records its calls."""

    def __init__(self, store: LineageStore) -> None:
        self._store = store
        self.calls: list[str] = []

    def __getattr__(self, verb: str) -> Any:
        found = getattr(self._store, verb)

        def counted(*args: Any, **kwargs: Any) -> Any:
            self.calls.append(verb)
            return found(*args, **kwargs)

        return counted


def nightly(number: int) -> dict[str, Any]:
    """Return an event of a separate job's run with a parent run, and with statistics of input and output."""
    parent = facet(run={"runId": run_id(f"above {number}")}, job={"namespace": NAMESPACE, "name": "above"})
    body = event(
        "FAIL" if number % 2 else "COMPLETE",
        10 + number,
        f"run {number}",
        [{**dataset("in", "a"), "inputFacets": {"inputStatistics": facet(rowCount=2**40, fileCount=3)}}],
        [{**dataset(f"out {number}", "a"), "outputFacets": {"outputStatistics": facet(rowCount=7, size=9)}}],
    )
    body["run"]["facets"] = {
        "parent": parent,
        "errorMessage": facet(message="no space", programmingLanguage="C"),
    }
    owner = facet(owners=[{"name": "team:data"}])
    alone = event("COMPLETE", number, f"alone {number}", [], [dataset(f"own {number}", "a")], f"job {number}")
    alone["job"]["facets"] = {
        "ownership": owner,
        "documentation": facet(description="makes its own"),
        "headwater_functions": facet(functions=[{"name": "score", "sort": "PYTHON_UDF", "known": "OPAQUE"}]),
    }
    return {"described": body, "above": event("START", 1, f"above {number}", job="above"), "alone": alone}


def company(store: LineageStore, size: int) -> LineageStore:
    events = [each for number in range(size) for each in nightly(number).values()]
    assert all(outcome.stored for outcome in ingest(store, events))
    return store


def proposed(store: LineageStore, size: int) -> None:
    """Keep two proposals for the function of each separate job, as far as they are new."""
    for number in range(size):
        job, code = JobKey(NAMESPACE, f"job {number}"), CodeSeen(f"3.12:{number:x}", "job.py", number)
        kept = [
            Proposal(job, "score", ("mail",), (reads,), None, code, ()) for reads in ("mail", "mail -> k")
        ]
        propose(store, kept, Steward(everything("Ana"), "a second opinion"))


def run_query(client: TestClient, operation: str, /, **variables: Any) -> Any:
    answer = client.post(
        "/graphql", json={"query": queries().get(operation, operation), "variables": variables}
    )
    assert "errors" not in answer.json(), answer.text
    (found,) = answer.json()["data"].values()
    return found


def test_a_run_has_all_its_fields(client: TestClient, store: LineageStore) -> None:
    company(store, 2)
    newest, oldest = [edge["node"] for edge in run_query(client, "job_runs", **NEAR)["edges"]]
    assert (newest["state"], newest["error"], oldest["state"]) == ("FAIL", "no space", "COMPLETE")
    assert newest["parent"] == {"runId": run_id("above 1"), "job": {"namespace": NAMESPACE, "name": "above"}}
    assert newest["inputs"] == [
        {"namespace": NAMESPACE, "name": "in", "rows": 2**40, "bytes": None, "files": 3, "assertions": []}
    ]
    assert newest["outputs"][0]["bytes"] == 9
    by_id = (
        "query($n: String!, $j: String!, $r: String!) { run(namespace: $n, name: $j, runId: $r) { state } }"
    )
    assert run_query(client, by_id, n=NAMESPACE, j="job", r=run_id("run 0")) == {"state": "COMPLETE"}
    below = run_query(client, "child_runs", runId=run_id("above 1"))
    assert [edge["node"]["runId"] for edge in below["edges"]] == [run_id("run 1")]
    assert below["edges"][0]["node"]["durationSeconds"] == 0.0
    assert below["pageInfo"]["hasNextPage"] is False


def test_pages_of_runs_continue_to_the_end(client: TestClient, store: LineageStore) -> None:
    company(store, 7)
    seen: list[str] = []
    after = None
    while True:
        page = run_query(client, "dataset_runs", namespace=NAMESPACE, name="in", first=3, after=after)
        seen += [edge["node"]["runId"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert seen == [run_id(f"run {number}") for number in reversed(range(7))]


def test_a_job_has_owners_a_description_and_outputs(client: TestClient, store: LineageStore) -> None:
    company(store, 1)
    found = run_query(client, "job", namespace=NAMESPACE, name="job 0")
    assert found["owners"] == [{"name": "team:data", "type": None}]
    assert found["description"] == "makes its own"
    assert (found["inputs"], found["outputs"]) == ([], [{"namespace": NAMESPACE, "name": "own 0"}])
    assert found["lastRun"]["runId"] == run_id("alone 0")
    assert run_query(client, "job", namespace=NAMESPACE, name="none") is None


def test_jobs_are_listed_with_their_newest_run(client: TestClient, store: LineageStore) -> None:
    company(store, 4)
    found: list[dict[str, Any]] = []
    after = None
    while True:
        page = run_query(client, "jobs", search="JOB", first=2, after=after)
        found += [edge["node"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert [job["name"] for job in found] == ["job", *(f"job {number}" for number in range(4))]
    assert found[0]["lastRun"]["state"] == "FAIL" and found[0]["lastRun"]["error"] == "no space"
    assert [job["lastRun"]["runId"] for job in found[1:]] == [run_id(f"alone {n}") for n in range(4)]
    assert run_query(client, "jobs", search="no such job")["edges"] == []


def test_search_hits_resolve_to_datasets_and_jobs(client: TestClient, store: LineageStore) -> None:
    company(store, 1)
    query = """query($text: String!) { search(text: $text) { edges { cursor node {
        kind label matches { by text } dataset { name } job { owners { name } } } } } }"""
    nodes = [edge["node"] for edge in run_query(client, query, text="own 0")["edges"]]
    assert [(node["kind"], node["dataset"], node["job"]) for node in nodes] == [
        ("DATASET", {"name": "own 0"}, None)
    ]
    (job,) = [edge["node"] for edge in run_query(client, "search", text="TEAM", by=["OWNER"])["edges"]]
    assert (job["kind"], job["name"], job["matches"]) == (
        "JOB",
        "job 0",
        [{"by": "OWNER", "text": "team:data"}],
    )


def test_sources_unused_datasets_and_usage_are_answered(client: TestClient, store: LineageStore) -> None:
    company(store, 1)
    lineage = paths((("a",), "in", ("a",), "IDENTITY"), manipulation=["CAST"])
    ingest(
        store,
        [event("COMPLETE", 30, "x", [dataset("in")], [dataset("out 0", headwater_pathLineage=lineage)], "x")],
    )
    assert [edge["node"]["name"] for edge in run_query(client, "sources")["edges"]] == ["in", "own 0"]
    node = {"namespace": NAMESPACE, "name": "out 0", "path": ["a"]}
    (golden,) = run_query(client, "golden_sources", node=node)["sources"]
    assert (golden["name"], golden["paths"][0]["label"]) == ("in", "a")
    (itself,) = run_query(client, "golden_sources", node=node, asOf="2026-01-01T00:00:00Z")["sources"]
    assert itself["name"] == "out 0"
    exposed = {"namespace": NAMESPACE, "name": "in", "path": ["a"]}
    for moment, held in ((None, ["a"]), ("2026-01-01T00:00:00Z", [])):
        (attribute,) = run_query(client, "exposure", node=exposed, asOf=moment)["attributes"]
        assert [output["node"]["label"] for output in attribute["outputs"]] == held
    late = "2026-01-01T00:20:00Z"
    assert [e["node"]["name"] for e in run_query(client, "unused_datasets", since=late)["edges"]] == [
        "out 0",
        "own 0",
    ]
    usage = run_query(client, "column_usage", namespace=NAMESPACE, name="in", since=late)
    assert [(path["label"], path["manipulated"]) for path in usage["paths"]] == [
        ("a", [{"what": "CAST", "runs": 1}])
    ]
    without_zone = "2026-01-01T00:20:00"
    assert run_query(client, "column_usage", namespace=NAMESPACE, name="in", since=without_zone) == usage


@pytest.mark.parametrize(
    ("name", "variables", "code"),
    [
        ("job_runs", {"namespace": NAMESPACE, "name": "jib"}, "UNKNOWN_JOB"),
        ("dataset_records", {"namespace": NAMESPACE, "name": "inn"}, "UNKNOWN_DATASET"),
        ("dataset_runs", {"namespace": NAMESPACE, "name": "inn"}, "UNKNOWN_DATASET"),
        ("job_runs", {**NEAR, "first": 0}, "BAD_QUESTION"),
        ("search", {"text": "x", "after": "made up"}, "BAD_QUESTION"),
        ("search", {"text": "x" * 2_000}, "BAD_QUESTION"),
        ("sources", {"after": "made up"}, "BAD_QUESTION"),
        (
            "column_usage",
            {"namespace": NAMESPACE, "name": "in", "since": "2099-01-01T00:00:00Z"},
            "BAD_QUESTION",
        ),
    ],
)
def test_impossible_queries_report_the_reason(
    client: TestClient, store: LineageStore, name: str, variables: dict[str, Any], code: str
) -> None:
    company(store, 1)
    (error,) = client.post("/graphql", json={"query": queries()[name], "variables": variables}).json()[
        "errors"
    ]
    assert error["extensions"]["code"] == code
    assert error["extensions"]["hint"]


USED = "inputs { name rows } outputs { name } parentRun { state inputs { name } parentRun { state } }"
LISTS = {
    "datasets": "{ datasets(first: 1000) { edges { node { name paths { label } incomplete { reason } } } } }",
    "search": f"""{{ search(text: "o", first: 1000) {{ edges {{ node {{ label
        dataset {{ paths {{ label }} incomplete {{ reason }} }}
        job {{ inputs {{ name }} lastRun {{ {USED} }} }} }} }} }} }}""",
    "jobRuns": f'{{ jobRuns(namespace: "{NAMESPACE}", name: "job", first: 1000) {{ edges {{ node {{ {USED} }} }} }} }}',
    "datasetRuns": f"""{{ datasetRuns(namespace: "{NAMESPACE}", name: "in", first: 1000) {{
        edges {{ node {{ {USED} }} }} }} }}""",
    "datasetHistory": f"""{{ datasetHistory(namespace: "{NAMESPACE}", name: "in", first: 1000) {{
        edges {{ node {{ run {{ {USED} }} read {{ rows assertions {{ success }} }} }} }} }} }}""",
    "sources": "{ sources(first: 1000) { edges { node { name owners { name } } } } }",
    "unusedDatasets": '{ unusedDatasets(since: "2026-01-01T00:00:00Z", first: 1000) { edges { node { lastRead } } } }',
    "goldenSources": f"""{{ goldenSources(node: {{namespace: "{NAMESPACE}", name: "out 0"}}) {{
        sources {{ paths {{ label }} }} }} }}""",
    "functionProposals": """{ functionProposals(first: 1000) { edges { node {
        job { namespace name } function reads state decisions { by reason } } } } }""",
    "columnUsage": f"""{{ columnUsage(namespace: "{NAMESPACE}", name: "in", since: "2026-01-01T00:00:00Z") {{
        paths {{ label }} }} }}""",
}


@pytest.mark.parametrize("name", LISTS)
def test_twice_as_long_a_list_takes_as_many_store_calls(store: LineageStore, name: str) -> None:
    counting = Counting(store)
    with TestClient(create_app(counting, Settings()), base_url="http://localhost") as client:
        calls = []
        for size in (5, 10):
            company(store, size)
            proposed(store, size)
            counting.calls.clear()
            found = run_query(client, LISTS[name])
            assert len(found.get("edges", range(size))) >= size
            calls.append(list(counting.calls))
    assert calls[0] == calls[1] != []


KEPT = operations.variables(
    operations.Known(
        source={"namespace": NAMESPACE, "name": "in", "path": ["a"]},
        target={"namespace": NAMESPACE, "name": "out 0", "path": ["a"]},
        job=NEAR,
        run=run_id("run 0"),
        parent=run_id("above 0"),
    )
)
SHORT = {
    "child_runs", "claims", "copy_decisions", "copy_proposals", "correction_decisions", "corrections",
    "dataset_aliases", "dataset_records", "dataset_separations", "name_decisions", "name_proposals",
    "namespace_rules",
}  # fmt: skip
"""Lists for readers that do not get longer with this company."""


def test_a_kept_query_of_a_company_twice_as_large_takes_as_many_store_calls(store: LineageStore) -> None:
    assert operations.missing(KEPT) == ""
    (_, few), (items, many) = (ask_all(store, size) for size in (5, 10))
    assert few == many
    lists = {name for name in operations.for_readers() & KEPT.keys() if "pageInfo" in queries()[name]}
    short = {name for name in lists if items[name] < 10}
    assert short == SHORT, "let `nightly` report what is listed, or say in SHORT that nothing is shown here"


def ask_all(store: LineageStore, size: int) -> tuple[Mapping[str, int], Mapping[str, list[list[str]]]]:
    """Ask all kept queries of a company; return the length of the longest list of each, and the calls of the store."""
    company(store, size)
    proposed(store, size)
    longest: dict[str, int] = {}
    calls: dict[str, list[list[str]]] = {}
    counting = Counting(store)
    with TestClient(create_app(counting, Settings()), base_url="http://localhost") as client:
        for name in (name for name in KEPT if selections.operation(queries()[name]).kind == "query"):
            for variables in KEPT[name]:
                counting.calls.clear()
                body = {"query": queries()[name], "variables": variables}
                data = client.post("/graphql", json=body).json()["data"] or {}
                calls.setdefault(name, []).append(counting.calls.copy())
                lengths = [len(each["edges"]) for each in data.values() if each and "edges" in each]
                longest[name] = max([longest.get(name, 0), *lengths])
    return longest, calls


def test_pages_of_proposals_continue_to_the_end(client: TestClient, store: LineageStore) -> None:
    company(store, 4)
    proposed(store, 4)
    first, after = [edge["node"] for edge in run_query(client, "function_proposals")["edges"]], None
    assert {(each["job"]["name"], *each["reads"]) for each in first} == {
        (f"job {number}", reads) for number in range(4) for reads in ("mail", "mail -> k")
    }
    refused = [each["id"] for each in first if each["reads"] == ["mail"]]
    run_query(client, "decide_functions", refused=refused, reason="too coarse")
    found: list[dict[str, Any]] = []
    while True:
        page = run_query(client, "function_proposals", first=3, after=after)
        assert len(page["edges"]) <= 3
        found += [edge["node"] for edge in page["edges"]]
        after = page["pageInfo"]["endCursor"]
        if not page["pageInfo"]["hasNextPage"]:
            break
    assert [each["state"] for each in found] == ["REFUSED"] * 4 + ["PROPOSED"] * 4
    assert len({each["id"] for each in found}) == 8
    of_one = {"job": {"namespace": NAMESPACE, "name": "job 2"}, "states": ["REFUSED"]}
    (node,) = [edge["node"] for edge in run_query(client, "function_proposals", **of_one)["edges"]]
    assert (node["job"]["name"], node["reads"], len(node["decisions"])) == ("job 2", ["mail"], 2)


def test_a_list_reads_the_runs_below_its_items_at_once(store: LineageStore) -> None:
    company(store, 12)
    counting = Counting(store)
    with TestClient(create_app(counting, Settings()), base_url="http://localhost") as client:
        above = {"namespace": NAMESPACE, "name": "above"}
        found = [edge["node"] for edge in run_query(client, "job_runs", **above)["edges"]]
        calls = counting.calls.copy()
        (job,) = [edge["node"]["job"] for edge in run_query(client, JOBS_BELOW)["edges"]]
    assert {each["below"]["outputs"][0]["rows"] for each in found} == {7}
    assert {each["below"]["states"][0]["state"] for each in found} == {"COMPLETE", "FAIL"}
    assert len(found) == 12
    assert calls.count("runs_below") == calls.count("get_runs") == 1
    assert calls.count("used_by_runs") == 2, "for the runs, and for those below them"
    assert (len(job["inputs"]), len(job["outputs"])) == (1, 12)
