"""``headwater lineage`` at every level, in both directions, within bounds, page by page."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from rich.console import Console

from headwater_cli.questions.job_graph import job_tree
from kit.command import headwater
from kit.openlineage import dataset, event


def test_both_directions_in_one_answer(place: Sequence[str]) -> None:
    answer = headwater("lineage", "both", "delivery_7_days", "customer_email", "--json", *place)
    found = json.loads(answer.stdout)
    assert [n["name"] for n in found["backward"]["nodes"]] == ["public.delivery_7_days", "public.customers"]
    assert len(found["forward"]["nodes"]) == 3
    lines = headwater("lineage", "both", "delivery_7_days", "customer_email", *place).stdout.splitlines()
    assert lines[0].split("\t")[0] == "direction"
    assert {line.split("\t")[0] for line in lines[1:]} == {"backward", "forward"}


def test_a_coarser_level_tells_datasets(place: Sequence[str]) -> None:
    answer = headwater("lineage", "backward", "discounts", "--level", "dataset", *place)
    rows = [line.split("\t") for line in answer.stdout.splitlines()[1:]]
    assert [row[3] for row in rows[:2]] == ["public.discounts", "public.delivery_7_days"]
    assert {row[4] for row in rows} == {""}


def test_jobs_are_told_in_either_direction(place: Sequence[str]) -> None:
    answer = headwater("lineage", "both", "delivery_7_days", "--level", "job", "--json", *place)
    found = json.loads(answer.stdout)
    assert found["backward"]["jobs"][0]["name"] == "etl_delivery_7_days"
    assert found["forward"]["jobs"][0]["name"] == "delivery_times_7_days"
    piped = headwater("lineage", "backward", "discounts", "--level", "job", *place)
    assert piped.stdout.splitlines()[0] == "distance\treach\tnamespace\tjob"


def test_people_see_jobs_as_a_tree(store: str) -> None:
    answer = headwater("lineage", "backward", "discounts", "--level", "job", "--json", "--store", store)
    console = Console(width=200)
    with console.capture() as drawn:
        console.print(job_tree(json.loads(answer.stdout), "backward"))
    first, nearest, next_one = drawn.get().splitlines()[:3]
    assert first == "made by"
    assert nearest.endswith("delivery_times_7_days")
    assert next_one.endswith("etl_delivery_7_days  through public.delivery_7_days")


def test_a_stop_is_named_by_the_end_of_the_name(store: str) -> None:
    answer = headwater(
        "lineage", "backward", "discounts", "customer_email", "--stop-at", "delivery_7_days", "--store", store
    )
    assert answer.stdout.splitlines()[-1].startswith("incomplete: STOP at public.delivery_7_days")


def test_what_is_missing_names_the_job_that_did_not_tell_it(store: str) -> None:
    silent = event("COMPLETE", 1, "run", [dataset("in", "x")], [dataset("out", "x")], "silent")
    headwater("import", "-", "--store", store, stdin=json.dumps(silent))
    for command in (("lineage", "forward", "in"), ("lineage", "backward", "out"), ("impact", "in")):
        answer = headwater(*command, "--store", store)
        assert answer.stdout.splitlines()[-1] == "incomplete: NO_LINEAGE_FACET at out  by silent"
        assert headwater(*command, "--strict", "--store", store).exit_code == 4
    assert "public.customers" not in answer.stdout


def test_a_filter_by_name_and_namespace_needs_both(store: str) -> None:
    ask = ("lineage", "backward", "discounts", "customer_email", "--json", "--store", store)
    both = headwater(*ask, "--within", "delivery_7_days", "--in-namespace", "food_*")
    assert [n["name"] for n in json.loads(both.stdout)["nodes"]] == [
        "public.discounts",
        "public.delivery_7_days",
    ]
    neither = headwater(*ask, "--within", "delivery_7_days", "--in-namespace", "elsewhere")
    assert [n["name"] for n in json.loads(neither.stdout)["nodes"]] == ["public.discounts"]


def test_a_limited_answer_says_how_to_go_on(store: str) -> None:
    ask = ("lineage", "backward", "discounts", "customer_email", "--limit", "2", "--store", store)
    first = headwater(*ask)
    more = first.stdout.splitlines()[-1]
    assert more.startswith("more: --after ")
    second = headwater(*ask, "--after", more.rpartition(" ")[2])
    assert "public.customers" not in first.stdout
    assert "public.customers" in second.stdout
    assert "more:" not in second.stdout


def test_before_the_first_event_there_was_no_lineage(store: str) -> None:
    answer = headwater(
        "lineage", "backward", "discounts", "--as-of", "2001-01-01", "--json", "--store", store
    )
    assert [n["name"] for n in json.loads(answer.stdout)["nodes"]] == ["public.discounts"]


@pytest.mark.parametrize("option", [("--as-of", "yesterday"), ("--level", "row"), ("--limit", "0")])
def test_what_makes_no_sense_is_wrong_usage(store: str, option: tuple[str, str]) -> None:
    assert headwater("lineage", "backward", "discounts", *option, "--store", store).exit_code == 2
