"""Parts of tracked arrays that NumPy shows without a copy: numbers that say where they are judge."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import headwater_pandas as hp
from headwater_pandas.memory.views import place_of_view
from kit.frames import misses, strict


@pytest.fixture(autouse=True)
def _strict() -> Iterator[None]:
    with strict():
        yield


VIEWS: dict[str, Callable[[Any], Any]] = {
    "column": lambda array: array[:, 1],
    "backwards": lambda array: array[::-1],
    "column backwards": lambda array: array[::-1, 2],
    "columns": lambda array: array[:, 1:],
    "columns backwards": lambda array: array[:, ::-2],
    "steps": lambda array: array[1::2, 0],
    "rows": lambda array: array[2:4],
    "all": lambda array: array[:],
    "of a view": lambda array: array[1:][::2, 1],
    "one value": lambda array: array[3:4, 2],
}
OTHERS: dict[str, Callable[[Any], Any]] = {
    "record": lambda array: array[1],
    "turned": lambda array: array.T,
    "flat": lambda array: array.reshape(-1),
    "diagonal": np.diagonal,
    "other type": lambda array: array.view(np.float64),
    "nothing": lambda array: array[:0],
    "repeated": lambda array: np.broadcast_to(array[:1], (5, 3)),
}


def numbered(*, by_column: bool) -> Any:
    """An array in which each number says its row (hundreds) and its column."""
    numbers = np.arange(5)[:, None] * 100 + np.arange(3)
    return np.asfortranarray(numbers) if by_column else numbers


@pytest.mark.parametrize("by_column", [False, True])
@pytest.mark.parametrize("name", [*VIEWS, *OTHERS])
def test_the_place_of_a_view_is_what_its_numbers_say_or_not_known(name: str, *, by_column: bool) -> None:
    base = numbered(by_column=by_column)
    view = {**VIEWS, **OTHERS}[name](base)
    found = place_of_view(view, base)
    assert (found is not None) or name in OTHERS
    if found is not None:
        rows, columns = found
        shown = view if view.ndim == 2 else view[:, None]
        assert (rows[:, None] * 100 + np.array(columns) == shown).all()


def test_one_dimension() -> None:
    base = np.arange(6)
    for view in (base[::-1], base[2:4], base[1::2]):
        found = place_of_view(view, base)
        assert found is not None and (found[0] == view).all() and found[1] == [0]


PEOPLE = pd.DataFrame(
    {"x": [1.0, 2.0, 4.0, 3.0, 5.0, 2.5], "y": [2.0, 1.0, 3.5, 0.5, 2.0, 1.5], "label": [0, 0, 1, 1, 1, 0]}
)


def with_probability(frame: Any) -> Any:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression().fit(frame[["x", "y"]], frame["label"])
    frame["p"] = model.predict_proba(frame[["x", "y"]])[:, 1]
    return frame


def test_the_probability_of_a_class_is_of_the_own_record_and_the_training_decided() -> None:
    import sklearn.linear_model  # noqa: F401 - before a frame is tracked

    frame = with_probability(hp.track(PEOPLE.copy(), "people"))
    made = hp.why(frame, 2, ["p"])
    assert set(made["dataset"]) == {"people"} and set(made["row"]) == {2}
    assert set(made["column"]) >= {"x", "y"}
    decided = hp.influence(frame, 2, ["p"])
    assert set(decided["row"]) == set(range(len(PEOPLE))) and "label" in set(decided["column"])
    hp.stop()
    assert misses(with_probability, PEOPLE) == []
