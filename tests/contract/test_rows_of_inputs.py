"""Which rows a job reads decides about what it makes of nothing in them: both ways, through any datasets between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, Direction
from headwater_backend.domain.patterns import DatasetPattern
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.files import parse_rules
from headwater_backend.questions.closure import LineageGraph, backward, forward
from headwater_backend.questions.traversal import ALL_TYPES, DIRECT_ONLY, Bounds
from headwater_backend.questions.witness import witnesses
from kit.openlineage import NAMESPACE, REPLACED, at, dataset, event, node, paths, written

CONSTANT: dict[str, Any] = {"generated": [{"path": ["d"], "how": "1"}]}
SSN, D = node("people", "ssn"), node("out", "d")


def filtered(by: str, of: str = "people") -> dict[str, Any]:
    kinds = [{"type": "INDIRECT", "subtype": "FILTER", "masking": False}]
    return {"namespace": NAMESPACE, "name": of, "path": [by], "transformations": kinds}


def job(
    source: str | Sequence[str],
    target: str,
    *columns: str,
    minute: int = 0,
    of: str | None = None,
    written_as: dict[str, Any] | None = None,
    **lineage: Any,
) -> dict[str, Any]:
    """A job that writes ``target``, with the columns copied from the source, or from ``of``, by the same names."""
    sources = [source] if isinstance(source, str) else list(source)
    generated = [each["path"][0] for each in lineage.get("generated", ())]
    copied = paths(*(([c], of or sources[0], [c], "IDENTITY") for c in columns), **lineage)
    return event(
        "COMPLETE",
        minute,
        f"{minute} {target}",
        [dataset(each) for each in sources],
        [dataset(target, *columns, *generated, headwater_pathLineage=copied, **(written_as or {}))],
        f"to {target}",
    )


FILTER = job("people", "mid", "a", "b", dataset=[filtered("ssn")])
LAST = job("mid", "out", **CONSTANT)


def took(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    outcomes = ingest(store, events)
    assert all(each.stored for each in outcomes), outcomes
    return store


def shown(graph: LineageGraph) -> list[str]:
    return [f"{written(each.key)} {each.distance}" for each in graph.nodes]


def edges(graph: LineageGraph) -> set[tuple[str, str, str]]:
    return {
        (written(e.source), written(e.target), "+".join(t.subtype for t in e.transformations))
        for e in graph.edges
    }


def both(
    store: LineageStore, bounds: Bounds | None = None, target: Any = D
) -> tuple[LineageGraph, LineageGraph]:
    return backward(store, target, ALL_TYPES, bounds), forward(store, SSN, ALL_TYPES, bounds)


def test_what_filtered_an_input_decides_how_often_a_constant_stands_there(store: LineageStore) -> None:
    back, ahead = both(took(store, FILTER, LAST))
    assert shown(back) == ["out:d 0", "out: 0", "mid: 1", "people:ssn 2"]
    assert edges(back) == {("mid:", "out:", "ROWS"), ("people:ssn", "mid:", "FILTER")}
    assert edges(ahead) == edges(back)
    assert back.complete
    assert ahead.complete


def test_values_alone_come_from_nowhere(store: LineageStore) -> None:
    took(store, FILTER, LAST)
    assert shown(backward(store, D, DIRECT_ONLY)) == ["out:d 0"]
    assert shown(forward(store, SSN, DIRECT_ONLY)) == ["people:ssn 0"]
    assert shown(forward(store, node("mid"), DIRECT_ONLY)) == ["mid: 0"]


def test_a_constant_of_rows_that_nothing_decides_about_is_made_of_nothing(store: LineageStore) -> None:
    took(store, job("people", "mid", "ssn"), job("mid", "more", "ssn"), job("more", "out", **CONSTANT))
    back, ahead = both(store)
    assert shown(back) == ["out:d 0"]
    assert shown(ahead) == ["people:ssn 0", "mid:ssn 1", "more:ssn 2"]


def test_no_single_path_of_an_input_leads_to_a_constant(store: LineageStore) -> None:
    took(store, FILTER, job("mid", "out", "b", **CONSTANT))
    assert edges(forward(store, node("mid", "a"), ALL_TYPES)) == set()
    assert edges(forward(store, node("people", "b"), ALL_TYPES)) == {
        ("people:b", "mid:b", "IDENTITY"),
        ("mid:b", "out:b", "IDENTITY"),
    }
    assert edges(backward(store, node("out", "b"), ALL_TYPES)) == {
        ("mid:b", "out:b", "IDENTITY"),
        ("people:b", "mid:b", "IDENTITY"),
        ("people:ssn", "mid:", "FILTER"),
    }


def test_a_whole_dataset_leads_to_the_constants_of_its_rows(store: LineageStore) -> None:
    took(store, FILTER, LAST)
    assert edges(forward(store, node("mid"), ALL_TYPES)) == {("mid:", "out:", "ROWS")}


def test_rows_are_followed_through_datasets_that_are_copied(store: LineageStore) -> None:
    took(store, FILTER, job("mid", "t1", "a"), job("t1", "t2", "a"), job("t2", "out", "a", **CONSTANT))
    back, ahead = both(store)
    way = {
        ("people:ssn", "mid:", "FILTER"),
        ("mid:", "t1:", "ROWS_OF_ROWS"),
        ("t1:", "t2:", "ROWS_OF_ROWS"),
        ("t2:", "out:d", "ROWS"),
    }
    assert edges(back) == way
    assert shown(back) == ["out:d 0", "t2: 1", "t1: 2", "mid: 3", "people:ssn 4"]
    assert edges(ahead) >= way
    assert "out:d 4" in shown(ahead)


def test_constants_of_constants_are_followed(store: LineageStore) -> None:
    took(
        store, FILTER, job("mid", "t1", **CONSTANT), job("t1", "t2", **CONSTANT), job("t2", "out", **CONSTANT)
    )
    back, ahead = both(store)
    assert edges(back) == {
        ("people:ssn", "mid:", "FILTER"),
        ("mid:", "t1:", "ROWS"),
        ("t1:", "t2:", "ROWS"),
        ("t2:", "out:", "ROWS"),
    }
    assert edges(ahead) == edges(back)


def test_an_input_that_is_read_for_its_rows_decides_about_every_column(store: LineageStore) -> None:
    took(store, FILTER, job(("other", "mid"), "out", "a", of="other"))
    back, ahead = both(store, target=node("out", "a"))
    assert edges(back) == {
        ("other:a", "out:a", "IDENTITY"),
        ("mid:", "out:", "ROWS"),
        ("people:ssn", "mid:", "FILTER"),
    }
    assert edges(ahead) == edges(back) - {("other:a", "out:a", "IDENTITY")}


def test_one_side_of_a_cross_join_decides_about_the_columns_of_the_other(store: LineageStore) -> None:
    lineage = paths((["a"], "other", ["a"], "IDENTITY"), (["b"], "mid", ["b"], "IDENTITY"))
    crossed = event(
        inputs=[dataset("other"), dataset("mid")],
        outputs=[dataset("out", "a", "b", headwater_pathLineage=lineage)],
    )
    took(store, FILTER, crossed)
    assert "people:ssn 2" in shown(backward(store, node("out", "a"), ALL_TYPES))
    reached = {written(each.key) for each in forward(store, SSN, ALL_TYPES).nodes}
    assert reached >= {"out:a", "out:b"}


def test_rows_that_are_read_alone_are_followed_through_copies(store: LineageStore) -> None:
    took(
        store,
        FILTER,
        job("mid", "t1", "b"),
        job(("other", "t1"), "t2", "a", of="other"),
        job("t2", "t3", "a"),
        job("t3", "out", **CONSTANT),
    )
    back, ahead = both(store)
    way = {
        ("people:ssn", "mid:", "FILTER"),
        ("mid:", "t1:", "ROWS_OF_ROWS"),
        ("t1:", "t2:", "ROWS"),
        ("t2:", "t3:", "ROWS_OF_ROWS"),
        ("t3:", "out:", "ROWS"),
    }
    assert edges(back) == way
    assert edges(ahead) >= way
    assert "out: 5" in shown(ahead)


def test_an_input_that_decides_about_all_rows_needs_no_other_edge(store: LineageStore) -> None:
    took(store, FILTER, job("mid", "out", dataset=[filtered("a", "mid")], **CONSTANT))
    assert edges(backward(store, D, ALL_TYPES)) == {
        ("mid:a", "out:", "FILTER"),
        ("people:a", "mid:a", "IDENTITY"),
        ("people:ssn", "mid:", "FILTER"),
    }


def test_rows_of_an_input_that_was_overwritten_are_those_of_now(store: LineageStore) -> None:
    again = job("others", "mid", "a", "b", minute=2, written_as=REPLACED, dataset=[filtered("d", "others")])
    took(store, FILTER, LAST, again)
    assert edges(backward(store, D, ALL_TYPES)) == {("mid:", "out:", "ROWS"), ("others:d", "mid:", "FILTER")}
    before = Bounds(as_of=at(1))
    assert edges(backward(store, D, ALL_TYPES, before)) == {
        ("mid:", "out:", "ROWS"),
        ("people:ssn", "mid:", "FILTER"),
    }
    assert shown(forward(store, SSN, ALL_TYPES)) == ["people:ssn 0"]


def test_a_constant_that_was_overwritten_is_reached_no_more(store: LineageStore) -> None:
    anew = job("others", "out", minute=2, written_as=REPLACED, **CONSTANT)
    took(store, FILTER, LAST, {**anew, "job": LAST["job"]})
    assert edges(backward(store, D, ALL_TYPES)) == set()
    assert edges(forward(store, SSN, ALL_TYPES)) == {("people:ssn", "mid:", "FILTER")}


def test_a_way_is_found_by_its_witness(store: LineageStore) -> None:
    took(store, FILTER, job("mid", "t1", "a"), job("t1", "out", "a", **CONSTANT))
    (found,) = witnesses(store, SSN, D, ALL_TYPES).witnesses
    assert [written(step.target) for step in found.steps] == ["mid:", "t1:", "out:d"]


@pytest.mark.parametrize(("influenced", "held"), [(False, set()), (True, {"mid", "out", "t1", "t1.a"})])
def test_an_exposure_with_influences_lists_constants(
    store: LineageStore, influenced: bool, held: set[str]
) -> None:
    took(store, FILTER, job("mid", "t1", "a"), job("t1", "out", **CONSTANT))
    rules = parse_rules("- {dataset: '* people', path: ssn, category: user.government_id}")
    (found,) = exposed(store, Scope(influenced=influenced), Ruling(rules)).attributes
    assert {".".join((each.node.dataset.name, *each.node.path)) for each in found.outputs} == held


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_an_answer_of_less_depth_says_what_it_left_out(store: LineageStore, depth: int) -> None:
    took(store, FILTER, job("mid", "t1", "a"), job("t1", "out", "a", **CONSTANT))
    back, ahead = both(store, Bounds(depth=depth))
    assert shown(back) == ["out:d 0"]
    assert [gap.reason for gap in back.incomplete] == ["DEPTH"]
    assert "out:d 3" not in shown(ahead)
    assert "DEPTH" in {gap.reason for gap in ahead.incomplete}
    whole = both(store, Bounds(depth=3))
    assert all(each.complete for each in whole)
    assert shown(whole[0])[-1] == "people:ssn 3"
    assert "out:d 3" in shown(whole[1])


def test_a_smaller_answer_is_the_beginning_of_a_greater_one(store: LineageStore) -> None:
    took(
        store,
        FILTER,
        job("mid", "t1", "a", "b"),
        job(("other", "t1"), "t2", "a", of="other"),
        job("t2", "out", "a", **CONSTANT),
    )
    whole = both(store)
    for direction, complete in zip(Direction, whole, strict=True):
        before: set[str] = set()
        for most in range(1, len(complete.nodes) + 1):
            graph = both(store, Bounds(nodes=most))[direction is Direction.FORWARD]
            nodes = {written(each.key) for each in graph.nodes}
            assert before <= nodes
            assert edges(graph) <= edges(complete)
            assert graph.complete == (nodes == {written(each.key) for each in complete.nodes})
            before = nodes


def test_rows_are_followed_only_within_the_datasets_that_were_asked_for(store: LineageStore) -> None:
    took(store, FILTER, job("mid", "t1", "a"), job("t1", "out", "a", **CONSTANT))
    without = Bounds(
        within=(DatasetPattern("*", "out"), DatasetPattern("*", "t1"), DatasetPattern("*", "people"))
    )
    back, ahead = both(store, without)
    assert shown(back) == ["out:d 0"]
    assert shown(ahead) == ["people:ssn 0"]
    assert [gap.reason for gap in (*back.incomplete, *ahead.incomplete)] == ["FILTER", "FILTER"]
    back, ahead = both(store, Bounds(stops=(DatasetPattern("*", "t1"),)))
    assert shown(back) == ["out:d 0"]
    assert "out:d" not in {written(each.key) for each in ahead.nodes}
    assert {gap.reason for gap in back.incomplete} == {gap.reason for gap in ahead.incomplete} == {"STOP"}


def test_what_is_not_known_of_all_rows_is_not_known_of_a_constant(store: LineageStore) -> None:
    unknown: dict[str, Any] = {"complete": False, "incomplete": [{"reason": "UNKNOWN_RELATION", "paths": []}]}
    took(store, job("people", "mid", "a", **unknown), job("mid", "t1", "a"), job("t1", "out", **CONSTANT))
    (gap,) = backward(store, D, ALL_TYPES).incomplete
    assert (gap.reason, gap.dataset) == ("UNKNOWN_RELATION", DatasetKey(NAMESPACE, "mid"))


def test_what_is_not_known_of_another_path_does_not_concern_rows(store: LineageStore) -> None:
    opaque: dict[str, Any] = {"opaque": [{"path": ["b"], "reason": "PYTHON_UDF", "name": "score"}]}
    took(store, job("people", "mid", "a", "b", dataset=[filtered("ssn")], **opaque), LAST)
    assert backward(store, D, ALL_TYPES).incomplete == ()


def test_nothing_is_concluded_from_what_an_incomplete_lineage_does_not_say(store: LineageStore) -> None:
    unknown: dict[str, Any] = {"complete": False, "incomplete": [{"reason": "TRUNCATED", "paths": [["c"]]}]}
    took(store, FILTER, job(("other", "mid"), "out", "a", of="other", **unknown, **CONSTANT))
    assert "mid:" not in {written(each.key) for each in backward(store, node("out", "a"), ALL_TYPES).nodes}
    assert "people:ssn 2" in shown(backward(store, D, ALL_TYPES))
