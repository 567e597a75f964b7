"""Runs functions over several rows, each time as a worker unpickles them: what a row leaves behind changes later ones.

A change of any row is held against what is listed of the argument, in whichever row's result it shows.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

from functions.oracle import Reads, Steps, Verdict, changes, examined, leaves, pickled

ROWS = 3


def judge_rows(
    function: Callable[..., Any], arguments: tuple[Any, ...], reads: Reads | None = None
) -> Verdict:
    """What is stated of the function against what it does to a few rows, of which one is changed."""
    verdict, listed = examined(function, arguments, reads)
    if listed is None:
        return verdict
    changed = changed_pairs(function, arguments)
    for argument, source, target in sorted(changed, key=repr):
        if not listed.ways(argument, source, target):
            verdict.misses.append(f"{argument}.{'.'.join(source)} -> {'.'.join(target)}")
    verdict.exact = listed.pairs(dict.fromkeys(changed, False)) <= changed
    verdict.narrowed = True
    return verdict


def changed_pairs(function: Callable[..., Any], arguments: tuple[Any, ...]) -> set[tuple[int, Steps, Steps]]:
    """Pairs of what was changed of an argument, in any of the rows, and what changed in any of the results."""
    sent = pickled(function)
    before = _run(sent, [arguments] * ROWS)
    found: set[tuple[int, Steps, Steps]] = set()
    for place, argument in enumerate(arguments):
        for steps, changed in changes(argument):
            other = (*arguments[:place], changed, *arguments[place + 1 :])
            for row in range(ROWS):
                rows = [arguments] * ROWS
                rows[row] = other
                for one, two in zip(before, _run(sent, rows), strict=True):
                    if one is not None and two is not None:
                        targets = {t for t in one.keys() | two.keys() if one.get(t) != two.get(t)}
                        found |= {(place, steps, target) for target in targets}
    return found


def _run(sent: bytes, rows: list[tuple[Any, ...]]) -> list[dict[Steps, list[Any]] | None]:
    """The leaves of each row's result; None of a row that fails."""
    function = pickle.loads(sent)[0]
    return [_result(function, row) for row in rows]


def _result(function: Callable[..., Any], row: tuple[Any, ...]) -> dict[Steps, list[Any]] | None:
    try:
        return leaves(function(*row))
    except Exception:  # noqa: BLE001 - a row that fails is not written
        return None
