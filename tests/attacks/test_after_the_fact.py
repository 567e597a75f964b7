"""A producer in the middle clears others after the fact: what it reported before stays marked until a steward accepts.

``people`` goes to ``middle`` by the job of a producer, and from there to ``report`` by the job of another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, Final

import pytest

from headwater_backend.corrections.stewardship import Wanted, decide, history, pending
from headwater_backend.domain.errors import Forbidden
from headwater_backend.domain.model import AFTER_THE_FACT, DatasetKey, NodeKey
from headwater_backend.domain.moments import micros, moment
from headwater_backend.domain.roles import Caller, Role, everything
from headwater_backend.ingest.sender import Sender
from headwater_backend.ingest.service import ingest
from headwater_backend.names.stewardship import Steward
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import ExposureReport, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_facets.schemas import EXTENT
from kit.openlineage import NAMESPACE, columns, dataset, event, facet, paths

MIDDLE: Final = Sender(Caller("key 7 (middle)", frozenset({Role.PRODUCER}), (NAMESPACE,)))
TAGS: Final = facet(
    tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}]
)
PEOPLE: Final = dataset("people", "mail", tags=TAGS)
COARSE: Final = {"columnLineage": columns({"mail": [("people", "mail")]})}
FINER: Final[Mapping[str, dict[str, Any]]] = {
    "made of nothing": {"headwater_pathLineage": paths()},
    "made of something else": {"headwater_pathLineage": paths((["mail"], "elsewhere", ["mail"], "IDENTITY"))},
    "hashed": {
        "headwater_pathLineage": paths(
            (["mail"], "people", ["mail"], "TRANSFORMATION"), manipulation=["MASK"], functions=["sha2"]
        )
    },
    "of the same grain, reported later": {"columnLineage": columns({"mail": [("elsewhere", "mail")]})},
}


def change(kind: str, replaced: str = "") -> dict[str, Any]:
    extent = {EXTENT: facet(replaced=replaced)} if replaced else {}
    return {"lifecycleStateChange": facet(lifecycleStateChange=kind), **extent}


def wrote(
    minute: int, facets: Mapping[str, Any], run: str = "night", state: str = "COMPLETE"
) -> dict[str, Any]:
    return event(
        state,
        minute,
        run,
        [PEOPLE, dataset("elsewhere", "mail")],
        [dataset("middle", "mail", **facets)],
        "fill",
    )


def reported(minute: int) -> dict[str, Any]:
    lineage = {"columnLineage": columns({"mail": [("middle", "mail")]})}
    read = [dataset("middle", "mail")]
    return event(
        "COMPLETE", minute, f"report {minute}", read, [dataset("report", "mail", **lineage)], "report"
    )


def send(store: LineageStore, *events: Mapping[str, Any], at: int | None = None) -> None:
    found = ingest(store, events, sender=MIDDLE, received=at)
    assert [outcome.error for outcome in found] == [None] * len(events)


def holders(report: ExposureReport) -> list[str]:
    return sorted({out.node.dataset.name for each in report.attributes for out in each.outputs})


def marks(report: ExposureReport) -> list[str]:
    return [gap.detail for gap in report.incomplete if gap.reason == AFTER_THE_FACT]


def certain(report: ExposureReport) -> bool:
    """Whether nothing may have been left or cleared; nobody decided what is personal in the other sources."""
    return {gap.reason for gap in report.incomplete} <= {"UNDECIDED_ORIGIN", "OPEN_PROPOSAL"}


def ahead(store: LineageStore) -> ExposureReport:
    return exposed(store, Scope())


def behind(store: LineageStore, name: str = "report") -> ExposureReport:
    return exposed(store, Scope(at=NodeKey(DatasetKey(NAMESPACE, name), ())))


@pytest.mark.parametrize("facets", FINER.values(), ids=FINER)
def test_finer_lineage_of_a_run_that_has_ended_clears_nobody(
    store: LineageStore, facets: dict[str, Any]
) -> None:
    send(store, wrote(1, COARSE))
    send(store, reported(2))
    before = {out.node.dataset.name: out.form for each in ahead(store).attributes for out in each.outputs}
    send(store, wrote(3, facets))
    (mail,) = ahead(store).attributes
    assert {out.node.dataset.name: out.form for out in mail.outputs} == before
    for report in (ahead(store), behind(store)):
        assert [MIDDLE.caller.name in mark for mark in marks(report)] == [True]


def test_a_run_without_lineage_is_not_cleared_by_lineage_that_comes_after_its_end(
    store: LineageStore,
) -> None:
    send(store, wrote(1, {}))
    assert not certain(ahead(store))
    send(store, wrote(1, FINER["made of nothing"]))
    assert not certain(ahead(store))
    reasons = {gap.reason for gap in behind(store, "middle").incomplete}
    assert reasons == {AFTER_THE_FACT, "NO_LINEAGE_FACET"}


def test_what_a_run_says_until_it_ends_is_one_statement(store: LineageStore) -> None:
    send(store, wrote(1, COARSE, state="START"))
    send(store, wrote(2, FINER["made of something else"]))
    assert (holders(ahead(store)), marks(ahead(store))) == ([], [])


def test_what_comes_again_or_late_and_says_less_is_no_correction(store: LineageStore) -> None:
    finer = {"headwater_pathLineage": paths((["mail"], "people", ["mail"], "IDENTITY"))}
    send(store, wrote(2, finer))
    send(store, wrote(1, COARSE, state="START"))
    send(store, wrote(2, finer))
    assert (holders(ahead(store)), marks(ahead(store))) == (["middle"], [])


def test_a_correction_that_states_all_that_was_reported_before_is_no_mark(store: LineageStore) -> None:
    send(store, wrote(1, COARSE))
    send(store, wrote(1, {"headwater_pathLineage": paths((["mail"], "people", ["mail"], "IDENTITY"))}))
    assert (holders(ahead(store)), marks(ahead(store))) == (["middle"], [])


@pytest.mark.parametrize("kind", [change("DROP"), change("OVERWRITE", "WHOLE")], ids=["drop", "overwrite"])
def test_a_backdated_end_of_a_dataset_clears_nobody_who_had_read_it(
    store: LineageStore, kind: dict[str, Any]
) -> None:
    send(store, wrote(1, COARSE))
    send(store, reported(5))
    send(store, event("COMPLETE", 3, "clean", [], [dataset("middle", **kind)], "clean"))
    send(store, wrote(4, FINER["made of something else"], "other night"))
    for report in (ahead(store), behind(store)):
        assert not certain(report)
        assert [MIDDLE.caller.name in mark for mark in marks(report)] == [True]


def test_an_end_that_is_received_before_others_read_is_believed(store: LineageStore) -> None:
    send(store, wrote(1, COARSE))
    send(store, event("COMPLETE", 3, "clean", [], [dataset("middle", **change("DROP"))], "clean"))
    send(store, wrote(4, FINER["made of something else"], "other night"))
    send(store, reported(5))
    assert certain(ahead(store))
    assert certain(behind(store))


def test_events_that_are_imported_together_were_received_together(store: LineageStore) -> None:
    events: Sequence[Any] = [
        reported(5),
        wrote(1, COARSE),
        event("COMPLETE", 3, "clean", [], [dataset("middle", **change("DROP"))], "clean"),
        wrote(4, FINER["made of something else"], "other night"),
    ]
    send(store, *events)
    assert certain(ahead(store))


def accept(store: LineageStore, name: str, *, back: bool = False) -> None:
    keys = (DatasetKey(NAMESPACE, name),)
    wanted = Wanted(reopened=keys) if back else Wanted(accepted=keys)
    decide(store, wanted, Steward(everything("steward"), "looked at the job's code"))


def test_a_steward_ends_it_and_can_take_that_back(store: LineageStore) -> None:
    send(store, wrote(1, COARSE))
    send(store, wrote(3, FINER["made of something else"]))
    (found,) = pending(store)
    assert (found.dataset.name, found.job.name, found.by) == ("middle", "fill", MIDDLE.caller.name)
    accept(store, "middle")
    assert (holders(ahead(store)), marks(ahead(store)), pending(store)) == ([], [], [])
    accept(store, "middle", back=True)
    assert (holders(ahead(store)), len(marks(ahead(store)))) == (["middle"], 1)
    assert [made.content != "" for made in history(store)] == [False, True]


def test_what_is_reported_after_a_steward_has_accepted_is_not_accepted(store: LineageStore) -> None:
    send(store, wrote(1, COARSE))
    send(store, wrote(3, FINER["hashed"]))
    accept(store, "middle")
    send(store, wrote(4, FINER["made of something else"]))
    assert (holders(ahead(store)), len(marks(ahead(store)))) == (["middle"], 1)


def test_a_steward_ends_the_mark_of_a_backdated_end(store: LineageStore) -> None:
    send(store, wrote(1, COARSE))
    send(store, reported(5))
    send(store, event("COMPLETE", 3, "clean", [], [dataset("middle", **change("DROP"))], "clean"))
    send(store, wrote(4, FINER["made of something else"], "other night"))
    assert len(marks(behind(store))) == 1
    accept(store, "middle")
    assert certain(ahead(store))
    assert certain(behind(store))


def test_a_producer_accepts_nothing_of_others(store: LineageStore) -> None:
    send(store, wrote(1, COARSE))
    send(store, wrote(3, FINER["hashed"]))
    other = Caller("key 8 (other)", frozenset({Role.STEWARD}), ("other",))
    with pytest.raises(Forbidden):
        decide(store, Wanted(accepted=(DatasetKey(NAMESPACE, "middle"),)), Steward(other, "mine"))


def test_an_auditor_is_answered_what_was_known_on_that_day(store: LineageStore) -> None:
    days = [micros(datetime(2026, 3, day, tzinfo=timezone.utc)) for day in range(1, 5)]
    send(store, wrote(1, COARSE), at=days[0])
    send(store, wrote(3, FINER["made of something else"]), at=days[1])
    send(store, event("COMPLETE", 4, "drop", [], [dataset("middle", **change("DROP"))], "clean"), at=days[2])

    def known(day: int) -> tuple[list[str], bool]:
        report = ahead(store.known_at(moment(days[day])))
        return holders(report), certain(report)

    assert known(0) == (["middle"], True)
    assert known(1) == (["middle"], False)
    assert known(2) == ([], True)
    assert holders(ahead(store.known_at(moment(days[0] - 1)))) == []


def test_what_a_steward_has_accepted_since_was_not_accepted_then(store: LineageStore) -> None:
    send(store, wrote(1, COARSE), at=1)
    send(store, wrote(3, FINER["made of something else"]), at=2)
    accept(store, "middle")
    assert holders(ahead(store)) == []
    assert holders(ahead(store.known_at(moment(2)))) == ["middle"]
