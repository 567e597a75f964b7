"""The built-in operations have the same answers with and without a GraphQL engine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import graphql
import pytest
from graphql import FragmentDefinitionNode, OperationDefinitionNode
from starlette.testclient import TestClient

from headwater_backend.copies import stewardship as copies
from headwater_backend.copies.decisions import Pair
from headwater_backend.domain.dead_letters import letter_of
from headwater_backend.domain.errors import HeadwaterError
from headwater_backend.domain.model import DatasetKey, JobKey, NodeKey
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import ingest
from headwater_backend.names import stewardship
from headwater_backend.names.decisions import Alias, Separation
from headwater_backend.names.namespaces import NamespaceRule, RuleKind
from headwater_backend.names.stewardship import Steward, Wanted
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification import deciding
from headwater_backend.privacy.classification.decided import Declassification, PathClass
from headwater_backend.privacy.findings.finding import Finding
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.policies import Severity
from headwater_backend.privacy.reviews.sign_off import SignedReport
from headwater_backend.stores import open_store
from headwater_graphql.context import RequestContext
from headwater_graphql.engine import selections
from headwater_graphql.local_execution import execute
from headwater_graphql.queries import queries, query
from kit import operations, sqlite
from kit.openlineage import NAMESPACE, START_OF_TIME, columns, dataset, event, facet, paths, run_id

FINDING = Finding(
    policy="p",
    category="user",
    severity=Severity.NOTE,
    attribute=NodeKey(DatasetKey(NAMESPACE, "in"), ("a",)),
    node=NodeKey(DatasetKey(NAMESPACE, "out"), ("p", "key")),
    forms=(Form.IDENTITY,),
    jobs=(JobKey(NAMESPACE, "job"),),
)
SIGNED = SignedReport(
    "review",
    datetime(2026, 6, 1, tzinfo=timezone.utc),
    "sha256:0",
    complete=True,
    version="1",
    since=START_OF_TIME,
    of=NodeKey(DatasetKey(NAMESPACE, "in"), ("a",)),
    depth=50,
)
LETTER = letter_of('{"job": {"namespace": "n", "name": "j"}}', HeadwaterError("refused"), "somebody")
ALIAS = Alias(DatasetKey("elsewhere", "out"), DatasetKey(NAMESPACE, "out"))
REFUSED = Pair(DatasetKey(NAMESPACE, "out"), DatasetKey(NAMESPACE, "in"))
APART = Separation.of(DatasetKey("theirs", "a"), DatasetKey("theirs", "b"))
NAMESPACE_RULE = NamespaceRule("one", RuleKind.EXACT, to=NAMESPACE, namespaces=("another",))
VALUE = {"namespace": NAMESPACE, "name": "out", "path": ["p", "value"]}
ASKED = operations.variables(
    operations.Known(
        source={"namespace": NAMESPACE, "name": "in", "path": ["a"]},
        target={"namespace": NAMESPACE, "name": "out", "path": ["p", "key"]},
        job={"namespace": NAMESPACE, "name": "job"},
        run=run_id("run"),
        parent=run_id("above"),
        classified=VALUE,
        finding=FINDING.id,
        letter=LETTER.key,
    )
)


@pytest.fixture(scope="module")
def facts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of a store with all kinds of facts."""
    file = tmp_path_factory.mktemp("facts") / "lineage.db"
    with closing(open_store(sqlite.empty(file))) as store:
        _fill(store)
    return file


@pytest.fixture
def store(facts: Path, tmp_path: Path) -> Iterator[LineageStore]:
    """A store with all kinds of facts."""
    with closing(open_store(sqlite.copy(facts, tmp_path))) as opened:
        yield opened


def _fill(store: LineageStore) -> None:
    parent = facet(run={"runId": run_id("above")}, job={"namespace": NAMESPACE, "name": "above"})
    tags = facet(tags=[{"key": "pii", "value": "true", "field": "a"}])
    lineage = paths(
        (("p", "key"), "in", ("a",), "IDENTITY"),
        (("p", "value"), "in", ("b",), "AGGREGATION"),
        manipulation=["NEST"],
        complete=False,
        incomplete=[{"reason": "UDF", "path": ["p", "value"], "detail": "f"}],
    )
    measured = facet(
        rowCount=2**40,
        columnMetrics={"a": {"nullCount": 1, "min": 0.5, "quantiles": {"0.5": 1.0}}},
    )
    body = event(
        "FAIL",
        2,
        inputs=[{**dataset("in", "a", "b", tags=tags), "inputFacets": {"dataQualityMetrics": measured}}],
        outputs=[dataset("out", ("p", ["key", "value"]), headwater_pathLineage=lineage)],
    )
    body["run"]["facets"] = {"parent": parent, "errorMessage": facet(message="é", programmingLanguage="C")}
    body["job"]["facets"] = {"ownership": facet(owners=[{"name": "team:data", "type": "X"}])}
    whole = event("COMPLETE", 3, "next", [dataset("in", "a")], [dataset("out", columnLineage=columns({}))])
    outcomes = ingest(store, [event("START", 1, "above", job="above"), body, whole])
    assert [outcome.error for outcome in outcomes] == [None] * 3
    described = {**dataset("in", "a", tags=tags), "namespace": "theirs"}
    outsider = Sender(Caller("an outsider", frozenset({Role.PRODUCER}), (NAMESPACE,)))
    assert ingest(store, [event("START", 4, "outside", [described], job="outside")], sender=outsider)[
        0
    ].stored
    store.keep_dead_letters([LETTER])
    stewardship.decide(
        store, Wanted((ALIAS,), (NAMESPACE_RULE,), (APART,)), Steward(everything("somebody"), "known")
    )
    refused = copies.Wanted(refused=(REFUSED,))
    copies.decide(store, refused, Steward(everything("somebody"), "another system"))
    classes = (PathClass(NodeKey(DatasetKey(NAMESPACE, "out"), ("p", "value")), ("user.biometric",)),)
    stops = (Declassification(NodeKey(DatasetKey(NAMESPACE, "out"), ("p", "key"))),)
    deciding.decide(store, deciding.Wanted(classes, stops), Steward(everything("somebody"), "known"))
    signed = DecisionMade(SIGNED.subject, 1_790_000_000_000_000, SIGNED.content(), "somebody", "read")
    store.apply(Batch(decisions=(FINDING.record(1_800_000_000_000_000, "headwater", "noticed"), signed)))


def test_every_operation_except_subscriptions_is_tested() -> None:
    assert operations.missing(ASKED) == ""
    assert set(ASKED) == set(queries()) - {"run_news"}


@pytest.mark.parametrize("name", sorted(ASKED))
def test_an_operation_has_the_same_answer_locally(name: str, client: TestClient, store: LineageStore) -> None:
    for asked in ASKED[name]:
        variables = _with_hash(asked, store) if name == "sign_report" else asked
        local = execute(query(name), variables, RequestContext(store))
        response = client.post("/graphql", json={"query": query(name), "variables": variables}).json()
        remote = response["data"]
        if name == "audit":  # the first query is in the log of the second
            local, remote = local["auditLog"][0], remote["auditLog"][1]
        if name == "sign_report":  # each caller signs for themselves
            for answer in (local, remote):
                del answer["signReport"]["by"], answer["signReport"]["at"]
        assert json.loads(json.dumps(local)) == remote, response


def _with_hash(asked: Mapping[str, Any], store: LineageStore) -> Mapping[str, Any]:
    """The variables of a signature, with the hash of the report."""
    of_report = {key: asked[key] for key in ("kind", "asOf")}
    return {**asked, "hash": execute(query("report"), of_report, RequestContext(store))["report"]["hash"]}


def test_a_query_of_personal_data_is_in_the_audit_log(store: LineageStore) -> None:
    execute(query("exposure"), {"category": "user"}, RequestContext(store))
    with pytest.raises(HeadwaterError):
        execute(query("exposure"), {"category": "nonsense"}, RequestContext(store))
    answered, refused = store.audit()[-2:]
    assert (answered.action, answered.result, answered.details) == (
        "exposure",
        "answered",
        '{"category":"user"}',
    )
    assert (refused.result, refused.details) == ("failed", '{"category":"nonsense"}')


@pytest.mark.parametrize("name", sorted(queries()))
def test_an_operation_is_parsed_like_graphql_core_parses_it(name: str) -> None:
    document = graphql.parse(queries()[name])
    fragments = {
        each.name.value: each for each in document.definitions if isinstance(each, FragmentDefinitionNode)
    }
    (operation,) = (each for each in document.definitions if isinstance(each, OperationDefinitionNode))

    def selected(selection_set: Any) -> list[Any]:
        found: list[Any] = []
        for each in selection_set.selections if selection_set else ():
            if each.kind == "fragment_spread":
                found += selected(fragments[each.name.value].selection_set)
            else:
                arguments = {argument.name.value for argument in each.arguments or ()}
                found.append((each.name.value, arguments, selected(each.selection_set)))
        return found

    def read(fields: tuple[selections.Field, ...]) -> list[Any]:
        return [(each.name, set(each.arguments), read(each.fields)) for each in fields]

    ours = selections.operation(queries()[name])
    assert (ours.kind, read(ours.fields)) == (operation.operation.value, selected(operation.selection_set))
    defaults = {
        each.variable.name.value: graphql.value_from_ast_untyped(each.default_value)
        for each in operation.variable_definitions or ()
        if each.default_value
    }
    assert ours.defaults == defaults


@pytest.mark.parametrize(
    "text", ["query A {", "query A { a(b: 'c') }", "query A { a } fragment B {}", "query A { a @b }"]
)
def test_unsupported_syntax_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        selections.operation(text)
