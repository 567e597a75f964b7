"""What stores answer to searches, to questions about runs, and about who uses what: the same in every store."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, JobKey, Run, RunKey, RunPlace, Use
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from kit.openlineage import JOB, NAMESPACE, at, columns, dataset, event, facet, node, paths, run_id, written

WINDOW = (at(0), at(100), 1_000)


def ingest_all(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [outcome.error for outcome in ingest(store, events)] == [None] * len(events)


def key(name: str) -> DatasetKey:
    return DatasetKey(NAMESPACE, name)


def symlinked(name: str, other: str, *schema: Any) -> dict[str, Any]:
    """A dataset of that name that is also called otherwise."""
    link = facet(identifiers=[{"namespace": NAMESPACE, "name": other, "type": "TABLE"}])
    return dataset(name, *schema, symlinks=link)


def test_datasets_and_jobs_are_found_by_a_part_of_any_of_their_names(store: LineageStore) -> None:
    ingest_all(
        store,
        event("COMPLETE", 1, inputs=[dataset("/data/Straße 7")], outputs=[symlinked("/w/t", "shop.Orders")]),
        event("COMPLETE", 2, inputs=[dataset("100%_sure")], job="Nightly/ORDERS"),
    )
    assert store.datasets_like("ORDERS") == store.datasets_like("/W/") == [key("/w/t")]
    assert store.datasets_like("STRASSE") == []
    assert store.datasets_like("straße") == [key("/data/Straße 7")]
    assert store.datasets_like("0%_s") == [key("100%_sure")]
    assert store.jobs_like("orders") == [JobKey(NAMESPACE, "Nightly/ORDERS")]
    everything = store.datasets_like("")
    assert everything == [key("/data/Straße 7"), key("/w/t"), key("100%_sure")]
    assert store.datasets_like("", 1, everything[0]) == everything[1:2]
    assert store.jobs_like("", 5, store.jobs_like("")[0]) == [JOB]


def test_paths_are_found_by_their_steps(store: LineageStore) -> None:
    schema = ("plain", ("User", ["e.mail", ("tags", ["_element"])]), "pct%_x/y", "größe")
    ingest_all(store, event("COMPLETE", 1, outputs=[dataset("out", *schema)], inputs=[dataset("email", "z")]))

    def found(text: str) -> list[str]:
        return [written(each) for each in store.paths_like(text)]

    assert found("user.e") == found("E.MAIL") == ["out:User/e.mail"]
    assert found("tags._element") == ["out:User/tags/_element"]
    assert found("%_x/Y") == ["out:pct%_x/y"]
    assert found("GRÖSSE") == []
    assert found("GRÖ") == ["out:größe"]
    assert found("out") == found("test") == found("a%") == []
    assert [each.path for each in store.paths_like("", 2)] == [("z",), ("User",)]
    assert store.paths_like("", 1, node("email", "z")) == [node("out", "User")]


def test_a_renamed_datasets_paths_are_found_under_its_canonical_name(store: LineageStore) -> None:
    ingest_all(
        store,
        event("COMPLETE", 1, inputs=[dataset("shop.orders", "id")]),
        event("COMPLETE", 2, "two", outputs=[symlinked("/w/orders", "shop.orders", "id", "total")]),
    )
    own = store.get_datasets([key("shop.orders")])[key("shop.orders")].key
    assert [(each.dataset, each.path) for each in store.paths_like("")] == [(own, ("id",)), (own, ("total",))]


def test_labels_are_those_of_datasets_and_jobs(store: LineageStore) -> None:
    tags = facet(tags=[{"key": "pii", "value": "true", "field": "id"}])
    owners = facet(owners=[{"name": "team:shop"}])
    made = event(
        "COMPLETE", 1, inputs=[dataset("in", "id", tags=tags)], outputs=[dataset("out", ownership=owners)]
    )
    made["job"]["facets"] = {"ownership": owners, "sql": facet(query="SELECT 1")}
    made["run"]["facets"] = {"tags": tags}
    ingest_all(store, made)
    assert store.labelled_datasets() == {key("in"): {"tags": tags}, key("out"): {"ownership": owners}}
    assert store.labelled_jobs() == {JOB: {"ownership": owners}}


def test_runs_come_newest_first_and_go_on_behind_a_place(store: LineageStore) -> None:
    ingest_all(
        store,
        *(event("START", minute, f"run {minute}") for minute in range(5)),
        event("COMPLETE", 9, "run 1"),
        event("START", 3, "at the same time"),
    )
    runs = store.runs(JOB)
    assert [run.first_seen for run in runs] == [at(4), at(3), at(3), at(2), at(1), at(0)]
    assert runs[4].last_seen == runs[4].ended_at == at(9)
    for number, run in enumerate(runs):
        place = RunPlace(run.first_seen or at(0), run.key)
        assert store.runs(JOB, 2, place) == runs[number + 1 : number + 3]
    assert store.newest_runs([JOB, JobKey(NAMESPACE, "none")]) == {JOB: runs[0]}
    asked = RunKey(JOB, run_id("run 1").upper())
    assert store.get_runs([asked, RunKey(JOB, "none")]) == {asked: runs[4]}


def test_the_runs_of_a_dataset_used_it_under_any_name(store: LineageStore) -> None:
    ingest_all(
        store,
        event("COMPLETE", 1, "writes", outputs=[symlinked("/w/t", "shop.t")]),
        event("COMPLETE", 2, "reads", inputs=[dataset("shop.t")], job="other"),
        event("COMPLETE", 3, "both", inputs=[dataset("/w/t")], outputs=[dataset("/w/t")]),
        event("COMPLETE", 4, "neither", inputs=[dataset("x")]),
    )

    def runs_with(name: str, *more: Any) -> list[Run]:
        return list(store.runs_with([key(name), key("none")], *more).get(key(name), ()))

    everyone = runs_with("shop.t")
    assert [run.run_id for run in everyone] == [run_id(name) for name in ("both", "reads", "writes")]
    assert runs_with("/w/t", Use.INPUT) == everyone[:2]
    assert runs_with("/w/t", Use.OUTPUT) == [everyone[0], everyone[2]]
    place = RunPlace(at(3), everyone[0].key)
    assert runs_with("/w/t", None, 1, place) == everyone[1:2]
    assert runs_with("none") == []
    wanted = [key("/w/t"), key("shop.t"), key("none")]
    for use, jobs in ((Use.INPUT, everyone[:2]), (Use.OUTPUT, [everyone[0], everyone[2]])):
        named = sorted({run.job for run in jobs})
        assert store.jobs_with(wanted, use) == {key("/w/t"): named, key("shop.t"): named}
    both = store.runs_with([key("/w/t"), key("x")], None, 1)
    assert {name.name: [run.run_id for run in found] for name, found in both.items()} == {
        "/w/t": [run_id("both")],
        "x": [run_id("neither")],
    }


def test_sources_have_no_inputs_of_their_own(store: LineageStore) -> None:
    made = columns({"a": [("known only by lineage", "a")]})
    ingest_all(
        store,
        event("COMPLETE", 1, "1", [dataset("raw", "a")], [dataset("clean", "a")], "clean"),
        event("COMPLETE", 2, "2", [], [dataset("generated")], "generate"),
        event("COMPLETE", 3, "3", [dataset("grows")], [dataset("grows")], "append"),
        event("COMPLETE", 4, "4", [], [dataset("by lineage", "a", columnLineage=made)], "lineage"),
        event("COMPLETE", 5, "5", [dataset("raw")], [dataset("once made of raw")], "changes"),
        event("COMPLETE", 6, "6", [], [dataset("once made of raw")], "changes"),
        event("FAIL", 7, "7", [dataset("raw")], [dataset("generated")], "fails"),
    )
    everything = store.sources()
    assert [found.name for found in everything] == [
        "generated", "grows", "known only by lineage", "once made of raw", "raw",
    ]  # fmt: skip
    assert store.sources(2, everything[1]) == everything[2:4]
    assert store.sources(5, None, [key("clean"), key("raw"), key("none")]) == [key("raw")]


def test_a_dataset_is_unused_when_no_run_named_it_as_an_input(store: LineageStore) -> None:
    declared = event(None, 50, inputs=[dataset("declared")])
    del declared["run"]
    ingest_all(
        store,
        declared,
        event("COMPLETE", 1, "1", [symlinked("/w/t", "t")], [dataset("out")]),
        event("COMPLETE", 9, "2", [dataset("t"), dataset("late")], job="other"),
    )
    found = {each.key.name: (each.last_read, each.last_written) for each in store.unused(at(9))}
    assert found == {"declared": (None, None), "out": (None, at(1))}
    found = {each.key.name: (each.last_read, each.last_written) for each in store.unused(at(10))}
    own = store.get_datasets([key("t")])[key("t")].key.name
    assert found == {
        "declared": (None, None),
        "out": (None, at(1)),
        own: (at(9), None),
        "late": (at(9), None),
    }
    assert [each.key.name for each in store.unused(at(9), 1, key("declared"))] == ["out"]


def test_readings_have_which_runs_read_which_paths_and_how(store: LineageStore) -> None:
    def copies(run: str, minute: int, *fields: str, kind: str = "COMPLETE") -> dict[str, Any]:
        lineage = paths(*(((name,), "in", (name,), "IDENTITY") for name in fields))
        access = facet(paths=[{"path": ["z"], "access": ["FILTER"], "reachesOutput": False}, {"path": 7}])
        source = dataset("in", "a", "b", "z", **({"headwater_access": access} if "b" in fields else {}))
        return event(kind, minute, run, [source], [dataset("out", *fields, headwater_pathLineage=lineage)])

    ingest_all(
        store,
        copies("1", 1, "a"),
        copies("2", 5, "a"),
        copies("3", 6, "a", "b"),
        copies("4", 9, "a", kind="FAIL"),
    )
    found, whole = store.readings(key("in"), *WINDOW)
    assert whole
    assert sorted(
        (sorted(path[0] for path in {**each.manipulated, **each.accessed}), sorted(each.runs.values()))
        for each in found
    ) == [(["a"], [at(1), at(5), at(9)]), (["a", "b"], [at(6)]), (["z"], [at(6)])]
    assert {access for each in found for access in each.accessed.values()} == {("FILTER",)}
    found, _ = store.readings(key("in"), at(5), at(6), 1_000)
    assert [each.runs for each in found] == [{RunKey(JOB, run_id("2")): at(5)}]
    assert store.readings(key("in"), at(1), at(100), 2)[1] is False
    assert store.readings(key("none"), *WINDOW) == ([], True)


@pytest.mark.parametrize("text", ["", "a", "%", "_", "\\", "'", "\0", "\n", "%00", "/", "🐝"])
def test_whatever_is_searched_is_taken_as_it_is(store: LineageStore, text: str) -> None:
    name = f"x{text}y"
    ingest_all(
        store,
        event("COMPLETE", 1, inputs=[dataset(name, f"p{text}q"), dataset("no", "none")], job=f"j{text}k"),
    )
    assert store.datasets_like(name) == [key(name)]
    assert store.jobs_like(f"J{text}K") == [JobKey(NAMESPACE, f"j{text}k")]
    assert store.paths_like(f"P{text}Q") == [node(name, f"p{text}q")]
