"""Which datasets have no inputs, are not read, and exist, over records alone."""

from __future__ import annotations

from headwater_backend.in_force.datasets.use import (
    Deciding,
    FarEnd,
    Last,
    LastUse,
    Span,
    existing,
    fed_by_edges,
    fed_by_runs,
    is_unread,
    last_used,
)

OWN = {"n/out/": "n/out/", "n/old/": "n/out/"}
DECIDING = [Deciding("n/old/", "n/job/", "v", "run")]


def test_a_dataset_has_inputs_where_a_deciding_run_read_another() -> None:
    assert fed_by_runs(DECIDING, {"run": {"n/in/"}}, OWN) == {"n/out/"}
    assert fed_by_runs(DECIDING, {"other": {"n/in/"}}, OWN) == set()


def test_its_own_other_names_are_no_inputs() -> None:
    assert fed_by_runs(DECIDING, {"run": {"n/out/", "n/old/"}}, OWN) == set()
    assert fed_by_edges(DECIDING, [FarEnd("v", "n/out/")], OWN) == set()


def test_it_has_inputs_where_a_deciding_version_leads_from_another() -> None:
    assert fed_by_edges(DECIDING, [FarEnd("v", "n/in/")], OWN) == {"n/out/"}
    assert fed_by_edges(DECIDING, [FarEnd("earlier", "n/in/")], OWN) == set()


def test_only_what_runs_read_is_read() -> None:
    rows = [
        LastUse("n/x/", "INPUT", True, 5),
        LastUse("n/x/", "INPUT", False, 9),
        LastUse("n/x/", "OUTPUT", True, 7),
        LastUse("n/y/", "INPUT", False, 9),
    ]
    used = last_used(rows)
    assert used == {"n/x/": Last(read=5, written=7)}
    assert is_unread(used["n/x/"], 6)
    assert not is_unread(used["n/x/"], 5)
    assert is_unread(Last(), 0)


def test_a_dataset_exists_that_was_known_by_then_and_is_not_gone_or_was_written_again() -> None:
    spans = [Span("n/x/", "n/x/", 1), Span("n/y/", "n/z/", 1), Span("n/w/", "n/w/", 9)]
    assert existing(spans, (), (), 5) == {"n/x/": "n/x/", "n/y/": "n/z/"}
    assert existing(spans, ["n/z/"], (), 5) == {"n/x/": "n/x/"}
    assert existing(spans, ["n/z/"], ["n/z/"], 5) == {"n/x/": "n/x/", "n/y/": "n/z/"}
