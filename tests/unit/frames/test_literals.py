"""A single value is a constant if the program's text has it, and otherwise nobody knows where it is from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from headwater_pandas.given.literals import is_constant


@pytest.mark.parametrize("value", [None, np.nan, pd.NaT, True, np.True_, 0, 7, 255])
def test_what_tells_nothing_is_a_constant(value: object) -> None:
    assert is_constant(value)


def test_what_the_text_of_a_running_function_has_is_a_constant() -> None:
    assert is_constant("a text")
    assert all(is_constant(each) for each in ("one", 2.5, -12345))


NAMED = {"a code of the module": "what it stands for"}


def test_what_the_text_of_a_running_functions_module_has_is_a_constant() -> None:
    assert all(map(is_constant, NAMED.values()))


def test_what_was_computed_or_given_is_no_constant() -> None:
    assert not is_constant("-".join(["anna", "berlin"]))
    assert not is_constant(pd.Index(["".join(["x", "y"])])[0])
    assert not is_constant(987 * len(range(13)))
    assert not is_constant(float(len(range(7))) / 3)
    assert not is_constant(["a text"])
