"""Active lineage of stored events: the regions' case, runs that differ, and what excludes nothing."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.active import MOST_STATES
from headwater_backend.domain import deadline
from headwater_backend.domain.errors import BadCondition, BadThreshold, NoActiveLineage
from headwater_backend.domain.model import Direction
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.questions.active.active_lineage import active_lineage
from headwater_backend.questions.closure import Choice, LineageGraph
from headwater_backend.questions.lineage import Scope
from headwater_backend.questions.traversal import ALL_TYPES, Bounds
from kit.filtered import REGIONS, copied
from kit.openlineage import NAMESPACE, at, dataset, event, facet, node, paths


def take(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [each.error for each in ingest(store, events)] == [None] * len(events)


def ask(
    store: LineageStore,
    place: str,
    direction: Direction = Direction.BACKWARD,
    minute: int | None = None,
    scope: Scope | None = None,
    where: str | None = None,
    most_ways: int = MOST_STATES,
) -> LineageGraph:
    scope = scope or Scope(bounds=Bounds(as_of=None if minute is None else at(minute)))
    return active_lineage(store, node(place, "x"), direction, scope, where=where, most_ways=most_ways)


def names(found: LineageGraph) -> set[str]:
    return {each.key.dataset.name for each in found.nodes}


def test_the_data_of_one_region_arrives_and_that_of_the_other_is_cut(store: LineageStore) -> None:
    take(store, *REGIONS)
    assert names(ask(store, "a0")) == {"a0", "a2", "a4", "a6", "a8"}
    found = ask(store, "a1")
    assert names(found) == {"a1", "a3", "a5", "a7"}
    (pruned,) = found.pruned
    assert (pruned.edge.source, pruned.source) == (node("a9", "x"), "x")
    (why,) = pruned.because
    assert "a9 to a7" in why and "a5 to a3" in why and "Europe" in why and "Americas" in why


def test_forward_the_way_ends_where_other_rows_are_kept(store: LineageStore) -> None:
    take(store, *REGIONS)
    assert names(ask(store, "a9", Direction.FORWARD)) == {"a9", "a7", "a5"}


def test_each_condition_counts_under_which_rows_may_have_come(store: LineageStore) -> None:
    take(store, *REGIONS, copied(20, "a9", "a7", "Americas"))
    assert "a9" in names(ask(store, "a1"))
    assert "a9" not in names(ask(store, "a1", minute=10))


def test_a_run_without_conditions_excludes_nothing(store: LineageStore) -> None:
    take(store, *REGIONS[:5], copied(6, "a5", "a3", known=False), *REGIONS[6:])
    assert "a9" in names(ask(store, "a1"))


def test_conditions_of_another_producer_are_not_believed(store: LineageStore) -> None:
    foreign = copied(6, "a5", "a3", "Americas", producer="https://headwater.dev.example.org")
    take(store, *REGIONS[:5], foreign, *REGIONS[6:])
    assert "a9" in names(ask(store, "a1"))


def test_into_a_dataset_that_somebody_else_may_change_nothing_is_carried(store: LineageStore) -> None:
    other = dataset(
        "a7", "region", headwater_pathLineage=paths((["region"], "names", ["region"], "IDENTITY"))
    )
    change = event("COMPLETE", 9, "change", [dataset("names", "region")], [other], "change")
    take(store, *REGIONS, change)
    assert "a9" in names(ask(store, "a1"))


def test_what_only_influences_is_never_left_out(store: LineageStore) -> None:
    influence = {
        "namespace": NAMESPACE,
        "name": "a9",
        "path": ["region"],
        "transformations": [{"type": "INDIRECT", "subtype": "FILTER", "masking": False}],
    }
    changed = copied(2, "a9", "a7", "Europe")
    changed["outputs"][0]["facets"]["headwater_pathLineage"]["dataset"] = [influence]
    take(store, REGIONS[0], changed, *REGIONS[2:])
    found = ask(store, "a1", scope=Scope(types=ALL_TYPES))
    assert node("a9", "region") in {each.key for each in found.nodes}


def test_a_condition_of_the_question_narrows_its_answer_and_one_without_effect_is_named(
    store: LineageStore,
) -> None:
    take(store, *REGIONS)
    whole = ask(store, "a4")
    assert names(whole) == {"a4", "a6", "a8"} and whole.effects == ()
    found = ask(store, "a4", where="region = 'Europe'")
    assert names(found) == {"a4", "a6"}
    (why,) = found.pruned[0].because
    assert "the question asks for region = 'Europe'" in why and "a8 to a6" in why
    assert [(each.sql, each.near, each.all) for each in found.effects] == [("region = 'Europe'", 1, 1)]
    idle = ask(store, "a4", where="region = 'Americas' AND x IS NOT NULL")
    assert names(idle) == names(whole)
    assert [each.all for each in idle.effects] == [0, 0]


def test_forward_some_rows_reach_less(store: LineageStore) -> None:
    take(store, *REGIONS)
    assert names(ask(store, "a6", Direction.FORWARD)) == {"a6", "a4", "a2", "a0"}
    europe = ask(store, "a6", Direction.FORWARD, where="region = 'Europe'")
    assert names(europe) == {"a6", "a4"}
    assert [(each.near, each.all) for each in europe.effects] == [(2, 2)]
    nowhere = ask(store, "a6", Direction.FORWARD, where="region = 'Asia'")
    assert names(nowhere) == {"a6"}
    assert [each.near for each in nowhere.effects] == [3]


def test_a_condition_on_an_unknown_name_is_refused_with_the_nearest(store: LineageStore) -> None:
    take(store, *REGIONS)
    with pytest.raises(BadCondition) as raised:
        ask(store, "a4", where="regoin = 'Europe'")
    assert raised.value.hint == "did you mean 'region'?"


def test_the_rows_at_the_ends_are_a_query_with_all_conditions_on_the_way(store: LineageStore) -> None:
    take(store, *REGIONS)
    (fetch,) = ask(store, "a0", where="x <> 'old'").fetches
    assert fetch.node == node("a8", "x")
    assert fetch.condition is not None
    assert "(`region` IN ('Americas'))" in fetch.condition and "(NOT (`x` = 'old'))" in fetch.condition
    assert fetch.query == f"SELECT `x` FROM `a8` WHERE {fetch.condition}"


def test_where_nothing_is_known_of_rows_all_are_fetched(store: LineageStore) -> None:
    take(store, copied(1, "a8", "a6", known=False))
    (fetch,) = ask(store, "a6").fetches
    assert fetch.condition is None and fetch.query == "SELECT `x` FROM `a8`"


def test_files_are_read_by_their_format_and_tables_by_their_name(store: LineageStore) -> None:
    files = copied(1, "a8", "a6", "Europe")
    files["inputs"][0]["facets"]["storage"] = facet(storageLayer="file", fileFormat="parquet")
    tables = copied(2, "b8", "b6", "Europe")
    identifiers = [{"namespace": "hive", "name": "db.b`8", "type": "TABLE"}]
    tables["inputs"][0]["facets"]["symlinks"] = facet(identifiers=identifiers)
    take(store, files, tables)
    queries = [fetch.query for place in ("a6", "b6") for fetch in ask(store, place).fetches]
    where = "WHERE (`region` IN ('Europe'))"
    assert queries == [
        f"SELECT `x` FROM parquet.`{NAMESPACE}:a8` {where}",
        f"SELECT `x` FROM `db`.`b``8` {where}",
    ]


def test_each_proof_is_checked_apart_and_names_its_jobs(store: LineageStore) -> None:
    take(store, *REGIONS)
    found = active_lineage(store, node("a1", "x"), Direction.BACKWARD, Scope(), verify=True)
    (proof,) = found.pruned[0].proofs
    assert proof.checked == "TRIED"
    assert {job.name for job, _ in proof.statements if job} == {"a9 to a7", "a5 to a3"}
    assert ask(store, "a1").pruned[0].proofs == ()


def test_proofs_are_checked_as_well_where_there_is_a_deadline(store: LineageStore) -> None:
    take(store, *REGIONS)
    with deadline.within(deadline.Deadline(120)):
        found = active_lineage(store, node("a1", "x"), Direction.BACKWARD, Scope(), verify=True)
    assert [proof.checked for each in found.pruned for proof in each.proofs] == ["TRIED"]


FORK = [
    copied(1, "first", "shop", "Europe", "Asia"),
    copied(2, "second", "shop", "Americas"),
    copied(3, "third", "shop", "Europe"),
    copied(4, "far", "second", "Europe"),
    copied(5, "shop", "report"),
]
"""The report is made of the shop's rows, and these of three sources' by their region."""


def test_with_too_many_ways_the_answer_stops_and_offers_the_conditions_met_there(store: LineageStore) -> None:
    take(store, *FORK)
    found = ask(store, "report", most_ways=2)
    assert found.stopped is not None and found.stopped.ways == 2
    assert [each.node.dataset.name for each in found.stopped.at] == ["first", "second", "third"]
    offered = {each.sql: (each.keeps, each.ends) for each in found.stopped.choices}
    assert offered["region IN ('Americas')"] == (1, 2)
    assert offered["region IN ('Europe', 'Asia')"] == offered["region IN ('Europe')"] == (2, 1)
    assert {gap.dataset.name for gap in found.incomplete if gap.reason == "WAY_LIMIT"} == {
        "first",
        "second",
        "third",
    }


def test_beyond_the_place_where_it_stopped_nothing_is_left_out(store: LineageStore) -> None:
    take(store, *FORK)
    assert [each.edge.source.dataset.name for each in ask(store, "report").pruned] == ["far"]
    assert "far" in names(ask(store, "report", most_ways=2))


def test_going_on_with_a_choice_keeps_the_ways_that_were_answered(store: LineageStore) -> None:
    take(store, *FORK)
    for choice in choices(store, "report"):
        found = ask(store, "report", where=choice.sql)
        kept = names(found) & {"first", "second", "third"}
        assert found.stopped is None and len(kept) == choice.keeps
        assert [(each.near, each.all is not None) for each in found.effects] == [(choice.ends, True)]


def choices(store: LineageStore, place: str, direction: Direction = Direction.BACKWARD) -> tuple[Choice, ...]:
    stopped = ask(store, place, direction, most_ways=2).stopped
    assert stopped is not None and stopped.choices
    return stopped.choices


def test_forward_choices_are_of_the_rows_at_the_start(store: LineageStore) -> None:
    ways = [copied(1, "shop", "all"), copied(2, "all", "eu", "Europe"), copied(3, "all", "us", "Americas")]
    take(store, *ways)
    offered = {(each.sql, each.keeps, each.ends) for each in choices(store, "shop", Direction.FORWARD)}
    assert offered == {("region IN ('Europe')", 1, 1), ("region IN ('Americas')", 1, 1)}


def test_a_condition_that_changes_nothing_at_the_next_fork_has_no_effect_there(store: LineageStore) -> None:
    take(store, *FORK)
    found = ask(store, "report", where="region = 'Europe' AND x <> 'old'", most_ways=2)
    assert [(each.sql, each.near) for each in found.effects] == [("region = 'Europe'", 1), ("x <> 'old'", 0)]


def test_what_active_lineage_is_not_made_for_has_errors_of_its_own(store: LineageStore) -> None:
    take(store, *FORK)
    for most in (0, -1, MOST_STATES + 1):
        with pytest.raises(BadThreshold):
            ask(store, "report", most_ways=most)
    with pytest.raises(NoActiveLineage):
        ask(store, "report", scope=Scope(after="x"))
