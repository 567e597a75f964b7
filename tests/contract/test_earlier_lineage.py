"""What a job wrote earlier, and no longer writes, is a gap of privacy answers until all was certainly replaced."""

from __future__ import annotations

from typing import Any

import pytest

from headwater_backend.domain.model import DatasetKey, NodeKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import ExposureReport, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.questions.closure import backward, forward
from headwater_backend.questions.traversal import Bounds
from headwater_facets.schemas import EXTENT
from kit.looked import look_at
from kit.openlineage import NAMESPACE, at, dataset, event, facet, node, paths

MAIL = (["mail"], "people", ["mail"], "IDENTITY")
NAME = (["name"], "people", ["name"], "IDENTITY")
TAGS = facet(
    tags=[
        {"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"},
        {"key": "data_category", "value": "user.name", "source": "CONFIG", "field": "name"},
    ]
)


def change(kind: str, replaced: str = "") -> dict[str, Any]:
    extent = {EXTENT: facet(replaced=replaced)} if replaced else {}
    return {"lifecycleStateChange": facet(lifecycleStateChange=kind), **extent}


def loads(
    minute: int, *carried: Any, state: str = "COMPLETE", job: str = "load", **facets: Any
) -> dict[str, Any]:
    """A run that brings paths of ``people`` to ``target``."""
    output = dataset(
        "target", *(entry[0][0] for entry in carried), headwater_pathLineage=paths(*carried), **facets
    )
    return event(
        state, minute, f"{job} {minute}", [dataset("people", "mail", "name", tags=TAGS)], [output], job
    )


def stored(store: LineageStore, *events: dict[str, Any]) -> None:
    assert [outcome.error for outcome in ingest(store, events)] == [None] * len(events)


def ahead(store: LineageStore, minute: int | None = None) -> ExposureReport:
    return exposed(store, Scope(bounds=Bounds(as_of=None if minute is None else at(minute))))


def leaked(store: LineageStore) -> ExposureReport:
    return exposed(store, Scope(at=NodeKey(DatasetKey(NAMESPACE, "target"), ())))


def places(report: ExposureReport) -> list[str]:
    assert {gap.reason for gap in report.incomplete} <= {"EARLIER_LINEAGE"}
    return [
        f"{gap.dataset.name}.{'.'.join(gap.path)} {gap.job and gap.job.name}" for gap in report.incomplete
    ]


@pytest.mark.parametrize(
    "facets",
    [{}, change("OVERWRITE"), change("CREATE"), change("TRUNCATE")],
    ids=["nothing", "overwrite", "create", "truncate"],
)
def test_what_the_new_program_leaves_out_may_be_left_of_the_old_one(
    store: LineageStore, facets: dict[str, Any]
) -> None:
    stored(store, loads(1, MAIL, NAME), loads(2, NAME, **facets))
    mail, name = ahead(store).attributes
    assert (places(ahead(store)), name.incomplete) == (["people.mail load"], ())
    assert [out.node.dataset.name for out in mail.outputs] == []
    assert places(leaked(store)) == ["target.mail load"]


@pytest.mark.parametrize("subtype", ["CONDITIONAL", "JOIN"])
def test_what_earlier_rows_revealed_of_a_value_may_be_left(store: LineageStore, subtype: str) -> None:
    kinds = [{"type": "INDIRECT", "subtype": subtype, "masking": False, "retains": "VALUE"}]
    entry = {"namespace": NAMESPACE, "name": "people", "path": ["mail"], "transformations": kinds}
    lineage = paths(NAME, dataset=[entry])
    output = dataset("target", "name", headwater_pathLineage=lineage)
    earlier = event("COMPLETE", 1, "load 1", [dataset("people", "mail", "name", tags=TAGS)], [output], "load")
    stored(store, earlier, loads(2, NAME))
    assert places(ahead(store)) == ["people.mail load"]
    assert places(leaked(store)) == ["target. load"]


def unlisted(minute: int, reason: str) -> dict[str, Any]:
    """A run of ``load`` of whose output something is not known."""
    gap = {"reason": reason, "paths": [["name"]], "detail": ""}
    run = loads(minute, NAME)
    run["outputs"][0]["facets"]["headwater_pathLineage"] |= {"complete": False, "incomplete": [gap]}
    return run


@pytest.mark.parametrize("reason", ["RDD", "PROGRAM"])
def test_what_was_not_known_of_an_earlier_run_is_not_known_of_what_is_left(
    store: LineageStore, reason: str
) -> None:
    whole = change("OVERWRITE", "WHOLE")
    stored(store, unlisted(1, reason), loads(3, NAME, **whole))
    assert all(report.complete for report in (ahead(store), leaked(store)))
    stored(store, copies(2))
    gaps = {(gap.reason, gap.dataset.name, gap.path) for gap in ahead(store).incomplete}
    assert gaps == {(reason, "target", ("name",))}
    archive = exposed(store, Scope(at=NodeKey(DatasetKey(NAMESPACE, "archive"), ())))
    assert {(gap.reason, gap.dataset.name, gap.path) for gap in archive.incomplete} == gaps


def reads_as(kind: str, minute: int, column: str, job: str = "load", **facets: Any) -> dict[str, Any]:
    """A run that reads ``people`` in that format, and writes a column of it to ``target``."""
    lineage = paths(([column], "people", [column], "IDENTITY"))
    stored_as = facet(storageLayer="file", fileFormat=kind)
    people = dataset("people", column, storage=stored_as, **({"tags": TAGS} if column == "mail" else {}))
    output = dataset(f"target of {job}", column, headwater_pathLineage=lineage, **facets)
    return event("COMPLETE", minute, f"{job} {minute}", [people], [output], job)


@pytest.mark.parametrize("whole", [True, False])
def test_what_a_job_read_under_another_name_may_be_left(store: LineageStore, *, whole: bool) -> None:
    """Lines of text have all that others read of them as JSON."""
    replaced = change("OVERWRITE", "WHOLE") if whole else {}
    classified = reads_as("json", 1, "mail", job="other")
    stored(store, classified, reads_as("text", 2, "value"), reads_as("json", 5, "mail", **replaced))
    assert bool(earlier_ones(store)) is not whole, "where all was replaced, nothing is left"
    copied = paths((["value"], "target of load", ["value"], "IDENTITY"))
    output = dataset("kept", "value", headwater_pathLineage=copied)
    stored(store, event("COMPLETE", 3, "keep", [dataset("target of load", "value")], [output], "keep"))
    (gap,) = earlier_ones(store)
    assert gap in ("people.mail load", "people.value load"), (
        "the second as long as it is read as text as well"
    )


def earlier_ones(store: LineageStore) -> list[str]:
    found = [gap for gap in ahead(store).incomplete if gap.reason == "EARLIER_LINEAGE"]
    return [f"{gap.dataset.name}.{'.'.join(gap.path)} {gap.job and gap.job.name}" for gap in found]


def test_what_is_certainly_left_is_listed_and_no_gap(store: LineageStore) -> None:
    stored(store, loads(1, MAIL, NAME), loads(2, NAME, **change("OVERWRITE", "PART")))
    mail, _ = ahead(store).attributes
    assert [out.node.dataset.name for out in mail.outputs] == ["target"]
    assert ahead(store).complete
    assert leaked(store).complete


def test_nothing_is_left_of_what_was_certainly_replaced(store: LineageStore) -> None:
    stored(store, loads(1, MAIL, NAME), loads(2, NAME, **change("OVERWRITE", "WHOLE")))
    assert ahead(store).complete
    assert leaked(store).complete


def test_any_job_may_have_replaced_it_and_a_drop_as_well(store: LineageStore) -> None:
    stored(store, loads(1, MAIL, NAME), loads(2, NAME))
    emptied = event("COMPLETE", 3, "clean", [], [dataset("target", **change("TRUNCATE", "WHOLE"))], "clean")
    failed = {**emptied, "eventType": "FAIL"}
    stored(store, failed)
    assert places(ahead(store)) == ["people.mail load"]
    stored(
        store, event("COMPLETE", 4, "again", [], [dataset("target", **change("TRUNCATE", "WHOLE"))], "clean")
    )
    assert ahead(store).complete
    stored(store, loads(5, MAIL), loads(6, NAME))
    assert places(leaked(store)) == ["target.mail load"]
    stored(
        store,
        event("COMPLETE", 7, "drop", [], [dataset("target", **change("DROP"))], "clean"),
        loads(8, NAME),
    )
    assert leaked(store).complete


def copies(minute: int, job: str = "archive", target: str = "archive", **facets: Any) -> dict[str, Any]:
    """A run that brings ``target.name`` on to another dataset."""
    output = dataset(
        target, "name", headwater_pathLineage=paths((["name"], "target", ["name"], "IDENTITY")), **facets
    )
    return event("COMPLETE", minute, f"{job} {minute}", [dataset("target", "name")], [output], job)


def test_what_was_copied_before_it_was_replaced_may_be_left_in_the_copy(store: LineageStore) -> None:
    whole = change("OVERWRITE", "WHOLE")
    stored(store, loads(1, MAIL, NAME), copies(2), loads(3, NAME, **whole))
    assert places(ahead(store)) == ["people.mail load"]
    stored(
        store, event("COMPLETE", 4, "empty", [], [dataset("archive", **change("TRUNCATE", "WHOLE"))], "empty")
    )
    assert ahead(store).complete


def test_what_was_copied_by_several_runs_is_looked_for_at_the_end(store: LineageStore) -> None:
    whole = change("OVERWRITE", "WHOLE")
    again = {**copies(4, "again", "kept"), "inputs": [dataset("archive", "name")]}
    stored(store, loads(1, MAIL, NAME), copies(2, **whole), again)
    stored(store, loads(5, NAME, **whole), copies(6, **whole))
    assert places(ahead(store)) == ["people.mail load"]


def test_what_was_copied_after_it_was_replaced_is_not_left(store: LineageStore) -> None:
    whole = change("OVERWRITE", "WHOLE")
    stored(store, loads(1, MAIL, NAME), loads(3, NAME, **whole), copies(4))
    assert ahead(store).complete


def test_a_chain_that_is_overwritten_each_night_leaves_nothing(store: LineageStore) -> None:
    whole = change("OVERWRITE", "WHOLE")
    stored(store, loads(1, MAIL, NAME), copies(2, **whole), loads(3, NAME, **whole), copies(4, **whole))
    assert ahead(store).complete
    assert leaked(store).complete


def test_a_dataset_that_is_made_anew_of_itself_keeps_what_it_held(store: LineageStore) -> None:
    whole = change("OVERWRITE", "WHOLE")
    stored(store, loads(1, MAIL, NAME), copies(2, "compact", "target", **whole), loads(3, NAME))
    assert places(ahead(store)) == ["people.mail load"]


def test_what_is_masked_now_may_be_left_as_it_was(store: LineageStore) -> None:
    masked = (["mail"], "people", ["mail"], "TRANSFORMATION")
    stored(store, loads(1, MAIL), loads(2, masked))
    assert places(ahead(store)) == ["people.mail load"]


def test_a_program_that_goes_on_as_before_leaves_no_gap(store: LineageStore) -> None:
    stored(store, loads(1, MAIL), loads(2, MAIL, NAME), loads(3, MAIL, NAME), loads(4, NAME, job="other"))
    assert ahead(store).complete
    assert leaked(store).complete


@pytest.mark.parametrize("state", ["FAIL", "ABORT"])
def test_a_run_that_failed_may_have_written_until_then(store: LineageStore, state: str) -> None:
    stored(store, loads(1, MAIL, state="RUNNING"))
    assert [out.node.dataset.name for each in ahead(store).attributes for out in each.outputs] == ["target"]
    stored(store, {**loads(1, MAIL, state=state), "eventTime": at(2).isoformat()}, loads(3, NAME))
    assert places(ahead(store)) == ["people.mail load"]
    assert places(leaked(store)) == ["target.mail load"]
    stored(store, loads(4, NAME, **change("OVERWRITE", "WHOLE")))
    assert ahead(store).complete


def test_a_run_that_failed_may_have_copied_until_then(store: LineageStore) -> None:
    failed = {**copies(2), "eventType": "FAIL"}
    stored(store, loads(1, MAIL, NAME), failed, loads(3, NAME, **change("OVERWRITE", "WHOLE")))
    look_at(store, "archive")
    assert places(ahead(store)) == ["people.mail load", "target.name archive"]


@pytest.mark.parametrize("kind", ["OVERWRITE", "DROP"])
def test_a_change_that_has_only_begun_ends_nothing(store: LineageStore, kind: str) -> None:
    def changes(state: str, minute: int) -> dict[str, Any]:
        output = dataset("target", **change(kind, "WHOLE" if kind == "OVERWRITE" else ""))
        return event(state, minute, "clean", [], [output], "clean")

    stored(store, loads(1, MAIL, NAME), loads(2, NAME), changes("START", 3))
    assert places(ahead(store)) == ["people.mail load"]
    stored(store, changes("COMPLETE", 4))
    assert ahead(store).complete


def test_what_was_written_while_a_run_replaced_all_may_be_left(store: LineageStore) -> None:
    began = event("START", 1, "clean", [], [], "clean")
    ended = event("COMPLETE", 4, "clean", [], [dataset("target", **change("TRUNCATE", "WHOLE"))], "clean")
    stored(store, began, loads(2, MAIL), loads(3, NAME), ended)
    assert places(ahead(store)) == ["people.mail load"]


def test_a_run_may_have_copied_before_it_named_what_it_read(store: LineageStore) -> None:
    began = event("START", 2, "archive 4", job="archive")
    stored(store, loads(1, MAIL), began, loads(3, NAME, **change("OVERWRITE", "WHOLE")), copies(4))
    assert places(ahead(store)) == ["people.mail load"]


def test_what_was_copied_while_it_was_being_written_may_be_left(store: LineageStore) -> None:
    began = event("START", 1, "load 3", job="load")
    stored(store, began, copies(2), loads(3, MAIL), loads(4, NAME, **change("OVERWRITE", "WHOLE")))
    assert places(ahead(store)) == ["people.mail load"]


def test_a_job_that_is_only_declared_may_have_copied_at_any_time(store: LineageStore) -> None:
    declared = {key: value for key, value in copies(0).items() if key not in ("run", "eventType")}
    stored(store, declared, loads(1, MAIL), loads(2, NAME, **change("OVERWRITE", "WHOLE")))
    assert places(ahead(store)) == ["people.mail load"]


def test_a_moment_has_its_own_gaps(store: LineageStore) -> None:
    stored(store, loads(1, MAIL), loads(3, NAME), loads(5, NAME, **change("OVERWRITE", "WHOLE")))
    assert [places(ahead(store, minute)) for minute in (2, 4, 6)] == [[], ["people.mail load"], []]


def test_other_answers_follow_the_lineage_that_is_in_force(store: LineageStore) -> None:
    stored(store, loads(1, MAIL), loads(2, NAME))
    assert forward(store, node("people", "mail")).complete
    assert backward(store, node("target", "mail")).complete


def renames(minute: int, before: str, after: str, state: str = "COMPLETE") -> dict[str, Any]:
    name = {"namespace": NAMESPACE, "name": before}
    changed = facet(lifecycleStateChange="RENAME", previousIdentifier=name)
    output = dataset(after, lifecycleStateChange=changed)
    return event(state, minute, f"rename {minute}", [], [output], "rename")


def held(store: LineageStore, name: str) -> list[str]:
    """The names of the attributes that are at a dataset, or may be there."""
    report = exposed(store, Scope(at=NodeKey(DatasetKey(NAMESPACE, name), ())))
    found = {each.attribute.node.path[-1] for each in report.attributes}
    return sorted(found | {f"{each.path[-1]}?" for each in report.incomplete})


def test_a_dataset_holds_what_it_held_before_it_was_swapped(store: LineageStore) -> None:
    named = dataset("staged", "name", headwater_pathLineage=paths(NAME), **change("CREATE"))
    staged = {**loads(2, NAME, job="stage"), "outputs": [named]}
    stored(store, loads(1, MAIL), staged, renames(3, "target", "old"), renames(4, "staged", "target"))
    assert held(store, "old") == ["mail", "name"], "the rename is a step from all that has its former name"


def test_a_dataset_holds_what_was_staged_before_it_is_staged_anew(store: LineageStore) -> None:
    anew = change("CREATE", "WHOLE")
    stored(store, loads(1, MAIL, **anew), renames(2, "target", "final"))
    assert (held(store, "target"), held(store, "final")) == (["mail"], ["mail"])
    stored(store, loads(3, NAME, **anew))
    assert (held(store, "target"), held(store, "final")) == (["mail?", "name"],) * 2
    assert places(ahead(store)) == ["people.mail load"]
    dropped = event("COMPLETE", 4, "drop", [], [dataset("final", **change("DROP"))], "drop")
    stored(store, dropped, renames(5, "target", "final"))
    assert (held(store, "final"), ahead(store).complete) == (["name"], True)


def test_what_was_copied_of_a_dataset_under_its_new_name_may_be_left(store: LineageStore) -> None:
    anew = change("CREATE", "WHOLE")
    copied = {**copies(4), "inputs": [dataset("final", "name")]}
    stored(store, loads(1, MAIL, **anew), renames(2, "target", "final"), loads(3, NAME, **anew), copied)
    dropped = event("COMPLETE", 5, "drop", [], [dataset("final", **change("DROP"))], "drop")
    stored(store, dropped, renames(6, "target", "final"))
    assert places(ahead(store)) == ["people.mail load"]


def test_a_rename_is_no_edge_while_both_names_are_one_dataset_s(store: LineageStore) -> None:
    stored(store, loads(1, MAIL), renames(2, "target", "final"))
    found = backward(store, node("final", "mail"))
    assert [(edge.source.dataset.name, edge.target.dataset.name) for edge in found.edges] == [
        ("people", "final")
    ]


def test_a_rename_that_failed_has_moved_nothing(store: LineageStore) -> None:
    stored(store, loads(1, MAIL), renames(2, "target", "final", "START"))
    stored(store, renames(2, "target", "final", "FAIL"), loads(3, MAIL))
    look_at(store, "final")
    assert ahead(store).complete
    assert [out.node.dataset.name for out in ahead(store).attributes[0].outputs] == ["target"]


def test_what_is_current_again_was_earlier_at_a_time_of_the_past(store: LineageStore) -> None:
    kept = loads(4, NAME)
    kept["job"]["facets"]["jobType"] = facet(processingType="BATCH", integration="SPARK")
    stored(store, loads(1, MAIL), loads(2, NAME), loads(3, MAIL), kept)
    assert ahead(store).complete
    assert places(ahead(store, 2)) == ["people.mail load"]
