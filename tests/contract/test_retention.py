"""Data that are kept for longer than the organisation states."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.organisation.organisation_file import parse_organisation
from headwater_backend.privacy.organisation.periods import parse_period
from headwater_backend.privacy.retention.listing import OverduePage, overdue_page
from headwater_backend.privacy.retention.overdue import RetentionCheck, retention
from headwater_backend.privacy.snapshots import Snapshots
from headwater_backend.questions.traversal import Bounds
from headwater_facets.schemas import EXTENT
from kit.openlineage import at, dataset, event, facet, paths

DAY = 24 * 60
TAGS = facet(
    tags=[{"key": "data_category", "value": "user.contact.email", "source": "CONFIG", "field": "mail"}]
)
A_MONTH = """processing: [{activity: Sales, outputs: "* orders", retention: 30 days}]"""


def state(change: str, replaced: str = "") -> dict[str, Any]:
    extent = {EXTENT: facet(replaced=replaced)} if replaced else {}
    return {"lifecycleStateChange": facet(lifecycleStateChange=change), **extent}


def loads(day: int, name: str = "orders", **facets: Any) -> dict[str, Any]:
    """A run that writes orders from outside."""
    return event(
        "COMPLETE", day * DAY, f"load {name} {day}", [], [dataset(name, "mail", tags=TAGS, **facets)], "load"
    )


def copies(day: int, source: str, target: str, **facets: Any) -> dict[str, Any]:
    """A run that copies the mail addresses of one dataset to another."""
    copied = paths((["mail"], source, ["mail"], "IDENTITY"))
    output = dataset(target, "mail", headwater_pathLineage=copied, **facets)
    job = f"{source} to {target}"
    return event("COMPLETE", day * DAY, f"{job} {day}", [dataset(source, "mail")], [output], job)


def on(store: LineageStore, day: int, stated: str = A_MONTH) -> RetentionCheck:
    scope = Scope(bounds=Bounds(as_of=at(day * DAY)))
    return retention(store, scope, Ruling(), parse_organisation(stated))


def overdue(found: RetentionCheck) -> dict[str, tuple[str, list[str]]]:
    """For each dataset that is overdue, the day of the write, and the datasets of the route."""
    return {
        each.dataset.name: (f"{each.written:%m-%d}", [step.name for step in each.route])
        for each in found.overdue
    }


def stored(store: LineageStore, *events: dict[str, Any]) -> LineageStore:
    assert [outcome.error for outcome in ingest(store, events)] == [None] * len(events)
    return store


def test_what_was_written_before_the_period_is_overdue_there_and_wherever_it_went(
    store: LineageStore,
) -> None:
    stored(store, loads(0), copies(1, "orders", "archive"), copies(2, "archive", "report"))
    assert overdue(on(store, 20)) == {}
    assert on(store, 20).incomplete == ()
    found = on(store, 40)
    assert overdue(found) == {
        "orders": ("01-01", ["orders"]),
        "archive": ("01-02", ["archive"]),
        "report": ("01-03", ["report"]),
    }
    report = next(each for each in found.overdue if each.dataset.name == "report")
    (held,) = report.held
    assert [edge.job.name for edge in held.witness] == ["orders to archive", "archive to report"]
    assert (report.limit.activity, report.limit.retention, report.stated) == ("Sales", "30 days", ())
    assert found.incomplete == ()


def test_what_was_replaced_since_is_not_overdue(store: LineageStore) -> None:
    stored(store, loads(0), loads(35, **state("OVERWRITE")))
    assert overdue(on(store, 40)) == {}
    assert overdue(on(store, 34)) == {"orders": ("01-01", ["orders"])}
    assert overdue(on(store, 70)) == {"orders": ("02-05", ["orders"])}


@pytest.mark.parametrize(
    "change", [state("OVERWRITE"), state("OVERWRITE", "PART"), state("CREATE"), state("TRUNCATE")]
)
def test_an_overwrite_may_have_replaced_only_a_part(store: LineageStore, change: dict[str, Any]) -> None:
    stored(store, loads(0), loads(35, **change), copies(36, "orders", "archive"))
    assert overdue(on(store, 40)) == {}
    copied, here = on(store, 40).incomplete
    assert (here.reason, here.dataset.name) == ("UNKNOWN_AGE", "orders")
    assert "only a part" in here.detail
    assert copied.dataset.name == "archive"
    stored(store, loads(37, **state("TRUNCATE", "WHOLE")))
    assert [gap.dataset.name for gap in on(store, 40).incomplete] == ["archive"]


@pytest.mark.parametrize("change", ["OVERWRITE", "CREATE", "TRUNCATE"])
def test_what_certainly_replaced_everything_renews_it(store: LineageStore, change: str) -> None:
    stored(store, loads(0), loads(35, **state(change, "WHOLE")), copies(36, "orders", "archive"))
    found = on(store, 40)
    assert (overdue(found), found.incomplete) == ({}, ())


def test_a_replacement_is_believed_only_beside_a_change(store: LineageStore) -> None:
    alone: dict[str, Any] = {EXTENT: facet(replaced="WHOLE")}
    stored(store, loads(0), loads(35, **alone))
    assert overdue(on(store, 40)) == {"orders": ("01-01", ["orders"])}


def test_data_that_are_younger_than_the_limit_need_no_overwrite(store: LineageStore) -> None:
    stored(store, loads(35), loads(36, **state("OVERWRITE")))
    assert on(store, 40).incomplete == ()


def test_a_run_does_not_replace_what_it_writes_itself(store: LineageStore) -> None:
    started = event("START", 0, "load", [], [dataset("orders", "mail", tags=TAGS)], "load")
    ended = event(
        "COMPLETE", 5, "load", [], [dataset("orders", "mail", tags=TAGS, **state("OVERWRITE"))], "load"
    )
    stored(store, started, ended)
    assert overdue(on(store, 40)) == {"orders": ("01-01", ["orders"])}


def test_a_copy_that_was_written_today_is_as_old_as_its_source(store: LineageStore) -> None:
    stored(store, loads(0), copies(39, "orders", "report", **state("OVERWRITE")))
    assert overdue(on(store, 40))["report"] == ("01-01", ["orders", "report"])


def test_a_copy_of_a_source_that_was_emptied_meanwhile_is_overdue(store: LineageStore) -> None:
    stored(store, loads(0), copies(20, "orders", "archive"), loads(25, **state("TRUNCATE")))
    found = on(store, 40)
    assert overdue(found) == {"archive": ("01-01", ["orders", "archive"])}
    dropped = event("COMPLETE", 41 * DAY, "drop", [], [dataset("orders", **state("DROP"))], "drop")
    stored(store, copies(41, "archive", "report", **state("OVERWRITE")), dropped)
    assert overdue(on(store, 42)) == {
        "archive": ("01-01", ["orders", "archive"]),
        "report": ("01-01", ["orders", "archive", "report"]),
    }


def test_a_copy_that_was_made_after_the_source_was_emptied_is_not(store: LineageStore) -> None:
    stored(store, loads(0), loads(25, **state("OVERWRITE")), copies(26, "orders", "archive"))
    assert overdue(on(store, 40)) == {}


def test_the_limit_of_a_copy_holds_for_what_came_from_elsewhere(store: LineageStore) -> None:
    stated = """
processing:
  - {activity: Sales, outputs: "* orders", retention: 10 years}
  - {activity: News, outputs: "* mailing", retention: 30d}
"""
    stored(
        store, loads(0), copies(39, "orders", "mailing", **state("OVERWRITE")), copies(39, "mailing", "sent")
    )
    found = on(store, 40, stated)
    assert overdue(found) == {"mailing": ("01-01", ["orders", "mailing"])}
    assert found.overdue[0].stated == ("30d",)


def test_what_one_statement_covers_is_listed_once(store: LineageStore) -> None:
    stored(store, loads(0), copies(1, "orders", "archive"), copies(2, "archive", "report"))
    found = on(store, 40, """processing: [{activity: Sales, outputs: "* *", retention: 30 days}]""")
    assert [(each.limit.dataset.name, each.dataset.name) for each in found.overdue] == [
        ("archive", "archive"),
        ("orders", "orders"),
        ("report", "report"),
    ]


def test_what_is_not_known_is_a_gap(store: LineageStore) -> None:
    stored(store, loads(0), copies(1, "orders", "archive"))
    unstated = on(store, 40, "")
    assert [(gap.reason, gap.dataset.name) for gap in unstated.incomplete] == [
        ("UNSTATED_RETENTION", "orders")
    ]
    text = """processing: [{activity: Sales, outputs: "* orders", retention: ten years after the order}]"""
    unclear = on(store, 40, text)
    assert [(gap.reason, gap.dataset.name) for gap in unclear.incomplete] == [("UNCLEAR_RETENTION", "orders")]
    assert (unstated.overdue, unclear.overdue) == ((), ())


def test_a_source_that_no_run_writes_has_an_unknown_age_and_its_copies_their_own(store: LineageStore) -> None:
    copied = paths((["mail"], "orders", ["mail"], "IDENTITY"))
    read, written = (
        dataset("orders", "mail", tags=TAGS),
        dataset("archive", "mail", headwater_pathLineage=copied),
    )
    stored(store, event("COMPLETE", DAY, "copy", [read], [written], "copy"))
    found = on(store, 40)
    assert [(gap.reason, gap.dataset.name) for gap in found.incomplete] == [("UNKNOWN_AGE", "orders")]
    assert overdue(found) == {"archive": ("01-02", ["archive"])}


def test_nothing_classified_is_incomplete(store: LineageStore) -> None:
    stored(store, event("COMPLETE", 1, "run", [], [dataset("orders", "mail")], "load"))
    assert [gap.reason for gap in on(store, 40).incomplete] == ["UNCLASSIFIED"]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        ("90 days", datetime(2026, 1, 1, tzinfo=timezone.utc) - timedelta(days=90)),
        ("2w", datetime(2025, 12, 18, tzinfo=timezone.utc)),
        ("1 Monat", datetime(2025, 12, 1, tzinfo=timezone.utc)),
        ("10 Jahre", datetime(2016, 1, 1, tzinfo=timezone.utc)),
        ("1 year", datetime(2025, 1, 1, tzinfo=timezone.utc)),
    ],
)
def test_periods_are_understood(text: str, before: datetime) -> None:
    period = parse_period(text)
    assert period and period.before(at(0)) == before


def test_a_period_before_the_end_of_a_month_ends_on_a_day_that_exists() -> None:
    period = parse_period("1 month")
    assert (
        period
        and period.before(datetime(2026, 3, 31, tzinfo=timezone.utc)).date().isoformat() == "2026-02-28"
    )


@pytest.mark.parametrize("text", ["ten years", "10 years after the order", "years", "3", "5 minutes"])
def test_other_texts_are_no_periods(text: str) -> None:
    assert parse_period(text) is None


def test_pages_list_each_dataset_once_and_are_of_one_moment(store: LineageStore) -> None:
    stored(store, loads(0), *(copies(1, "orders", name) for name in "abc"))
    snapshots, stated = Snapshots(), parse_organisation(A_MONTH)

    def page(after: str | None = None, first: int = 3) -> OverduePage:
        return overdue_page(store, Scope(), Ruling(), stated, snapshots, first=first, after=after)

    one = page()
    assert ([each.dataset.name for _, each in one.overdue.items], one.overdue.has_next) == (
        ["a", "b", "c"],
        True,
    )
    stored(store, copies(2, "orders", "new"))
    two = page(one.overdue.items[-1][0])
    assert ([each.dataset.name for _, each in two.overdue.items], two.overdue.has_next) == (["orders"], False)
    assert two.check.report.as_of == one.check.report.as_of
    with pytest.raises(BadQuestion, match="another question"):
        overdue_page(
            store, Scope(influenced=True), Ruling(), stated, snapshots, after=one.overdue.items[0][0]
        )
