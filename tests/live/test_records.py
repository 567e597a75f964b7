"""Which nested values of which records made a result: asked on both lines of Spark, and judged by running again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kit.jobs import found_by
from kit.shared import shared
from kit.spark_lines import EITHER_LINE, SparkLine

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the job found."""
    folder = tmp_path_factory.mktemp("records")
    return found_by(request.param, "records.py", str(shared("data/orders")), str(folder))


def test_two_equal_tweets_are_named_and_no_other(found: Any) -> None:
    two = found["example"]["two"]
    assert set(two) == {"12", "17"}
    assert two["12"] == two["17"]


def test_each_path_says_whether_it_contributes_and_which_operators_saw_it(found: Any) -> None:
    assert found["example"]["steps"][1:3] == ["filter", "select"]
    assert found["example"]["two"]["12"] == {
        "retweet_count": [False, [2], []],
        "text": [True, [], [8, 9]],
        "user.id_str": [True, [9], [3, 8, 9]],
        "user.name": [False, [9], [3, 8]],
    }


def test_a_pattern_asks_for_what_it_matches(found: Any) -> None:
    assert found["example"]["pattern"] == found["example"]["two"]
    assert set(found["example"]["deep"]) == {"29"}
    assert found["example"]["none"] == {}


def test_a_mentioned_user_comes_through_the_flattened_element(found: Any) -> None:
    (paths,) = found["example"]["fourth"].values()
    assert set(found["example"]["fourth"]) == {"29"}
    assert "retweet_count" not in paths
    assert paths["user_mentions[1]"][1] == [5]
    assert paths["text"][0]


def test_a_name_that_is_nowhere_is_an_error_with_its_position(found: Any) -> None:
    assert found["example"]["bad"] == "PatternError: no field tweet there, at position 19"


def test_what_all_rows_have_in_common_is_in_none_of_them(found: Any) -> None:
    of_rows, of_one, of_all = found["in common"]
    assert of_rows and set(of_rows) == {None}
    assert of_one == of_all == 13


def test_equal_rows_of_two_sides_are_named_once_each(found: Any) -> None:
    of_rows, of_sides = found["of equal"]
    assert of_rows == of_sides > 0


def test_every_operator_gives_the_same_rows_with_identifiers(found: Any) -> None:
    assert len(found["operators"]) > 40
    assert {name for name, each in found["operators"].items() if not each["same"]} == set()


def test_the_records_that_were_found_give_every_result_again(found: Any) -> None:
    assert {name for name, each in found["operators"].items() if not each["again"]} == set()


def test_random_pipelines_give_their_results_again(found: Any) -> None:
    assert found["pipelines"] == []


def test_joins_are_exact_to_the_row(found: Any) -> None:
    assert found["peers"]["bob"] == [8]
    assert found["operators"]["join"]["records"] == {"orders2.csv": 1, "customers.csv": 1}


def test_groups_ranks_and_totals_have_their_members(found: Any) -> None:
    assert found["peers"]["electronics"] == found["peers"]["rank"] == [310, 380, 420, 99999]
    assert found["peers"]["distinct"] == found["peers"]["total"] == 16


def test_no_smaller_set_of_records_gives_the_result(found: Any) -> None:
    assert {name: each["smaller"] for name, each in found["minimal"].items()} == {
        "join": [],
        "sum": [],
        "window": [],
    }


def test_what_cannot_be_traced_is_refused_by_name(found: Any) -> None:
    refused = found["refused"]
    assert refused["Stream"].startswith("UntraceableError: records cannot be traced through Streaming")
    assert "MapInPandas" in refused["MapInPandas"] or "MapInArrow" in refused["MapInPandas"]
    assert "shuffle" in refused["Shuffle"]
    assert "stream" in refused["Stream"]


def test_forward_names_the_rows_that_a_record_reached(found: Any) -> None:
    assert found["example"]["forward"] == {"2": [], "12": ["lp"], "29": ["lp"]}


def test_forward_over_windows_names_the_rows_that_are_others_without_the_record(found: Any) -> None:
    reached, others = found["windows"]
    assert reached == others
    assert 1 < len(others) < 12


def test_what_forward_asks_of_a_row_grows_with_the_windows_and_not_faster(found: Any) -> None:
    assert found["sizes"]["4"] < 4 * found["sizes"]["2"]


def test_rows_that_are_others_each_time_have_no_forward_answer_in_silence(found: Any) -> None:
    for name, unchecked in (("forward", 1), ("became", 1), ("why_not", [])):
        refused, answer = found["other each time"][name]
        assert refused.startswith("UnrepeatableError: with identifiers the plan gives other rows")
        assert answer == unchecked


def test_what_a_record_became_is_named_by_path(found: Any) -> None:
    assert found["example"]["became"] == [
        ["lp", {"tweets[4].text": True, "user.id_str": True, "user.name": True}]
    ]


def test_the_operators_that_dropped_a_record_are_named(found: Any) -> None:
    assert found["example"]["why not"] == {"2": [[2, "filter"], [5, "flatten"]], "12": [], "29": []}
    assert "no source 'elsewhere'" in found["example"]["unknown"]


def test_a_replay_without_a_record_has_what_it_kept_out(found: Any) -> None:
    assert found["back again"] == [0, 1, 3]


def test_many_records_are_distinguished_from_the_others(found: Any) -> None:
    assert found["many"] is True


def test_a_replay_without_a_record_lacks_what_it_made(found: Any) -> None:
    assert found["example"]["without"] == []


@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_rows_that_are_gone_without_a_record_are_what_it_became(line: SparkLine, tmp_path: Path) -> None:
    found = found_by(line, "removed_at_random.py", str(tmp_path), "0:6", timeout=3600)
    judged = {name: each for name, each in found.items() if "gone" in each}
    assert {name: each for name, each in judged.items() if each["missed"]} == {}
    assert sum(each["gone"] for each in judged.values()) > 100
    assert len(judged) > 0.8 * len(found)
