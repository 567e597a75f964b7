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
from kit import sqlite
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
SINCE = "2026-01-01T00:00:00+00:00"
LATER = "2030-01-01T00:00:00+00:00"
JOB = {"namespace": NAMESPACE, "name": "job"}
OUT = {"namespace": NAMESPACE, "name": "out"}
LEAF = {**OUT, "path": ["p", "key"]}
FIRST = {"namespace": NAMESPACE, "name": "in", "path": ["a"]}
RULE = {"namespace": NAMESPACE, "name": "nothing", "path": "x", "category": "user.name", "line": 3}
LETTER = letter_of('{"job": {"namespace": "n", "name": "j"}}', HeadwaterError("refused"), "somebody")
ALIAS = Alias(DatasetKey("elsewhere", "out"), DatasetKey(NAMESPACE, "out"))
REFUSED = Pair(DatasetKey(NAMESPACE, "out"), DatasetKey(NAMESPACE, "in"))
APART = Separation.of(DatasetKey("theirs", "a"), DatasetKey("theirs", "b"))
NAMESPACE_RULE = NamespaceRule("one", RuleKind.EXACT, to=NAMESPACE, namespaces=("another",))
ASKED: Mapping[str, list[dict[str, Any]]] = {
    "add_names": [
        {"reason": "r", "aliases": [{"name": ALIAS.name._asdict(), "dataset": ALIAS.dataset._asdict()}]},
        {
            "reason": "r",
            "rules": [{"name": "one", "kind": "EXACT", "namespaces": ["another"], "to": NAMESPACE}],
        },
    ],
    "audit": [{"first": 2}],
    "backward": [
        {"node": LEAF},
        {"node": OUT, "types": ["DIRECT", "INDIRECT"], "level": "COLUMN", "first": 3},
        {"node": OUT, "active": True},
    ],
    "both": [{"node": OUT, "depth": 1, "filter": {"within": [{"name": "in*"}], "stopAt": []}}],
    "breach": [
        {"leaked": [{"namespace": NAMESPACE, "name": "*"}], "asOf": LATER, "rules": [RULE], "lenient": True}
    ],
    "class_decisions": [{}, {"asOf": SINCE}],
    "class_proposals": [{}, {"rules": [RULE], "first": 1}],
    "classes": [{}, {"node": {"namespace": NAMESPACE, "name": "in"}, "asOf": LATER, "rules": [RULE]}],
    "classify": [
        {"reason": "r", "classes": [{"node": FIRST, "categories": ["user.name"]}], "dryRun": True},
    ],
    "jobs": [{}, {"search": "JO", "first": 1}],
    "child_runs": [{"runId": run_id("above")}],
    "explanation": [{"node": LEAF}],
    "usages": [
        {"of": FIRST},
        {"of": {"namespace": NAMESPACE, "name": "in"}, "togetherWith": [{"node": FIRST}], "within": "PATH"},
    ],
    "record_sources": [{"attributes": [LEAF]}, {"attributes": [LEAF, LEAF], "asOf": LATER}],
    "mapping_text": [{"node": LEAF}],
    "conditions": [{"job": JOB, "output": FIRST}, {"job": JOB, "output": LEAF, "asOf": LATER}],
    "graph_checks": [{}],
    "column_usage": [{"namespace": NAMESPACE, "name": "in", "since": SINCE}],
    "copy_decisions": [{}, {"first": 1}],
    "correction_decisions": [{}, {"first": 1}],
    "corrections": [{}, {"first": 1}],
    "copy_proposals": [{}],
    "dataset": [OUT, {"namespace": NAMESPACE, "name": "none"}],
    "dataset_history": [{**OUT, "use": "OUTPUT", "first": 10}],
    "dataset_paths": [OUT],
    "dataset_records": [OUT, {**OUT, "first": 1}],
    "dataset_runs": [OUT, {**OUT, "use": None}],
    "dataset_aliases": [{}],
    "overview": [{}, {"opened": [{"namespace": "test"}], "first": 2}],
    "overview_exposure": [{"asOf": LATER}, {"opened": [{"namespace": "test"}], "asOf": LATER}],
    "data_flow": [{}, {"within": [{"name": "o*"}], "first": 1}],
    "caller": [{}],
    "datasets": [{}, {"search": "OU", "first": 1}],
    "claims": [{}, {"dataset": {"namespace": "theirs", "name": "in"}, "first": 1}],
    "dataset_separations": [{}],
    "decide_copies": [
        {
            "reason": "r",
            "refused": [{"dataset": REFUSED.dataset._asdict(), "original": REFUSED.original._asdict()}],
        }
    ],
    "decide_functions": [{"reason": "r", "accepted": [], "dryRun": True}],
    "function_proposals": [{}, {"job": JOB, "states": ["ACCEPTED"], "first": 1}],
    "propose_functions": [{"reason": "r", "job": JOB, "proposals": [], "dryRun": True}],
    "decide_corrections": [{"reason": "r", "accepted": [], "dryRun": True}],
    "decide_proposals": [{"reason": "r", "reject": [FIRST], "dryRun": True}],
    "declassifications": [{}, {"asOf": SINCE}],
    "declassify": [{"reason": "r", "paths": [{"node": LEAF, "job": JOB, "until": LATER}], "dryRun": True}],
    "dead_letter": [{"key": LETTER.key}],
    "dead_letters": [{}],
    "exposure": [{"asOf": LATER}, {"node": FIRST, "category": "user", "asOf": LATER}],
    "exposure_changes": [
        {"since": SINCE, "asOf": LATER, "first": 2},
        {"asOf": LATER, "node": FIRST},
        {"since": SINCE, "asOf": LATER, "node": FIRST, "influenced": True, "rules": [RULE], "lenient": True},
    ],
    "exposure_matrix": [
        {"asOf": LATER, "first": 1},
        {
            "asOf": LATER,
            "columns": "ATTRIBUTE",
            "rows": "NAMESPACE",
            "influenced": True,
            "rules": [RULE],
            "lenient": True,
        },
        {
            "asOf": LATER,
            "columns": "SUBJECT",
            "rows": "RECIPIENT",
            "organisation": "recipients: [{name: A, datasets: '* out'}, {name: B, datasets: '* none'}]",
        },
    ],
    "decide_findings": [{"ids": [FINDING.id], "state": "RESOLVED", "reason": "r"}],
    "finding_history": [{"finding": FINDING.id}],
    "findings": [{}, {"states": ["CLEARED"], "policy": "p", "asOf": LATER, "first": 1}],
    "forward": [{"node": FIRST, "types": ["DIRECT"], "asOf": None}],
    "golden_sources": [{"node": LEAF}],
    "holdings": [
        {"asOf": LATER, "first": 1},
        {"asOf": LATER, "at": OUT, "influenced": True, "rules": [RULE], "lenient": True},
    ],
    "impact": [{"node": FIRST}],
    "job": [JOB, {"namespace": NAMESPACE, "name": "none"}],
    "job_lineage": [{"node": LEAF, "direction": "BACKWARD"}],
    "job_runs": [JOB],
    "newest_runs": [{"jobs": [JOB, {"namespace": NAMESPACE, "name": "none"}]}],
    "more_holdings": [{"of": FIRST, "asOf": LATER, "category": "user"}],
    "name_decisions": [{}, {"first": 1}],
    "name_proposals": [{}],
    "namespace_rules": [{}],
    "named_datasets": [{"text": "out"}],
    "crossings": [
        {"asOf": LATER, "first": 1},
        {
            "asOf": LATER,
            "policies": [{"policy": "p", "category": "user", "countries": ["EEA"]}],
            "organisation": "locations: [{datasets: '* out', country: US}]",
            "rules": [RULE],
            "lenient": True,
        },
    ],
    "cut": [
        {"policies": [{"policy": "p", "category": "user", "name": "*", "allow": ["MASKED"]}], "asOf": LATER},
        {
            "policies": [{"policy": "p", "category": "user", "name": "*", "allow": []}],
            "each": True,
            "costs": "kinds: {mask: never}",
            "alternatives": 1,
            "rules": [RULE],
            "lenient": True,
            "asOf": LATER,
        },
    ],
    "policy_check": [
        {
            "policies": [
                {"policy": "p", "category": "user", "namespace": NAMESPACE, "name": "*", "allow": ["MASKED"]},
                {"policy": "q", "category": "user", "name": "none", "severity": "NOTE"},
            ],
            "functions": [{"function": "tokenize", "form": "PSEUDONYMISED"}],
            "asOf": LATER,
        }
    ],
    "residency": [
        {"asOf": LATER, "first": 1},
        {
            "asOf": LATER,
            "policies": [{"policy": "p", "category": "user", "countries": ["EEA"]}],
            "organisation": "locations: [{datasets: '* out', country: US}]",
            "rules": [RULE],
            "lenient": True,
        },
    ],
    "retention": [
        {"asOf": LATER, "organisation": "processing: [{activity: A, outputs: '* in', retention: 1 day}]"},
        {"asOf": LATER, "node": FIRST, "first": 1},
    ],
    "revoke_classes": [{"reason": "r", "nodes": [{**OUT, "path": ["p", "value"]}], "dryRun": True}],
    "reidentifications": [{"asOf": LATER}, {"category": "user", "first": 1, "asOf": LATER}],
    "remove_names": [{"reason": "r", "rules": [], "dryRun": True}],
    "near_names": [{"text": "ouf", "kinds": ["DATASET", "JOB", "NAMESPACE", "OWNER", "TAG"]}],
    "mend_dead_letter": [{"key": LETTER.key, "changes": [{"pointer": "/job/name", "value": '"k"'}]}],
    "replay_dead_letters": [{"keys": []}],
    "report": [
        {"kind": "ART30", "asOf": LATER, "organisation": "controller: {name: A}"},
        {"kind": "ART33", "asOf": LATER, "leaked": [{"namespace": NAMESPACE, "name": "*"}], "language": "DE"},
    ],
    "run": [{**JOB, "runId": run_id("run")}],
    "search": [{"text": "a"}, {"text": "team", "kinds": ["JOB"], "by": ["OWNER", "TAG"]}],
    "sign_offs": [{}, {"kind": "review", "asOf": LATER, "first": 1}],
    "sign_report": [{"kind": "ART30", "asOf": SINCE, "reason": "r"}],
    "sources": [{}],
    "subject_data": [{"asOf": LATER}, {"node": FIRST, "order": "SOURCES_LAST", "asOf": LATER}],
    "user_functions": [{}, {"search": "jo", "known": ["OPAQUE"], "differing": True}],
    "unused_datasets": [{"since": "2027-01-01T00:00:00+00:00"}],
    "witnesses": [{"source": FIRST, "target": OUT}],
}


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
