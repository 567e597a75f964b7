"""A place's undecided origins are found from the place, also where a job brought their values earlier only."""

from __future__ import annotations

from typing import Any

from headwater_backend.domain.model import DatasetKey
from headwater_backend.ingest.service import ingest
from headwater_backend.ports import LineageStore
from headwater_backend.privacy.answers.policy_check import check_policies
from headwater_backend.privacy.exposure import Ruling
from headwater_backend.privacy.exposure_search import Scope, values
from headwater_backend.privacy.files import parse_policies
from headwater_backend.questions.onward import before, onward
from headwater_backend.questions.traversal import Bounds
from headwater_facets.schemas import EXTENT
from kit.openlineage import NAMESPACE, columns, dataset, event, facet

TAGS = facet(tags=[{"key": "data_category", "value": "user.contact.email", "field": "mail"}])


def key(name: str) -> DatasetKey:
    return DatasetKey(NAMESPACE, name)


def run(minute: int, source: str, target: str, job: str, **facets: Any) -> dict[str, Any]:
    """A run of the job that copies the mail of the source."""
    tagged = {"tags": TAGS} if source == "people" else {}
    read = dataset(source, "mail", **tagged)
    out = dataset(target, "mail", columnLineage=columns({"mail": [(source, "mail")]}), **facets)
    return event("COMPLETE", minute, f"{job} {minute}", [read], [out], job)


def replaced() -> dict[str, Any]:
    return {
        "lifecycleStateChange": facet(lifecycleStateChange="OVERWRITE"),
        EXTENT: facet(replaced="WHOLE"),
    }


def fill(store: LineageStore, *runs: dict[str, Any]) -> None:
    """The runs, between personal data elsewhere and origins that reach nothing."""
    more = [run(1, "people", "report", "report")]
    more += [run(1, f"others {number}", f"aside {number}", f"aside {number}") for number in range(6)]
    assert all(outcome.stored for outcome in ingest(store, [*more, *runs]))


def undecided(store: LineageStore, *places: str) -> list[set[str]]:
    """Of a policy at each place, the undecided origins that the check tells of."""
    text = "".join(
        f"- {{policy: p{number}, category: user, dataset: '* {place}'}}\n"
        for number, place in enumerate(places)
    )
    found = check_policies(store, parse_policies(text), Ruling()).verdicts
    return [
        {gap.dataset.name for gap in each.incomplete if gap.reason == "UNDECIDED_ORIGIN"} for each in found
    ]


def either_way(store: LineageStore, place: str, origin: str) -> list[bool]:
    """Whether data may come from the origin to the place, searched from either."""
    back = before(store, [key(place)], Bounds(), values(Scope(), backward=True))
    ahead = onward(store, [key(origin)], Bounds(), values(Scope()))
    assert back is not None
    assert ahead is not None
    return [key(origin) in back, key(place) in ahead.from_any([key(origin)])]


def test_what_a_job_brought_earlier_may_be_left_and_go_on_to_the_place(store: LineageStore) -> None:
    fill(
        store,
        run(2, "raw", "stage", "raw"),
        run(3, "stage", "middle", "fill"),
        run(4, "middle", "other", "other"),
        run(5, "people", "middle", "fill"),
    )
    assert undecided(store, "other") == [{"raw"}]
    assert either_way(store, "other", "raw") == [True, True]


def test_what_was_replaced_is_not_listed(store: LineageStore) -> None:
    fill(
        store,
        run(2, "raw", "stage", "fill"),
        run(4, "people", "stage", "fill", **replaced()),
        run(5, "stage", "other", "other", **replaced()),
    )
    assert undecided(store, "other") == [set()]
    assert either_way(store, "other", "raw") == [False, False]


def test_many_policies_have_their_own_origins(store: LineageStore) -> None:
    """Also where their places are more than the origins, which are searched from then."""
    fill(store, run(2, "raw", "other", "other"))
    places = ["other", "report", *(f"aside {number}" for number in range(6)), "other", "*"]
    origins = undecided(store, *places)
    assert origins[:8] == [{"raw"}, set(), *({f"others {number}"} for number in range(6))]
    assert origins[8:] == [{"raw"}, {"raw", *(f"others {number}" for number in range(6))}]
    assert undecided(store, *reversed(places)) == origins[::-1]
