"""Checks of the whole graph: each finds what it is for, and says nothing of what is not known."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.patterns import DatasetPattern
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.checks.checking import Declared, checks
from headwater_backend.questions.checks.whole import Check, Found
from headwater_facets.producer import FACET_PRODUCER
from headwater_facets.schemas import CONDITIONS
from kit.filtered import REGIONS, copied, literal
from kit.openlineage import NAMESPACE, REPLACED, dataset, event, facet, node, paths

N = {"row": 0, "path": ["n"], "type": "integer"}


def number(value: int | None) -> dict[str, Any]:
    return {"literal": value, "type": "integer"}


def op(name: str, *args: Any) -> dict[str, Any]:
    return {"op": name, "args": list(args)}


def kept(minute: int, source: str, target: str, *predicates: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A run that copies the rows of which all the predicates hold: (SQL, expression) each."""
    lineage = paths((["n"], source, ["n"], "IDENTITY"))
    out = dataset(target, "n", headwater_pathLineage=lineage, **REPLACED)
    found = event("COMPLETE", minute, f"{source} {target} {minute}", [dataset(source, "n")], [out], target)
    population = {
        "rows": [{"row": 0, "datasets": [{"namespace": NAMESPACE, "name": source}], "kept": True}],
        "conditions": [{"operator": 1, "sql": sql, "expression": tree} for sql, tree in predicates],
        "values": [{"path": ["n"], "type": "integer", "expression": N}],
    }
    body = {**facet(conditions=[], populations=[population]), "_producer": FACET_PRODUCER}
    found["job"]["facets"] = {CONDITIONS: body}
    return found


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [each.error for each in ingest(store, events)] == [None] * len(events)


def ask(store: LineageStore, *kinds: Check, **declared: str) -> list[Found]:
    named = Declared(**{key: (DatasetPattern(None, text),) for key, text in declared.items()})
    return [found for _, found in checks(store, named, kinds=kinds or None).items]


def test_a_mapping_that_no_row_takes_is_redundant(store: LineageStore) -> None:
    take(store, *REGIONS)
    found = ask(store, Check.REDUNDANT_MAPPING)
    # Data of Europe is cut between a5 and a3, and nothing but that comes to a3 and a1.
    assert {(each.along[0].dataset.name, each.node.dataset.name) for each in found} == {
        ("a5", "a3"),
        ("a3", "a1"),
    }
    assert all("Europe" in " ".join(each.because) for each in found if each.node.dataset.name == "a3")


def test_a_mapping_that_some_run_made_is_not_redundant(store: LineageStore) -> None:
    take(store, *REGIONS, copied(20, "a9", "a7", "Americas"))
    assert ask(store, Check.REDUNDANT_MAPPING) == []


def test_where_somebody_else_writes_or_a_constant_is_written_no_mapping_behind_is_redundant(
    store: LineageStore,
) -> None:
    other = dataset("a5", "x", "region", headwater_pathLineage=paths((["x"], "else", ["x"], "IDENTITY")))
    take(store, *REGIONS, event("COMPLETE", 9, "change", [dataset("else", "x")], [other], "change"))
    assert ask(store, Check.REDUNDANT_MAPPING) == []


def test_a_branch_with_a_constant_is_a_way_of_its_own(store: LineageStore) -> None:
    changed = copied(4, "a7", "a5", "Europe", "Americas")
    (population,) = changed["job"]["facets"][CONDITIONS]["populations"]
    region = {"row": 0, "path": ["region"], "type": "string"}
    for value in population["values"]:
        if value["path"] == ["region"]:
            value["expression"] = op("case", op("isnull", region), literal("Americas"), literal("Americas"))
    take(store, *REGIONS[:3], changed, *REGIONS[4:])
    assert ("a5", "a3") not in {
        (each.along[0].dataset.name, each.node.dataset.name) for each in ask(store, Check.REDUNDANT_MAPPING)
    }


def test_ends_and_beginnings_are_named_unless_they_are_declared(store: LineageStore) -> None:
    take(store, kept(1, "raw", "mid"), kept(2, "mid", "report"))
    assert [(each.check, each.node.dataset.name) for each in ask(store)] == [
        (Check.DEAD_END, "report"),
        (Check.BROKEN_WAY, "raw"),
    ]
    assert ask(store, sources="raw", outputs="rep*") == []


def test_tags_declare_as_well(store: LineageStore) -> None:
    def tagged(key: str, value: str = "yes") -> dict[str, Any]:
        return facet(tags=[{"key": key, "value": value, "source": "CONFIG"}])

    found = kept(1, "raw", "report")
    found["inputs"][0]["facets"]["tags"] = tagged("source")
    found["outputs"][0]["facets"]["tags"] = tagged("output", "false")
    take(store, found)
    assert [each.check for each in ask(store)] == [Check.DEAD_END]


def test_a_loop_is_found_once_and_a_job_that_reads_its_own_output_is_none(store: LineageStore) -> None:
    take(store, kept(1, "b", "a"), kept(2, "c", "b"), kept(3, "a", "c"), kept(4, "d", "d"))
    (found,) = ask(store, Check.LOOP)
    assert (found.node, found.along) == (node("a", "n"), (node("b", "n"), node("c", "n")))


def test_a_source_that_only_decides_is_named(store: LineageStore) -> None:
    lineage = paths((["n"], "facts", ["n"], "IDENTITY"))
    kind = {"type": "INDIRECT", "subtype": "FILTER", "masking": False}
    lineage["dataset"] = [
        {"namespace": NAMESPACE, "name": "flags", "path": ["on"], "transformations": [kind]}
    ]
    out = dataset("out", "n", headwater_pathLineage=lineage)
    read = [dataset("facts", "n"), dataset("flags", "on")]
    take(store, event("COMPLETE", 1, "run", read, [out], "job"))
    assert [each.node.dataset.name for each in ask(store, Check.CONDITIONS_ONLY)] == ["flags"]


CASES: dict[str, tuple[dict[str, Any], Check | None]] = {
    "n > 5 AND n < 3": (op("and", op(">", N, number(5)), op("<", N, number(3))), Check.ALWAYS_FALSE),
    "n IS NULL OR n IS NOT NULL": (op("or", op("isnull", N), op("isnotnull", N)), Check.ALWAYS_TRUE),
    "n = n": (op("=", N, N), Check.WEAK_FILTER),
    "n > 1 OR n < 5": (op("or", op(">", N, number(1)), op("<", N, number(5))), Check.WEAK_FILTER),
    "n IS NOT NULL": (op("isnotnull", N), None),
    "NOT n IS NULL": (op("not", op("isnull", N)), None),
    "n > 1": (op(">", N, number(1)), None),
    "n <=> NULL": (op("<=>", N, number(None)), None),
    "n = NULL": (op("=", N, number(None)), Check.ALWAYS_FALSE),
    "n NOT IN (1, NULL)": (op("not", op("in", N, number(1), number(None))), Check.ALWAYS_FALSE),
    "n IN (1, NULL)": (op("in", N, number(1), number(None)), None),
}


@pytest.mark.parametrize("sql", CASES)
def test_a_predicate_alone(store: LineageStore, sql: str) -> None:
    tree, expected = CASES[sql]
    take(store, kept(1, "in", "out", (sql, tree)))
    found = ask(store, Check.ALWAYS_TRUE, Check.ALWAYS_FALSE, Check.WEAK_FILTER)
    assert [(each.check, each.sql) for each in found] == ([] if expected is None else [(expected, sql)])


MORE_THAN_5 = ("n > 5", op(">", N, number(5)))
MORE_THAN_3 = ("n > 3", op(">", N, number(3)))
LESS_THAN_4 = ("n < 4", op("<", N, number(4)))


def test_a_predicate_beside_another_one(store: LineageStore) -> None:
    take(store, kept(1, "in", "out", MORE_THAN_5, MORE_THAN_3))
    assert [(each.check, each.sql) for each in ask(store, Check.ALWAYS_TRUE)] == [
        (Check.ALWAYS_TRUE, "n > 3")
    ]
    take(store, kept(2, "in", "none", MORE_THAN_5, LESS_THAN_4))
    assert {each.sql for each in ask(store, Check.ALWAYS_FALSE)} == {"n > 5", "n < 4"}


def test_given_what_arrives_a_predicate_is_always_true_or_never(store: LineageStore) -> None:
    take(store, kept(1, "in", "a", MORE_THAN_5), kept(2, "a", "b"))
    take(store, kept(3, "b", "true", MORE_THAN_3), kept(4, "b", "false", LESS_THAN_4))
    found = ask(store, Check.ALWAYS_TRUE, Check.ALWAYS_FALSE)
    assert [(each.check, each.node.dataset.name) for each in found] == [
        (Check.ALWAYS_TRUE, "true"),
        (Check.ALWAYS_FALSE, "false"),
    ]
    assert all("n > 5" in " ".join(each.because) for each in found)


def test_what_arrives_from_two_jobs_has_passed_only_one_of_them(store: LineageStore) -> None:
    two = kept(2, "more", "a", LESS_THAN_4)
    two["outputs"][0]["facets"].pop("lifecycleStateChange", None)
    take(store, kept(1, "in", "a", MORE_THAN_5), two, kept(3, "a", "b", MORE_THAN_3))
    assert ask(store, Check.ALWAYS_TRUE, Check.ALWAYS_FALSE) == []


def test_rows_that_nobody_is_known_to_have_written_may_be_any(store: LineageStore) -> None:
    """A source's rows, and those of a job that states nothing."""
    unknown = copied(1, "in", "a", known=False)
    take(store, unknown, kept(2, "a", "b", MORE_THAN_5), kept(3, "in", "c", MORE_THAN_3))
    assert ask(store, Check.ALWAYS_TRUE, Check.ALWAYS_FALSE) == []


def test_paths_that_no_output_has_or_needs_are_copied_for_nothing(store: LineageStore) -> None:
    both = paths((["n"], "in", ["n"], "IDENTITY"), (["m"], "in", ["m"], "IDENTITY"))
    on = paths((["n"], "mid", ["n"], "IDENTITY"))
    kind = {"type": "INDIRECT", "subtype": "FILTER", "masking": False}
    first = event(
        "COMPLETE",
        1,
        "1",
        [dataset("in", "n", "m")],
        [dataset("mid", "n", "m", headwater_pathLineage=both)],
        "a",
    )
    then = event(
        "COMPLETE", 2, "2", [dataset("mid", "n", "m")], [dataset("out", "n", headwater_pathLineage=on)], "b"
    )
    take(store, first, then)
    (found,) = ask(store, Check.COPIED_FOR_NOTHING)
    assert (found.node, found.along) == (node("mid", "m"), (node("in", "m"),))

    on["dataset"] = [{"namespace": NAMESPACE, "name": "mid", "path": ["m"], "transformations": [kind]}]
    take(
        store,
        event(
            "COMPLETE",
            3,
            "3",
            [dataset("mid", "n", "m")],
            [dataset("out", "n", headwater_pathLineage=on)],
            "b",
        ),
    )
    assert ask(store, Check.COPIED_FOR_NOTHING) == []
