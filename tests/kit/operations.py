"""What each kept operation is asked with in tests that go over all of them.

A new operation (``graphql/queries``) gets a row in ``variables``. Each of these tests has a store of its own, and says
by ``Known`` what it holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import headwater_graphql.fields.root  # noqa: F401 - what is read here is declared there
from headwater_backend.domain.roles import Permission
from headwater_graphql.engine import selections
from headwater_graphql.engine.root_fields import access_of
from headwater_graphql.queries import queries

SINCE = "2026-01-01T00:00:00+00:00"
LATER = "2030-01-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True)
class Known:
    """What a store holds: two paths, of which one is made of the other, the job that does that, and its run."""

    source: dict[str, Any]
    target: dict[str, Any]
    job: dict[str, Any]
    run: str
    parent: str
    """The id of the run that started this one."""
    classified: dict[str, Any] | None = None
    """A path that a steward has classified."""
    finding: str = "none"
    """The id of a finding."""
    letter: str = "none"
    """The key of a dead letter."""


def variables(known: Known) -> Mapping[str, list[dict[str, Any]]]:
    """Return what each operation is asked with: its variables, once or several times."""
    namespace = known.source["namespace"]
    source, target = (
        {key: each[key] for key in ("namespace", "name")} for each in (known.source, known.target)
    )
    rule = {"namespace": namespace, "name": "nothing", "path": "x", "category": "user.name", "line": 3}
    return {
        "add_names": [
            {
                "reason": "r",
                "aliases": [{"name": {"namespace": "elsewhere", "name": "out"}, "dataset": target}],
            },
            {
                "reason": "r",
                "rules": [{"name": "one", "kind": "EXACT", "namespaces": ["another"], "to": namespace}],
            },
        ],
        "audit": [{"first": 2}],
        "backward": [
            {"node": known.target},
            {"node": target, "types": ["DIRECT", "INDIRECT"], "level": "COLUMN", "first": 3},
            {"node": target, "active": True},
            {"node": known.target, "level": "DATASET", "types": ["DIRECT", "INDIRECT"]},
        ],
        "both": [
            {"node": known.source},
            {"node": target, "depth": 1, "filter": {"within": [{"name": "in*"}], "stopAt": []}},
        ],
        "breach": [
            {
                "leaked": [{"namespace": namespace, "name": "*"}],
                "asOf": LATER,
                "rules": [rule],
                "lenient": True,
            }
        ],
        "caller": [{}],
        "child_runs": [{"runId": known.parent}],
        "claims": [{}, {"dataset": {"namespace": "theirs", "name": "in"}, "first": 1}],
        "class_decisions": [{}, {"asOf": SINCE}],
        "class_proposals": [{}, {"rules": [rule], "first": 1}],
        "classes": [{}, {"node": source, "asOf": LATER, "rules": [rule]}],
        "classify": [
            {"reason": "r", "classes": [{"node": known.source, "categories": ["user.name"]}], "dryRun": True},
        ],
        "column_usage": [{**source, "since": SINCE}],
        "conditions": [
            {"job": known.job, "output": known.source},
            {"job": known.job, "output": known.target},
            {"job": known.job, "output": known.target, "asOf": LATER},
        ],
        "copy_decisions": [{}, {"first": 1}],
        "copy_proposals": [{}],
        "correction_decisions": [{}, {"first": 1}],
        "corrections": [{}, {"first": 1}],
        "crossings": [
            {"asOf": LATER, "first": 1},
            {
                "asOf": LATER,
                "policies": [{"policy": "p", "category": "user", "countries": ["EEA"]}],
                "organisation": "locations: [{datasets: '* out', country: US}]",
                "rules": [rule],
                "lenient": True,
            },
        ],
        "cut": [
            {
                "policies": [{"policy": "p", "category": "user", "name": "*", "allow": ["MASKED"]}],
                "asOf": LATER,
            },
            {
                "policies": [{"policy": "p", "category": "user", "name": "*", "allow": []}],
                "each": True,
                "costs": "kinds: {mask: never}",
                "alternatives": 1,
                "rules": [rule],
                "lenient": True,
                "asOf": LATER,
            },
        ],
        "data_flow": [{}, {"within": [{"name": "o*"}], "first": 1}],
        "dataset": [target, source, {"namespace": namespace, "name": "none"}],
        "dataset_aliases": [{}],
        "dataset_history": [target, source, {**target, "use": "OUTPUT", "first": 10}],
        "dataset_paths": [target, source],
        "dataset_records": [target, {**target, "first": 1}],
        "dataset_runs": [target, source, {**target, "use": None}],
        "dataset_separations": [{}],
        "datasets": [{}, {"search": "OU", "first": 1}],
        "dead_letter": [{"key": known.letter}],
        "dead_letters": [{}],
        "decide_copies": [
            {
                "reason": "r",
                "refused": [{"dataset": target, "original": source}],
            }
        ],
        "decide_corrections": [{"reason": "r", "accepted": [], "dryRun": True}],
        "decide_findings": [{"ids": [known.finding], "state": "RESOLVED", "reason": "r"}],
        "decide_functions": [{"reason": "r", "accepted": [], "dryRun": True}],
        "decide_proposals": [{"reason": "r", "reject": [known.source], "dryRun": True}],
        "declassifications": [{}, {"asOf": SINCE}],
        "declassify": [
            {
                "reason": "r",
                "paths": [{"node": known.target, "job": known.job, "until": LATER}],
                "dryRun": True,
            }
        ],
        "explanation": [{"node": known.target}],
        "exposure": [{"asOf": LATER}, {"node": known.source, "category": "user", "asOf": LATER}],
        "exposure_changes": [
            {"since": SINCE, "asOf": LATER, "first": 2},
            {"asOf": LATER, "node": known.source},
            {
                "since": SINCE,
                "asOf": LATER,
                "node": known.source,
                "influenced": True,
                "rules": [rule],
                "lenient": True,
            },
        ],
        "exposure_matrix": [
            {"asOf": LATER, "first": 1},
            {
                "asOf": LATER,
                "columns": "ATTRIBUTE",
                "rows": "NAMESPACE",
                "influenced": True,
                "rules": [rule],
                "lenient": True,
            },
            {
                "asOf": LATER,
                "columns": "SUBJECT",
                "rows": "RECIPIENT",
                "organisation": "recipients: [{name: A, datasets: '* out'}, {name: B, datasets: '* none'}]",
            },
        ],
        "finding_history": [{"finding": known.finding}],
        "findings": [{}, {"states": ["CLEARED"], "policy": "p", "asOf": LATER, "first": 1}],
        "forward": [
            {"node": known.source},
            {"node": known.source, "level": "COLUMN"},
            {"node": known.source, "types": ["DIRECT"], "asOf": None},
        ],
        "function_proposals": [{}, {"job": known.job, "states": ["ACCEPTED"], "first": 1}],
        "golden_sources": [{"node": known.target}],
        "graph_checks": [{}],
        "holdings": [
            {"asOf": LATER, "first": 1},
            {"asOf": LATER, "at": target, "influenced": True, "rules": [rule], "lenient": True},
        ],
        "impact": [{"node": known.source}],
        "job": [known.job, {"namespace": namespace, "name": "none"}],
        "job_lineage": [
            {"node": known.target, "direction": "BACKWARD"},
            {"node": known.source, "direction": "FORWARD"},
        ],
        "job_runs": [known.job],
        "jobs": [{}, {"search": "JO", "first": 1}],
        "mapping_text": [{"node": known.target}, {"node": known.target, "language": "DE"}],
        "mend_dead_letter": [{"key": known.letter, "changes": [{"pointer": "/job/name", "value": '"k"'}]}],
        "more_holdings": [{"of": known.source, "asOf": LATER, "category": "user"}],
        "name_decisions": [{}, {"first": 1}],
        "name_proposals": [{}],
        "named_datasets": [{"text": "out"}, {"text": ""}],
        "namespace_rules": [{}],
        "near_names": [{"text": "ouf", "kinds": ["DATASET", "JOB", "NAMESPACE", "OWNER", "TAG"]}],
        "newest_runs": [{"jobs": [known.job, {"namespace": namespace, "name": "none"}]}],
        "overview": [{}, {"opened": [{"namespace": "test"}], "first": 2}],
        "overview_exposure": [{"asOf": LATER}, {"opened": [{"namespace": "test"}], "asOf": LATER}],
        "policy_check": [
            {
                "policies": [
                    {
                        "policy": "p",
                        "category": "user",
                        "namespace": namespace,
                        "name": "*",
                        "allow": ["MASKED"],
                    },
                    {"policy": "q", "category": "user", "name": "none", "severity": "NOTE"},
                ],
                "functions": [{"function": "tokenize", "form": "PSEUDONYMISED"}],
                "asOf": LATER,
            }
        ],
        "propose_functions": [{"reason": "r", "job": known.job, "proposals": [], "dryRun": True}],
        "record_sources": [
            {"attributes": [known.source]},
            {"attributes": [known.target]},
            {"attributes": [known.target, known.target]},
            {"attributes": [known.target, known.target], "asOf": LATER},
        ],
        "reidentifications": [{"asOf": LATER}, {"category": "user", "first": 1, "asOf": LATER}],
        "remove_names": [{"reason": "r", "rules": [], "dryRun": True}],
        "replay_dead_letters": [{"keys": []}],
        "report": [
            {"kind": "ART30", "asOf": LATER, "organisation": "controller: {name: A}"},
            {
                "kind": "ART33",
                "asOf": LATER,
                "leaked": [{"namespace": namespace, "name": "*"}],
                "language": "DE",
            },
        ],
        "residency": [
            {"asOf": LATER, "first": 1},
            {
                "asOf": LATER,
                "policies": [{"policy": "p", "category": "user", "countries": ["EEA"]}],
                "organisation": "locations: [{datasets: '* out', country: US}]",
                "rules": [rule],
                "lenient": True,
            },
        ],
        "retention": [
            {"asOf": LATER, "organisation": "processing: [{activity: A, outputs: '* in', retention: 1 day}]"},
            {"asOf": LATER, "node": known.source, "first": 1},
        ],
        "revoke_classes": [{"reason": "r", "nodes": [known.classified or known.target], "dryRun": True}],
        "run": [{**known.job, "runId": known.run}],
        "search": [{"text": "a"}, {"text": "team", "kinds": ["JOB"], "by": ["OWNER", "TAG"]}],
        "sign_offs": [{}, {"kind": "review", "asOf": LATER, "first": 1}],
        "sign_report": [{"kind": "ART30", "asOf": SINCE, "reason": "r"}],
        "sources": [{}],
        "subject_data": [{"asOf": LATER}, {"node": known.source, "order": "SOURCES_LAST", "asOf": LATER}],
        "unused_datasets": [{"since": "2027-01-01T00:00:00+00:00"}, {"since": LATER}],
        "usages": [
            {"of": known.source},
            {"of": source, "togetherWith": [{"node": known.source}], "within": "PATH"},
            {"of": known.source, "togetherWith": [{"node": known.source, "usedAs": ["VALUE"]}]},
        ],
        "user_functions": [{}, {"differing": True}, {"search": "jo", "known": ["OPAQUE"], "differing": True}],
        "witnesses": [
            {"source": known.source, "target": target},
            {"source": known.source, "target": known.target},
        ],
    }


def for_readers() -> set[str]:
    """The kept operations with a root field that everybody may ask for who may ask at all."""
    return {
        name
        for name, text in queries().items()
        if any(
            access_of(each.name).permission is Permission.ASK for each in selections.operation(text).fields
        )
    }


def missing(rows: Mapping[str, object]) -> str:
    """Return what is to be done about kept operations without a row, or nothing. A subscription is no single answer."""
    forgotten = [
        name
        for name, text in queries().items()
        if name not in rows and selections.operation(text).kind != "subscription"
    ]
    return f"add a row to `variables` in tests/kit/operations.py: {', '.join(forgotten)}" if forgotten else ""
