"""How a producer says that it reads others' datasets holds for its own reads, and bends no answer about others."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import Any, Final

import pytest

from headwater_backend.domain.model import DatasetKey, Direction, NodeKey
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.classification.rules import Rule, Rules
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.questions.closure import LineageGraph, lineage
from headwater_backend.questions.witness import witnesses
from kit.openlineage import event, facet, fields, paths

OWNERS: Final = Sender(everything("owners"))
ATTACKER: Final = Sender(Caller("key 7 (mine)", frozenset({Role.PRODUCER}), ("mine",)))
PEOPLE, REPORT, OUT = (DatasetKey(*each) for each in (("hr", "people"), ("sales", "report"), ("mine", "out")))
SSN, NAME, SHOWN = NodeKey(PEOPLE, ("ssn",)), NodeKey(PEOPLE, ("name",)), NodeKey(REPORT, ("shown",))
OWN: Final = ("shown", "ssn", "name", "city")
"""The names that ``hr`` and ``sales`` use."""
RULES: Final = Ruling(
    Rules(tuple(Rule(("hr", "people"), path, n, f"user.{path}") for n, path in enumerate(("ssn", "city"), 1)))
)


def part(key: DatasetKey, *schema: str, kind: str = "csv", **facets: Any) -> dict[str, Any]:
    known = {
        "schema": facet(fields=fields(*schema)),
        "storage": facet(storageLayer="file", fileFormat=kind),
        **facets,
    }
    return {"namespace": key.namespace, "name": key.name, "facets": known}


def copied(key: DatasetKey, to: str, source: DatasetKey, path: list[str]) -> dict[str, Any]:
    lineage_of = paths(([to], source.name, path, "IDENTITY"))
    lineage_of["fields"][0]["inputFields"][0]["namespace"] = source.namespace
    return part(key, to, headwater_pathLineage=lineage_of)


def of(job: str, inputs: list[Any], outputs: list[Any], hour: int) -> dict[str, Any]:
    when = datetime.now(timezone.utc) - timedelta(days=1) + timedelta(hours=hour)
    made = event("COMPLETE", hour, f"run of {job} {hour}", inputs, outputs, job=job)
    made["job"]["namespace"] = job
    return {**made, "eventTime": when.isoformat()}


def owners_events(*, written: bool) -> list[dict[str, Any]]:
    """``hr`` writes people, unless nobody is known to; ``sales`` reports their names."""
    people = part(PEOPLE, "ssn", "name", "city")
    report = copied(REPORT, "shown", PEOPLE, ["name"])
    return [*([of("hr", [], [people], 1)] if written else []), of("sales", [people], [report], 2)]


def made_of(store: LineageStore) -> LineageGraph:
    return lineage(store, SHOWN, Direction.BACKWARD)


def reports(nodes: Iterable[NodeKey]) -> list[NodeKey]:
    return [node for node in nodes if node.dataset == REPORT]


def answers(store: LineageStore) -> dict[str, Any]:
    """What ``sales`` learns of its report: what it is made of, and what of people it holds."""
    report = exposed(store, Scope(), RULES)
    ahead = {each.attribute.node: each for each in report.attributes}
    return {
        "backward": [node.key for node in made_of(store).nodes if node.key.path[0] in OWN],
        "gaps": made_of(store).incomplete,
        "forward": [
            reports(each.key for each in lineage(store, node, Direction.FORWARD).nodes)
            for node in (SSN, NAME)
        ],
        "witnesses": witnesses(store, SSN, SHOWN).witnesses,
        "exposed": {
            node: reports(output.node for output in ahead[node].outputs)
            for node in (SSN, NodeKey(PEOPLE, ("city",)))
        },
    }


READ_AS: Final[dict[str, dict[str, Any]]] = {
    "columns that change places": part(PEOPLE, "name", "ssn", "city"),
    "a column too many, under another's name": part(PEOPLE, "a", "b", "c", "name"),
    "another's name for the first column": part(PEOPLE, "name"),
    "the whole record": part(PEOPLE, "name", kind="text"),
    "another format": part(PEOPLE, "name", "other", kind="json"),
    "one column of lines": part(PEOPLE, "name", kind="csv", headwater_layout=facet(separator="\n")),
}


@pytest.mark.parametrize("written", [True, False], ids=["written", "a source"])
@pytest.mark.parametrize("read", READ_AS)
def test_a_reading_changes_no_answer_about_others(store: LineageStore, read: str, *, written: bool) -> None:
    assert all(outcome.stored for outcome in ingest(store, owners_events(written=written), sender=OWNERS))
    before = answers(store)
    path = [READ_AS[read]["facets"]["schema"]["fields"][0]["name"]]
    attack = of("mine", [READ_AS[read]], [copied(OUT, "x", PEOPLE, path)], 3)
    assert ingest(store, [attack], sender=ATTACKER)[0].stored
    assert answers(store) == before
    reached = {node.key for node in lineage(store, SSN, Direction.FORWARD).nodes}
    if written:
        assert NodeKey(OUT, ("x",)) in reached, "its own reads are followed"


def test_nobody_hides_what_others_make_of_an_output_by_calling_it_a_reading(store: LineageStore) -> None:
    sent = copied(OUT, "x", PEOPLE, ["ssn"])
    (field,) = sent["facets"]["headwater_pathLineage"]["fields"]
    field["inputFields"][0]["transformations"][0]["manipulation"] = ["READ_AS"]
    made = copied(REPORT, "shown", OUT, ["x"])
    people = part(PEOPLE, "ssn", "name", "city")
    assert ingest(store, [of("mine", [people], [sent], 1)], sender=ATTACKER)[0].stored
    assert ingest(store, [of("sales", [part(OUT, "x")], [made], 2)], sender=OWNERS)[0].stored
    assert SHOWN in {node.key for node in lineage(store, SSN, Direction.FORWARD).nodes}
    [found] = [each for each in exposed(store, Scope(), RULES).attributes if each.attribute.node == SSN]
    assert SHOWN in {output.node for output in found.outputs}
