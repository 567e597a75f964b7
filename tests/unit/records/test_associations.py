"""Associations answer as sets of pairs do, in both directions, and take no more bytes than they may."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headwater_records.associations import (
    Appended,
    Association,
    Grouped,
    KeptBits,
    KeptIds,
    Peers,
    Placed,
    Same,
    Spans,
    Taken,
    UpTo,
    kept,
    spans,
    taken,
)
from headwater_records.lists import Numbers

masks = st.integers(1, 1500).flatmap(
    lambda count: st.tuples(
        st.just(count), st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.01, 0.5, 0.99, 1.0])
    )
)
sources = st.lists(st.integers(-1, 9), max_size=30)


def holds(association: Association, pairs: set[tuple[int, int]], inputs: int, outputs: int) -> None:
    """Ask for every record alone, and for all at once."""
    for output in range(outputs):
        asked = association.backward(np.array([output]))
        assert asked.tolist() == sorted(one for one, other in pairs if other == output)
    for one in range(inputs):
        assert association.forward(np.array([one])).tolist() == sorted(
            out for here, out in pairs if here == one
        )
    assert association.backward(np.arange(outputs)).tolist() == sorted({one for one, _ in pairs})
    assert association.forward(np.arange(inputs)).tolist() == sorted({out for _, out in pairs})


@settings(deadline=None)
@given(masks)
def test_a_filter_answers_as_the_list_of_what_it_left(drawn: tuple[int, int, float]) -> None:
    count, seed, share = drawn
    mask = np.random.default_rng(seed).random(count) < share
    association, ids = kept(mask), np.flatnonzero(mask)
    chosen = np.arange(len(ids))[::7]
    assert association.backward(chosen).tolist() == ids[chosen].tolist()
    assert association.backward(np.arange(len(ids))).tolist() == ids.tolist()
    assert association.backward(chosen[:1]).tolist() == ids[chosen[:1]].tolist()
    asked: Numbers = np.arange(count)[::5]
    places = {int(row): place for place, row in enumerate(ids)}
    assert association.forward(asked).dtype.kind == "i"
    assert association.forward(asked).tolist() == [places[row] for row in asked.tolist() if row in places]


@settings(deadline=None)
@given(masks)
def test_a_filter_takes_a_bit_for_each_record_or_four_bytes_for_each_kept_one(
    drawn: tuple[int, int, float],
) -> None:
    count, seed, share = drawn
    mask = np.random.default_rng(seed).random(count) < share
    assert kept(mask).nbytes <= min((count + 7) // 8, 4 * int(mask.sum()))


@settings(deadline=None)
@given(sources)
def test_what_is_taken_answers_as_pairs(given_sources: list[int]) -> None:
    pairs = {(one, output) for output, one in enumerate(given_sources) if one >= 0}
    holds(taken(np.array(given_sources, np.int64), 10), pairs, 10, len(given_sources))


@settings(deadline=None)
@given(st.lists(st.integers(-1, 4), max_size=30))
def test_groups_answer_as_pairs_and_peers_have_all_of_their_group(codes: list[int]) -> None:
    pairs = {(member, group) for member, group in enumerate(codes) if group >= 0}
    holds(Grouped.by(np.array(codes, np.int64), 5), pairs, len(codes), 5)
    peers = {(a, b) for a, one in enumerate(codes) for b, other in enumerate(codes) if one == other >= 0}
    holds(Peers(np.array(codes, np.int64), 5), peers, len(codes), len(codes))


@settings(deadline=None)
@given(st.sets(st.tuples(st.integers(0, 7), st.integers(0, 5))))
def test_the_general_case_answers_as_pairs(pairs: set[tuple[int, int]]) -> None:
    listed = np.array(sorted(pairs), np.int64).reshape(-1, 2)
    holds(Grouped.pairs(listed[:, 0], listed[:, 1], 8, 6), pairs, 8, 6)


def test_what_is_appended_takes_two_numbers() -> None:
    holds(Appended(3, 4), {(row, row + 3) for row in range(4)}, 4, 12)
    assert Appended(3, 4).nbytes == 0


def test_the_smallest_form_is_chosen() -> None:
    many = np.arange(1000)
    assert isinstance(taken(many, 1000), Same)
    assert isinstance(taken(many[::2], 1000), KeptBits)
    assert isinstance(taken(many[::100], 1000), KeptIds)
    assert isinstance(taken(many[::-1], 1000), Taken)


def test_a_side_of_a_join_takes_four_bytes_until_it_is_asked_forward() -> None:
    side = Taken(np.arange(1000)[::-1], 1000)
    assert side.nbytes == 4000
    side.backward(np.array([5]))
    assert side.nbytes == 4000
    assert side.forward(np.array([5])).tolist() == [994]
    assert side.nbytes > 4000


@pytest.mark.parametrize("association", [Same(), KeptIds(np.array([1, 4])), Appended(0, 5)])
def test_nothing_leads_to_nothing(association: Association) -> None:
    nothing = np.empty(0, np.int64)
    assert association.backward(nothing).tolist() == association.forward(nothing).tolist() == []


bounds = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)


@settings(deadline=None)
@given(bounds, st.booleans())
def test_spans_answer_as_the_pairs_within_them(drawn: list[tuple[int, int]], ascending: bool) -> None:
    starts = np.array([start for start, _ in drawn], np.int64)
    ends = np.array([end for _, end in drawn], np.int64)
    if ascending:
        starts, ends = np.sort(starts), np.sort(ends)
    association = spans(starts, ends, 9)
    assert not ascending or isinstance(association, Spans)
    pairs = {(one, out) for out in range(len(starts)) for one in range(starts[out], ends[out])}
    holds(association, pairs, 9, len(starts))


@settings(deadline=None)
@given(st.integers(0, 9))
def test_running_figures_have_all_records_up_to_theirs(count: int) -> None:
    pairs = {(one, out) for out in range(count) for one in range(out + 1)}
    holds(UpTo(count), pairs, count, count)


@settings(deadline=None)
@given(st.dictionaries(st.integers(0, 20), st.integers(0, 9), max_size=12))
def test_placed_records_answer_as_their_pairs(given_pairs: dict[int, int]) -> None:
    outputs = np.array(list(given_pairs), np.int64)
    inputs = np.array(list(given_pairs.values()), np.int64)
    pairs = {(one, out) for out, one in given_pairs.items()}
    association = Placed(inputs, outputs)
    holds(association, pairs, 10, 21)
    assert association.nbytes == 8 * len(pairs)
