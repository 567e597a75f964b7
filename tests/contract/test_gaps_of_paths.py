"""A job that read a dataset and does not list what it read for some path of its output: that path may hold anything of
it, and every forward answer through the dataset has the gap.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import pytest

from headwater_backend.domain.audit_log import AuditNote
from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, JobKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import exposed, exposure
from headwater_backend.privacy.exposure_search import Scope as Part
from headwater_backend.questions.impact import impact
from headwater_backend.questions.levels import Level
from headwater_backend.questions.lineage import Scope, jobs, lineage
from headwater_backend.questions.traversal import Bounds
from headwater_backend.stores import open_store
from headwater_backend.stores.copying.copy import migrate
from kit.openlineage import NAMESPACE, at, dataset, digest, event, facet, node, paths

FORWARD = Direction.FORWARD
PEOPLE = DatasetKey(NAMESPACE, "people")
JOB = JobKey(NAMESPACE, "joins")
GAP = Incomplete("UNKNOWN_EXPRESSION", DatasetKey(NAMESPACE, "scores"), ("x",), JOB, "who knows")


def scores(minute: int, *entries: dict[str, Any], kind: str = "COMPLETE", **more: Any) -> dict[str, Any]:
    """Reads ``people`` and ``ranks``; makes ``scores.rank`` of the latter, and ``scores.x`` by the entries."""
    traced = paths(
        (["rank"], "ranks", ["rank"], "IDENTITY"), complete=not entries, incomplete=list(entries), **more
    )
    read = [dataset("people", "ssn", "name"), dataset("ranks", "rank")]
    output = dataset("scores", "x", "rank", headwater_pathLineage=traced)
    return event(kind, minute, f"scores {minute}", read, [output], JOB.name)


def unknown(*path: str, reason: str = "UNKNOWN_EXPRESSION") -> dict[str, Any]:
    return {"reason": reason, "paths": [list(path)], "detail": "who knows"}


def stored(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    assert all(outcome.stored for outcome in ingest(store, events))
    return store


def ahead(store: LineageStore, start: NodeKey, minute: int | None = None) -> tuple[Incomplete, ...]:
    scope = Scope(bounds=Bounds(as_of=None if minute is None else at(minute)))
    return lineage(store, start, FORWARD, scope).incomplete


def test_every_forward_answer_has_a_gap_that_does_not_list_what_was_read(store: LineageStore) -> None:
    stored(store, scores(1, unknown("x")))
    ssn = node("people", "ssn")
    assert ahead(store, ssn) == (GAP,)
    for level in Level:
        assert GAP in lineage(store, ssn, FORWARD, Scope(), level).incomplete
    assert GAP in jobs(store, ssn, FORWARD, Scope()).incomplete
    assert GAP in impact(store, ssn).incomplete
    assert ahead(store, node("people")) == (GAP,)


def test_nobody_has_it_is_not_the_answer(store: LineageStore) -> None:
    known = scores(1, unknown("x"))
    known["inputs"][0]["facets"]["tags"] = facet(tags=[{"key": "user.name", "value": "", "field": "ssn"}])
    report = exposure(stored(store, known))
    (attribute,) = report.attributes
    assert (attribute.outputs, attribute.incomplete, report.complete) == ((), (GAP,), False)
    assert exposed(store, Part(at=node("scores", "x"))).incomplete == (GAP,)


def test_a_gap_on_the_way_is_reported_too(store: LineageStore) -> None:
    copied = dataset("people", "ssn", headwater_pathLineage=paths((["ssn"], "raw", ["ssn"], "IDENTITY")))
    stored(
        store, scores(1, unknown("x")), event("COMPLETE", 2, "c", [dataset("raw", "ssn")], [copied], "copies")
    )
    assert ahead(store, node("raw", "ssn")) == (GAP,)


def test_what_the_job_did_not_read_is_not_concerned(store: LineageStore) -> None:
    copied = dataset("end", "y", headwater_pathLineage=paths((["y"], "other", ["y"], "IDENTITY")))
    stored(
        store, scores(1, unknown("x")), event("COMPLETE", 2, "c", [dataset("other", "y")], [copied], "copies")
    )
    assert ahead(store, node("other", "y")) == ()


@pytest.mark.parametrize("reason", ["PYTHON_UDF", "SCALA_UDAF", "PYTHON_UDTF", "TYPED_OPERATION", "SCRIPT"])
def test_code_whose_arguments_are_listed_is_no_gap_of_what_it_does_not_read(
    store: LineageStore, reason: str
) -> None:
    stored(store, scores(1, unknown("x", reason=reason)))
    assert ahead(store, node("people", "ssn")) == ()
    assert [gap.reason for gap in store.incomplete([GAP.dataset])] == [reason]


def test_a_path_with_one_known_source_may_have_others(
    store: LineageStore,
) -> None:
    partly = scores(1, unknown("x"))
    path_lineage = partly["outputs"][0]["facets"]["headwater_pathLineage"]["fields"]
    path_lineage += paths((["x"], "people", ["name"], "TRANSFORMATION"))["fields"]
    assert ahead(stored(store, partly), node("people", "ssn")) == (GAP,)


def test_the_accesses_of_a_job_do_not_show_what_it_could_not_read(store: LineageStore) -> None:
    partly = scores(1, unknown("x"))
    seen = [{"path": ["name"], "access": ["PROJECT"], "reachesOutput": True}]
    partly["inputs"][0]["facets"]["headwater_access"] = facet(paths=seen)
    assert ahead(stored(store, partly), node("people", "ssn")) == (GAP,)


def test_a_gap_of_the_whole_output_stands_for_those_of_its_paths(store: LineageStore) -> None:
    stored(store, scores(1, unknown("x"), {"reason": "RDD"}, unknown("rank", reason="RDD")))
    assert [(gap.reason, gap.path) for gap in ahead(store, node("people", "ssn"))] == [("RDD", ())]


def test_the_newest_run_that_did_not_fail_has_the_gap_or_not(store: LineageStore) -> None:
    stored(store, scores(1), scores(3, unknown("x")), scores(5), scores(7, unknown("x"), kind="FAIL"))
    ssn = node("people", "ssn")
    assert [ahead(store, ssn, minute) for minute in (0, 1, 2, 3, 4, 5, 8)] == [
        (),
        (),
        (),
        (GAP,),
        (GAP,),
        (),
        (),
    ]
    assert ahead(store, ssn) == ()


def test_what_is_missing_is_that_of_the_moment_asked_for(store: LineageStore) -> None:
    stored(store, scores(1, unknown("x")), scores(5))
    start = node("scores", "x")
    at_first, now = (
        lineage(store, start, Direction.BACKWARD, Scope(bounds=Bounds(as_of=moment)))
        for moment in (at(1), None)
    )
    assert (at_first.incomplete, now.incomplete) == ((GAP,), ())
    part = Part(of=node("people", "ssn"), bounds=Bounds(as_of=at(1)))
    assert exposed(store, part).attributes[0].incomplete == (GAP,)
    assert store.possible_outputs([PEOPLE], at(0)) == store.possible_outputs([PEOPLE], at(5)) == {}


def test_a_copy_of_the_store_has_it_too(store: LineageStore, tmp_path: Any) -> None:
    stored(store, scores(1, unknown("x")))
    copy = open_store(f"sqlite:///{tmp_path}/copy.db")
    note = AuditNote("somebody", "store.fill", "filled")
    assert migrate(store, copy, (note, note), lambda _: None).equal
    assert (digest(copy), copy.possible_outputs([PEOPLE])) == (
        digest(store),
        store.possible_outputs([PEOPLE]),
    )
    copy.close()


class Flow(NamedTuple):
    """An edge of a made-up job."""

    source: NodeKey
    target: NodeKey


class Made(NamedTuple):
    """A made-up job: what it reads, and of what it makes which paths of its output; ``hidden`` are those without
    edges in what it reports, for a reason.
    """

    job: str
    read: list[str]
    output: str
    flows: list[Flow]
    hidden: dict[tuple[str, ...], str]

    def event(self, minute: int, *, in_full: bool) -> dict[str, Any]:
        hidden = {} if in_full else self.hidden
        shown = [f for f in self.flows if f.target.path not in hidden and () not in hidden]
        entries = [(f.target.path, f.source.dataset.name, f.source.path, "IDENTITY") for f in shown]
        gaps = [{"reason": why, "paths": [list(path)] if path else []} for path, why in hidden.items()]
        path_lineage = paths(*entries, complete=not gaps, incomplete=gaps)
        output = dataset(self.output, *COLUMNS, headwater_pathLineage=path_lineage)
        read = [dataset(name, *COLUMNS) for name in self.read]
        return event("COMPLETE", minute, f"{self.job} {minute}", read, [output], self.job)

    @property
    def keeps_gaps(self) -> bool:
        """Whether what it hid once stays in its output, because it makes that of itself."""
        return bool(self.hidden) and self.output in self.read

    def covers(self, gap: Incomplete, target: NodeKey) -> bool:
        return (
            gap.job == JobKey(NAMESPACE, self.job)
            and gap.dataset == target.dataset
            and (target.path[: len(gap.path)] == gap.path)
        )


COLUMNS = ("a", "b", "c")
REASONS = ("TRUNCATED", "ERROR", "UNKNOWN_EXPRESSION", "UNKNOWN_RELATION", "RDD")


def made_up(dice: random.Random, number: int) -> list[Made]:
    """Jobs over a few datasets, some with cycles."""
    names = [f"d{number} {place}" for place in range(5)]
    found = []
    for place in range(dice.randint(1, 5)):
        read = dice.sample(names, dice.randint(1, 3))
        output = dice.choice(names)
        flows = {
            Flow(node(dice.choice(read), dice.choice(COLUMNS)), node(output, dice.choice(COLUMNS)))
            for _ in range(dice.randint(0, 5))
        }
        places: list[tuple[str, ...]] = [*((column,) for column in COLUMNS), ()]
        hidden = {path: dice.choice(REASONS) for path in dice.sample(places, dice.choice([0, 1, 1, 2]))}
        found.append(Made(f"job {number} {place}", read, output, sorted(flows), hidden))
    return found


def assert_not_silent(store: LineageStore, made: Iterable[Made], minute: int | None) -> None:
    """Each edge that leaves an answer is one that a gap of the answer stands for."""
    flows = [(each, flow) for each in made for flow in each.flows]
    bounds = Bounds(as_of=None if minute is None else at(minute))
    for start in sorted({flow.source for _, flow in flows}):
        answer = lineage(store, start, FORWARD, Scope(bounds=bounds))
        reached = {each.key for each in answer.nodes}
        (attribute,) = exposed(store, Part(of=start, bounds=bounds)).attributes
        assert set(attribute.incomplete) == set(answer.incomplete)
        for each, (source, target) in flows:
            if source in reached and target not in reached:
                assert any(each.covers(gap, target) for gap in answer.incomplete), (start, source, target)


@pytest.mark.parametrize("many", [6, pytest.param(24, marks=pytest.mark.slow)])
def test_an_answer_reaches_what_it_reaches_in_full_or_has_the_gap_where_it_may_be(
    store: LineageStore, many: int
) -> None:
    dice = random.Random(9)
    graphs = [made_up(dice, number) for number in range(many)]
    everything = list(all_jobs(graphs))
    stored(store, *(each.event(1, in_full=False) for each in everything))
    assert any(each.hidden for each in everything)
    for graph in graphs:
        assert_not_silent(store, graph, None)
    stored(store, *(each.event(5, in_full=True) for each in everything))
    for graph in graphs[::4]:
        assert_not_silent(store, graph, 3)
        for each in () if any(made.keeps_gaps for made in graph) else graph:
            for flow in each.flows:
                assert lineage(store, flow.source, FORWARD, Scope()).complete


def all_jobs(graphs: Iterable[list[Made]]) -> Iterator[Made]:
    for graph in graphs:
        yield from graph
