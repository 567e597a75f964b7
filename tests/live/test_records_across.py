"""Questions across all captured jobs: random chains, judged by running them again, and one with its answers."""

from __future__ import annotations

from typing import Any

import pytest

from kit.jobs import found_by
from kit.spark_lines import EITHER_LINE, SparkLine

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module", params=EITHER_LINE, ids=str)
def chain(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What was found of orders → prices → totals → a report of names."""
    folder = str(tmp_path_factory.mktemp("chain"))
    return found_by(request.param, "records_of_chain.py", folder, "write")


@pytest.mark.parametrize("seeds", ["0:2", pytest.param("2:20", marks=pytest.mark.slow)])
@pytest.mark.parametrize("line", EITHER_LINE, ids=str)
def test_random_chains_come_again_of_their_origins_and_change_where_descendants_are(
    line: SparkLine, seeds: str, tmp_path: Any
) -> None:
    found = found_by(line, "records_across.py", str(tmp_path), seeds)
    assert {seed: wrong for seed, (wrong, _) in found.items() if wrong} == {}


def test_a_value_is_traced_through_all_jobs_though_one_output_was_overwritten(chain: Any) -> None:
    assert chain["ends"]["stages"] == ["report", "totals", "prices"]
    names, *orders = chain["ends"]["origins"]
    assert names == ["names.csv", 1, [], ["who"]]
    # Of CSV, which has no names, a record contributes as a whole.
    assert [(source, position) for source, position, *_ in orders] == [("orders", 1), ("orders", 2)]
    assert orders[0][2:] == [["items[1].price", "items[2].price", "user"], ["items[1]", "items[2]"]]


def test_operators_are_numbered_from_job_to_job(chain: Any) -> None:
    titles = [title.rpartition("/")[2] for title in chain["ends"]["steps"].values()]
    assert titles == [
        *("totals", "names.csv", "inner join", "select"),
        *("prices", "group"),
        *("orders", "flatten", "select"),
    ]
    assert list(chain["ends"]["steps"]) == [str(number) for number in range(1, 10)]


def test_a_frame_is_traced_like_an_output(chain: Any) -> None:
    assert [(source, position) for source, position, *_ in chain["frame"]] == [
        *(("names.csv", 1), ("names.csv", 2)),
        *(("orders", 1), ("orders", 2), ("orders", 3)),
    ]


def test_all_that_became_of_a_person_is_listed_with_what_is_still_there(chain: Any) -> None:
    assert chain["ends"]["subject"] == [
        *(["prices", number, True, False] for number in (1, 2, 3)),
        *(["report", 1, True, True], ["totals", 1, True, True]),
    ]
    assert chain["ends"]["unknown"] == {}


def test_what_is_not_known_is_reported_and_so_is_all_that_was_made_of_it(chain: Any) -> None:
    demand = chain["demand"]
    assert demand["subject"] == []
    reason = "the program that wrote it is not known: name it with program=…"
    assert demand["unknown"].pop("prices") == demand["origins"] == reason
    assert {name: reason.rpartition("/")[2] for name, reason in demand["unknown"].items()} == {
        "totals": "prices, of which that is not known",
        "report": "totals, of which that is not known",
    }
    assert {name: use["unknown"] for name, use in demand["usage"].items()} == {
        "orders": ["prices"],
        "prices": ["totals"],
        "totals": ["report"],
        "names.csv": ["report"],
    }


def test_a_file_that_nobody_captured_where_others_were_is_no_source_in_silence(chain: Any) -> None:
    assert chain["changed"] == ["captured runs wrote to its folder, and not this file"]


def test_who_was_in_records_that_have_been_replaced_is_not_known(chain: Any) -> None:
    replaced = chain["replaced"]
    assert sorted(replaced) == ["prices", "report", "totals"]
    assert replaced["prices"].endswith(".parquet, whose records nobody can look at any more")
    assert replaced["totals"].endswith("/prices, of which that is not known")


def test_what_became_of_records_that_were_read_by_a_link_is_not_known(chain: Any) -> None:
    count, unknown = chain["by a link"]
    assert count == 0
    assert list(unknown) == ["linked"]
    assert "was read by another name than it was written by" in unknown["linked"]


def test_usage_has_paths_pairs_records_and_proposals(chain: Any) -> None:
    usage = chain["ends"]["usage"]
    orders, totals = usage["orders"], usage["totals"]
    assert orders["paths"] == {"items[]": [0, {"flatten": 2}], "items[].price": [2, {}], "user": [2, {}]}
    assert orders["never"] == ["id"] and ["leave out", "id", 2] in orders["proposals"]
    assert ["items[].price", "user"] in orders["together"]
    assert totals["proposals"] == [["cluster", "who", 1]]
    # The prices were written twice, the second time without a row.
    assert orders["hot"] == [[1, 1], [2, 1], [3, 1]] and orders["heat"] == [[1.0, 1.0]]


@pytest.mark.parametrize(
    ("case", "blamed", "records"),
    [
        ("made", "select", []),
        ("parsed", "select", []),
        ("source", "orders", [3]),
        ("not comparable", "select", []),
        ("nothing", None, []),
    ],
)
def test_the_first_operator_that_gives_a_bad_value_is_at_fault(
    chain: Any, case: str, blamed: str | None, records: list[int]
) -> None:
    fault = chain["faults"][case]
    titles = [title for title, _, _ in fault["operators"]]
    assert [titles[number - 1] for number in fault["at fault"]] == ([blamed] if blamed else [])
    assert (fault["possible"], fault["records"]) == ([], records)


def test_a_condition_that_does_not_fit_the_value_is_an_error(chain: Any) -> None:
    assert chain["faults"]["no condition"] == "AnalysisException"
