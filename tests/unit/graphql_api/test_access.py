"""Permissions of roles over HTTP, and their audit."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from headwater_backend.access.api_keys import new_key
from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import EventError
from headwater_backend.domain.roles import Role
from headwater_backend.ports import LineageStore
from headwater_backend.settings import Settings
from headwater_cli.composition import create_app
from headwater_graphql.queries import queries
from kit.issuer import Provider, provider
from kit.openlineage import dataset, event, facet

Call = Callable[..., Any]

EXPOSURE = "{ attributeExposure { complete } }"
DATASETS = "{ datasets { totalCount } }"
AUDIT = "{ auditLog { actor action result details } }"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


@pytest.fixture
def keys(file: Path) -> dict[str, str]:
    """An API key for each role; the producer may write the namespaces ``mine…``."""
    return {role.value: new_key(file, role.value, [role], ["mine*"])[1] for role in Role}


@pytest.fixture
def call(store: LineageStore, keys: dict[str, str], file: Path) -> Iterator[Call]:
    """A function that sends a request with the key of a role."""
    app = create_app(store, Settings(keys_file=file))
    with TestClient(app, base_url="http://localhost", raise_server_exceptions=False) as client:

        def send(role: str | None, method: str, path: str, **rest: Any) -> Any:
            headers = {"authorization": f"Bearer {keys[role]}"} if role else {}
            return client.request(method, path, headers={**headers, **rest.pop("headers", {})}, **rest)

        yield send


def event_body(
    job: str = "mine", inputs: str = "mine", output: str = "mine", number: int = 1, **facets: Any
) -> dict[str, Any]:
    """Return an event of a job with an input and an output in the given namespaces; the facets are the input's."""
    made: dict[str, Any] = event(
        "COMPLETE", number, f"run {number}", [dataset("in", "a")], [dataset("out", "a")]
    )
    made["job"]["namespace"] = job
    made["inputs"][0]["namespace"] = inputs
    made["inputs"][0]["facets"].update(facets)
    made["outputs"][0]["namespace"] = output
    return made


WRITE = ("POST", "/api/v1/lineage", {"json": event_body()})
BATCH = ("POST", "/api/v1/lineage/batch", {"json": [event_body()]})
QUESTION = ("POST", "/graphql", {"json": {"query": DATASETS}})
BY_ADDRESS = ("GET", "/graphql", {"params": {"operationName": "Datasets"}})
FIGURES: tuple[str, str, dict[str, Any]] = ("GET", "/metrics", {})
UNHEARD_OF: tuple[str, str, dict[str, Any]] = ("POST", "/api/v1/something/new", {})


@pytest.mark.parametrize("request_", [WRITE, BATCH, QUESTION, BY_ADDRESS, FIGURES, UNHEARD_OF])
def test_without_a_key_nothing_is_answered(call: Call, store: LineageStore, request_: Any) -> None:
    method, path, rest = request_
    answer = call(None, method, path, **rest)
    assert answer.status_code == 401
    assert answer.json()["code"] == "UNAUTHENTICATED"
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert not store.dataset_keys()


@pytest.mark.parametrize("path", ["/health", "/health/live", "/health/ready"])
def test_health_is_public(call: Call, path: str) -> None:
    assert call(None, "GET", path).status_code == 200


@pytest.mark.parametrize(
    ("request_", "may"),
    [
        (WRITE, {"producer", "admin"}),
        (BATCH, {"producer", "admin"}),
        (QUESTION, {"reader", "steward", "auditor", "admin"}),
        (BY_ADDRESS, {"reader", "steward", "auditor", "admin"}),
        (FIGURES, {"reader", "steward", "auditor", "admin"}),
        (UNHEARD_OF, {"admin"}),
    ],
)
@pytest.mark.parametrize("role", [role.value for role in Role])
def test_each_role_has_its_permissions(call: Call, role: str, request_: Any, may: set[str]) -> None:
    method, path, rest = request_
    answer = call(role, method, path, **rest)
    if role in may:
        assert answer.status_code in (200, 201, 404)
    else:
        assert answer.status_code == 403
        assert answer.json()["code"] == "FORBIDDEN"
        assert "role" in answer.json()["hint"]


@pytest.mark.parametrize(
    "path", ["/api/v1//lineage", "/api/v1/lineage/", "/API/v1/lineage", "/api/v1/%6cineage"]
)
def test_no_other_spelling_of_a_path_needs_less(call: Call, store: LineageStore, path: str) -> None:
    assert call(None, "POST", path, json=event_body()).status_code == 401
    assert call("reader", "POST", path, json=event_body()).status_code in (403, 404, 405)
    assert not store.dataset_keys()


@pytest.mark.parametrize(
    "query",
    [
        EXPOSURE,
        "{ innocent: attributeExposure { complete } }",
        "query { ...Hidden } fragment Hidden on Query { attributeExposure { complete } }",
        "{ ... on Query { ... { attributeExposure @skip(if: false) { complete } } } }",
        AUDIT,
    ],
)
@pytest.mark.parametrize("role", ["reader", "steward"])
def test_fields_for_auditors_are_protected_in_any_form_of_query(call: Call, role: str, query: str) -> None:
    answer = call(role, "POST", "/graphql", json={"query": query}).json()
    assert answer["data"] is None
    assert answer["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    assert "auditor" in answer["errors"][0]["extensions"]["hint"]
    assert "errors" not in call("auditor", "POST", "/graphql", json={"query": query}).json()


@pytest.mark.parametrize(
    ("sent", "refused"),
    [
        (event_body(), None),
        (event_body(inputs="theirs"), None),
        (event_body(inputs="theirs", symlinks={"identifiers": [{"namespace": "hive", "name": "t"}]}), None),
        (event_body(job="theirs"), "/job/namespace"),
        (event_body(output="theirs"), "/outputs"),
        (event_body(output="mine2", job="mine3"), None),
    ],
)
def test_a_producer_may_only_write_its_own_namespaces(
    call: Call, store: LineageStore, sent: Any, refused: str | None
) -> None:
    answer = call("producer", "POST", "/api/v1/lineage", json=sent)
    if refused is None:
        assert answer.status_code == 201
        return
    assert answer.status_code == 403
    assert (answer.json()["code"], answer.json()["pointer"]) == ("FORBIDDEN_NAMESPACE", refused)
    assert not store.dataset_keys()
    assert call("admin", "POST", "/api/v1/lineage", json=sent).status_code == 201


def test_facets_of_foreign_datasets_are_listed_as_claims(call: Call) -> None:
    sent = event_body(
        inputs="theirs", tags={"tags": []}, symlinks={"identifiers": [{"namespace": "mine", "name": "t"}]}
    )
    assert call("producer", "POST", "/api/v1/lineage", json=sent).status_code == 201
    theirs = {"namespace": "theirs", "name": "in"}
    request_body = {"query": queries()["claims"], "variables": {"dataset": theirs}}
    listed = call("reader", "POST", "/graphql", json=request_body).json()["data"]["claims"]["edges"]
    claims = [each["node"] for each in listed]
    assert [claim["facet"] for claim in claims] == ["schema", "symlinks", "tags"]
    assert {claim["by"].split()[-1] for claim in claims} == {"(producer)"}
    request_body = {"query": queries()["dataset"], "variables": theirs}
    found = call("reader", "POST", "/graphql", json=request_body).json()["data"]["dataset"]
    assert (found["names"], found["tags"], found["facets"]) == ([], [], {})


def test_a_dataset_event_needs_the_datasets_namespace(call: Call) -> None:
    body = {**event_body(), "dataset": {"namespace": "theirs", "name": "t"}}
    for member in ("run", "job", "inputs", "outputs"):
        body.pop(member)
    answer = call("producer", "POST", "/api/v1/lineage", json=body)
    assert (answer.status_code, answer.json()["pointer"]) == (403, "/dataset/namespace")


def test_refused_events_of_a_batch_are_listed_individually(call: Call, store: LineageStore) -> None:
    sent = [
        event_body(number=1),
        event_body(number=2, job="theirs"),
        event_body(number=3),
        event_body(number=4, output="theirs"),
    ]
    answer = call("producer", "POST", "/api/v1/lineage/batch", json=sent)
    assert answer.status_code == 207
    refused = {each["index"]: (each["code"], each["pointer"]) for each in answer.json()["failed_events"]}
    assert refused == {
        1: ("FORBIDDEN_NAMESPACE", "/1/job/namespace"),
        3: ("FORBIDDEN_NAMESPACE", "/3/outputs"),
    }
    assert {key.namespace for key in store.dataset_keys()} == {"mine"}


def test_the_audit_log_records_writers_and_queries_of_personal_data(call: Call, keys: dict[str, str]) -> None:
    call("producer", "POST", "/api/v1/lineage/batch", json=[event_body(), event_body(job="theirs"), 7])
    call("producer", "POST", "/api/v1/lineage", json={}, headers={"x-request-id": "mine-42"})
    call("reader", "POST", "/graphql", json={"query": DATASETS})
    call("reader", "POST", "/graphql", json={"query": EXPOSURE})
    variables = {"node": {"namespace": "mine", "name": "in", "path": ["a"]}}
    call("auditor", "POST", "/graphql", json={"query": queries()["exposure"], "variables": variables})
    answer = call("auditor", "POST", "/graphql", json={"query": queries()["audit"]})
    exposure, denied, refused, batch = answer.json()["data"]["auditLog"]
    assert (batch["action"], batch["result"], batch["details"]["stored"]) == ("events", "stored in part", 1)
    assert batch["actor"].endswith("(producer)")
    assert batch["details"]["jobs"]["count"] == len(batch["details"]["runs"]["names"]) == 1
    assert (refused["result"], refused["request"]) == ("refused", "mine-42")
    assert (denied["action"], denied["result"]) == ("exposure", "denied")
    assert denied["actor"].endswith("(reader)")
    assert (exposure["result"], exposure["details"]["node"]) == ("answered", variables["node"])
    assert not [key for key in keys.values() if key.split("_", 2)[2] in answer.text]


def test_a_long_query_makes_no_long_entry(call: Call, store: LineageStore) -> None:
    node = '{namespace: "n", name: "d", path: $path}'
    query = f"query($path: [String!]!) {{ attributeExposure(node: {node}) {{ complete }} }}"
    for size in (1, 10_000):
        call("reader", "POST", "/graphql", json={"query": query, "variables": {"path": ["x" * 20] * size}})
    short, long = store.audit()
    assert json.loads(short.details)["node"]["path"] == ["x" * 20]
    assert (long.result, json.loads(long.details)["tooLong"]) == ("denied", ["node"])
    assert json.loads(long.details)["length"] > 200_000


@pytest.mark.parametrize(
    "query",
    [
        "{ deadLetters { edges { node { key detail } } } }",
        '{ deadLetter(key: "x") { event } }',
        'mutation { replayDeadLetters(keys: ["x"]) { stored } }',
        'mutation { ... on Mutation { some: replayDeadLetters(keys: ["x"]) { stored } } }',
    ],
)
@pytest.mark.parametrize("role", ["reader", "auditor"])
def test_dead_letters_are_for_stewards(call: Call, role: str, query: str) -> None:
    answer = call(role, "POST", "/graphql", json={"query": query}).json()
    assert answer["data"] is None
    assert answer["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    for able in ("steward", "admin"):
        answer = call(able, "POST", "/graphql", json={"query": query}).json()
        assert {each["extensions"]["code"] for each in answer.get("errors", ())} <= {"UNKNOWN_DEAD_LETTER"}


def test_a_steward_replays_dead_letters_of_its_namespaces(call: Call, store: LineageStore) -> None:
    mine, theirs = (
        letter_of(sent, EventError("STORE_FAILED", "", "no"), "somebody")
        for sent in (event_body(inputs="theirs"), event_body(job="theirs"))
    )
    store.keep_dead_letters([mine, theirs])
    request_body = {"query": queries()["replay_dead_letters"], "variables": {"keys": [mine.key, theirs.key]}}
    one, other = call("steward", "POST", "/graphql", json=request_body).json()["data"]["replayDeadLetters"]
    assert (one["stored"], other["stored"], other["code"]) == (True, False, "FORBIDDEN_NAMESPACE")
    assert store.dead_letters() == [theirs.listed()]
    (stored,) = (each for each in store.audit() if each.action == "events")
    assert stored.actor.endswith("(steward)")
    request_body["variables"] = {"keys": [theirs.key]}
    assert call("admin", "POST", "/graphql", json=request_body).json()["data"]["replayDeadLetters"][0][
        "stored"
    ]
    assert store.dead_letters() == []


def test_a_steward_may_not_send_events(call: Call, store: LineageStore) -> None:
    assert call("steward", "POST", "/api/v1/lineage", json=event_body()).status_code == 403
    assert not store.dataset_keys()


def test_letters_are_replayed_all_or_none_and_not_by_get(call: Call, store: LineageStore) -> None:
    known = letter_of(event_body(), EventError("STORE_FAILED", "", "no"), "somebody")
    store.keep_dead_letters([known])
    both = {"keys": [known.key, "unknown"]}
    text = queries()["replay_dead_letters"]
    answer = call("admin", "POST", "/graphql", json={"query": text, "variables": both}).json()
    assert answer["errors"][0]["extensions"]["code"] == "UNKNOWN_DEAD_LETTER"
    many = {"keys": [known.key] * 101}
    answer = call("admin", "POST", "/graphql", json={"query": text, "variables": many}).json()
    assert answer["errors"][0]["extensions"]["code"] == "BAD_QUESTION"
    one = {"query": text, "variables": json.dumps({"keys": [known.key]})}
    assert call("admin", "GET", "/graphql", params=one).status_code == 405
    assert store.dead_letters() == [known.listed()]
    assert not store.dataset_keys()


def test_no_operation_changes_the_audit_log(call: Call) -> None:
    answer = call(
        "admin", "POST", "/graphql", json={"query": "{ __schema { mutationType { fields { name } } } }"}
    )
    mutations = (answer.json()["data"]["__schema"]["mutationType"] or {"fields": []})["fields"]
    assert not [mutation for mutation in mutations if "audit" in mutation["name"].lower()]


def test_a_query_that_cannot_be_audited_is_not_answered(store: LineageStore) -> None:
    from headwater_backend.domain.errors import StoreUnavailable
    from kit.memory_store import MemoryStore

    class ReadOnly(MemoryStore):
        def apply(self, batch: object) -> None:
            raise StoreUnavailable("no more room")

    with TestClient(create_app(ReadOnly([]), Settings()), base_url="http://localhost") as client:
        answer = client.post("/graphql", json={"query": EXPOSURE}).json()
    assert answer["data"] is None
    assert answer["errors"][0]["extensions"]["code"] == "STORE_UNAVAILABLE"


def test_too_many_requests_are_429_with_retry_after(store: LineageStore, keys: Any, file: Path) -> None:
    app = create_app(store, Settings(keys_file=file, rate_limit="3/hour"))
    with TestClient(app, base_url="http://localhost") as client:

        def query(role: str) -> Any:
            headers = {"authorization": f"Bearer {keys[role]}"}
            return client.post("/graphql", json={"query": DATASETS}, headers=headers)

        assert [query("reader").status_code for _ in range(4)] == [200, 200, 200, 429]
        late = query("reader")
        assert late.json()["code"] == "TOO_MANY_REQUESTS"
        assert 0 < int(late.headers["retry-after"]) <= 3_601
        assert query("auditor").status_code == 200
        assert client.get("/health").status_code == 200


def test_guessing_keys_is_rate_limited(store: LineageStore, keys: Any, file: Path) -> None:
    app = create_app(store, Settings(keys_file=file, failure_limit="2/hour"))
    with TestClient(app, base_url="http://localhost") as client:
        tried = [
            client.get("/metrics", headers={"authorization": f"Bearer hw_{n:012}_x"}).status_code
            for n in range(3)
        ]
        assert tried == [401, 401, 429]


def test_without_authentication_requests_are_limited_by_address(store: LineageStore) -> None:
    app = create_app(store, Settings(rate_limit="2/hour"))
    with TestClient(app, base_url="http://localhost") as client:
        statuses = [client.post("/graphql", json={"query": DATASETS}).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "bearer ", "Bearer a b", "hw_1_2", "Bearer \x7f"])
def test_credentials_of_another_kind_are_401(call: Call, header: str) -> None:
    assert call(None, "GET", "/metrics", headers={"authorization": header}).status_code == 401


@pytest.fixture(scope="module")
def people() -> Iterator[Provider]:
    with provider() as running:
        yield running


@pytest.fixture
def by_token(store: LineageStore, people: Provider, file: Path, keys: Any) -> Iterator[TestClient]:
    settings = Settings(keys_file=file, oidc_issuer=people.address, oidc_audience="headwater")
    with TestClient(create_app(store, settings), base_url="http://localhost") as client:
        yield client


def test_tokens_and_keys_are_both_accepted(by_token: TestClient, people: Provider, keys: Any) -> None:
    def query(credential: str, query: str) -> Any:
        headers = {"authorization": f"Bearer {credential}"}
        return by_token.post("/graphql", json={"query": query}, headers=headers)

    assert "errors" not in query(people.token(roles=["auditor"]), EXPOSURE).json()
    refused = query(people.token(roles=["reader"]), EXPOSURE).json()
    assert refused["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    assert query(people.token(roles=[]), DATASETS).status_code == 403
    assert query(people.token("somebody else", roles=["admin"]), DATASETS).status_code == 401
    assert query(keys["reader"], DATASETS).status_code == 200
    log = query(people.token(roles=["auditor"]), AUDIT).json()["data"]["auditLog"]
    assert log[-1]["actor"] == "token alice"
    assert "eyJ" not in json.dumps(log)


def test_while_the_provider_is_unavailable_tokens_are_503(store: LineageStore, people: Provider) -> None:
    settings = Settings(oidc_issuer="http://127.0.0.1:9", oidc_audience="headwater")
    with TestClient(create_app(store, settings), base_url="http://localhost") as client:
        answer = client.get("/metrics", headers={"authorization": f"Bearer {people.token()}"})
    assert (answer.status_code, answer.json()["code"]) == (503, "ISSUER_UNAVAILABLE")
    assert answer.headers["retry-after"]


def alias(one: str, other: str, name: str = "t") -> dict[str, Any]:
    return {"name": {"namespace": one, "name": name}, "dataset": {"namespace": other, "name": name}}


def exact(name: str, one: str, other: str) -> dict[str, Any]:
    return {"name": name, "kind": "EXACT", "namespaces": [one], "to": other}


WIDE = {"name": "wide", "kind": "PATTERN", "regex": "^x$", "to": "y"}


def decide(call: Call, role: str, operation: str = "add_names", **variables: Any) -> Any:
    body = {"query": queries()[operation], "variables": {"reason": "known to be one", **variables}}
    return call(role, "POST", "/graphql", json=body).json()


@pytest.mark.parametrize("role", ["reader", "auditor"])
def test_names_are_decided_by_stewards(call: Call, store: LineageStore, role: str) -> None:
    for operation in ("add_names", "remove_names"):
        answer = decide(call, role, operation)
        assert answer["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    assert not store.decisions()
    assert [(entry.action, entry.result) for entry in store.audit()] == [
        ("add names", "denied"),
        ("remove names", "denied"),
    ]


@pytest.mark.parametrize(
    "variables",
    [
        {"aliases": [alias("mine one", "theirs")]},
        {"aliases": [alias("theirs", "mine one")]},
        {"rules": [exact("a", "theirs", "mine one")]},
        {"rules": [exact("a", "mine one", "theirs")]},
        {"rules": [WIDE]},
        {"aliases": [alias("mine one", "mine two")], "rules": [WIDE]},
    ],
)
def test_a_merge_needs_a_steward_of_both_namespaces(call: Call, store: LineageStore, variables: Any) -> None:
    answer = decide(call, "steward", **variables)
    assert answer["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    assert not store.decisions()
    assert decide(call, "admin", **variables)["data"]["addNames"]["decisions"]


def test_a_steward_removes_decisions_of_its_namespaces(call: Call, store: LineageStore) -> None:
    mine, theirs = alias("mine one", "mine two"), alias("mine one", "theirs", "other")
    assert decide(call, "admin", aliases=[theirs])["data"]
    assert decide(call, "steward", aliases=[mine])["data"]["addNames"]["decisions"]
    denied = decide(call, "steward", "remove_names", aliases=[theirs["name"]])
    assert denied["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    assert decide(call, "steward", "remove_names", aliases=[mine["name"]])["data"]
    request_body = {"query": queries()["name_decisions"]}
    answer = call("reader", "POST", "/graphql", json=request_body).json()["data"]["nameDecisions"]
    found = [edge["node"] for edge in answer["edges"]]
    assert [(each["added"], each["reason"]) for each in found] == [
        (False, "known to be one"),
        (True, "known to be one"),
        (True, "known to be one"),
    ]
    assert found[0]["by"].endswith("(steward)") and found[-1]["by"].endswith("(admin)")
    noted = [(entry.action, entry.result) for entry in store.audit()]
    assert noted.count(("names", "alias added")) == 2
    assert noted.count(("names", "alias removed")) == 1


def test_a_dry_run_answers_and_decides_nothing(call: Call, store: LineageStore) -> None:
    call("admin", "POST", "/api/v1/lineage", json=event_body())
    answer = decide(call, "steward", rules=[exact("a", "mine", "mine all")], dryRun=True)["data"]["addNames"]
    assert (answer["renamedCount"], answer["datasetCount"]) == (2, 4)
    assert not store.decisions()


def test_a_contradiction_is_reported_with_its_own_code(call: Call) -> None:
    decide(call, "steward", aliases=[alias("mine one", "mine two")])
    answer = decide(call, "steward", aliases=[alias("mine two", "mine one")])
    assert answer["errors"][0]["extensions"]["code"] == "NAME_CONFLICT"
    assert "circle" in answer["errors"][0]["message"]


CLASSIFY = {
    "classes": [{"node": {"namespace": "mine", "name": "out", "path": ["a"]}, "categories": ["user"]}]
}
OF_CLASSES = ("classify", "revoke_classes", "declassify", "decide_proposals")


@pytest.mark.parametrize("role", ["reader", "auditor"])
def test_classes_are_decided_by_stewards(call: Call, store: LineageStore, role: str) -> None:
    call("admin", "POST", "/api/v1/lineage", json=event_body())
    before = len(store.audit())
    for operation in OF_CLASSES:
        answer = decide(call, role, operation, **({"paths": []} if operation == "declassify" else {}))
        assert answer["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    assert not store.decisions()
    assert [(entry.action, entry.result) for entry in store.audit()[before:]] == [
        ("classify", "denied"),
        ("revoke classes", "denied"),
        ("declassify", "denied"),
        ("decide proposals", "denied"),
    ]


@pytest.mark.parametrize("operation", ["classes", "declassifications", "class_decisions", "class_proposals"])
def test_what_is_classified_is_seen_by_stewards_and_auditors(call: Call, operation: str) -> None:
    for role in Role:
        answer = call(role.value, "POST", "/graphql", json={"query": queries()[operation]}).json()
        assert bool(answer.get("data")) is (role in (Role.STEWARD, Role.AUDITOR, Role.ADMIN)), role


def test_a_steward_classifies_in_its_namespaces(call: Call, store: LineageStore) -> None:
    call("admin", "POST", "/api/v1/lineage", json=event_body())
    call("admin", "POST", "/api/v1/lineage", json=event_body(output="theirs", number=2))
    theirs = {"node": {"namespace": "theirs", "name": "out", "path": ["a"]}, "categories": ["user"]}
    denied = decide(call, "steward", "classify", classes=[*CLASSIFY["classes"], theirs])
    assert denied["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    by_rule = decide(
        call,
        "steward",
        "classify",
        rules=[{"namespace": "*", "name": "out", "path": "a", "category": "user"}],
    )
    assert by_rule["errors"][0]["extensions"]["code"] == "FORBIDDEN"
    assert not store.decisions()
    assert decide(call, "steward", "classify", **CLASSIFY)["data"]["classify"]["decisionCount"] == 1
    (made,) = store.decisions()
    assert made.actor.endswith("(steward)")
    assert ("classes", "classified") in [(entry.action, entry.result) for entry in store.audit()]


def test_only_stewards_of_the_namespace_propose_and_decide_what_functions_do(call: Call) -> None:
    sent = event_body()
    known = {"name": "score", "sort": "PYTHON_UDF", "known": "OPAQUE"}
    sent["job"]["facets"] = {"headwater_functions": facet(functions=[known])}
    theirs = {
        **event_body(job="theirs", output="theirs", number=2),
        "job": {**sent["job"], "namespace": "theirs"},
    }
    for each in (sent, theirs):
        assert call("admin", "POST", "/api/v1/lineage", json=each).status_code == 201

    def asked(role: str, operation: str, **variables: Any) -> Any:
        body = {"query": queries()[operation], "variables": variables}
        return call(role, "POST", "/graphql", json=body).json()

    def proposed(role: str, namespace: str) -> Any:
        made = {"function": "score", "reads": ["0"], "digest": "3.12:0", "file": "job.py", "line": 1}
        job = {"namespace": namespace, "name": sent["job"]["name"]}
        return asked(role, "propose_functions", job=job, proposals=[made], reason="a second opinion")

    def code(answer: Any) -> str:
        return str(answer["errors"][0]["extensions"]["code"])

    assert code(proposed("reader", "mine")) == code(proposed("auditor", "mine")) == "FORBIDDEN"
    assert code(proposed("steward", "theirs")) == "FORBIDDEN"
    assert "errors" not in proposed("steward", "mine")
    (of_others,) = proposed("admin", "theirs")["data"]["proposeFunctions"]
    listed = asked("reader", "function_proposals")["data"]["functionProposals"]["edges"]
    assert {each["node"]["job"]["namespace"] for each in listed} == {"mine", "theirs"}
    (own,) = (each["node"] for each in listed if each["node"]["job"]["namespace"] == "mine")
    for role in ("reader", "auditor"):
        assert code(asked(role, "decide_functions", accepted=[own["id"]], reason="known")) == "FORBIDDEN"
    assert (
        code(asked("steward", "decide_functions", accepted=[of_others["id"]], reason="known")) == "FORBIDDEN"
    )
    (decided,) = asked("steward", "decide_functions", accepted=[own["id"]], reason="known")["data"][
        "decideFunctions"
    ]
    assert decided["state"] == "ACCEPTED"
    log = call("auditor", "POST", "/graphql", json={"query": AUDIT}).json()["data"]["auditLog"]
    results = [each["result"] for each in log if each["action"] == "functions"]
    assert sorted(results) == ["accepted", "proposed", "proposed"]
    assert "denied" in {each["result"] for each in log if "functions" in each["action"]}
