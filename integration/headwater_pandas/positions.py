"""Where the records of a result were in the subject of a call: by their labels, or by the same call over positions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from headwater_pandas.call import Call, boolean
from headwater_pandas.inputs import same_index
from headwater_records.lists import Numbers


def chosen(call: Call) -> Numbers | None:
    """Positions of the records of the result; None where neither way tells."""
    before, after = call.before.index, call.after.index
    if call.kwargs.get("ignore_index"):
        return _repeated(call)
    if after is before:
        return np.arange(len(before))
    if before.is_unique:
        found = before.get_indexer(after)
        return None if len(found) and int(found.min()) < 0 else found
    return _repeated(call)


def _repeated(call: Call) -> Numbers | None:
    """The same call on the same records with positions as labels; a function of the program is called once only."""
    if _calls_the_program(call):
        return None
    changed = {"ignore_index": False} if "ignore_index" in call.kwargs else {}
    result = call.again(**changed)
    found = np.asarray(result.index, dtype=np.int64)
    return found if len(found) == call.after.rows else None


def _calls_the_program(call: Call) -> bool:
    given = (*call.args[1:], *call.kwargs.values())
    return any(callable(each) or (isinstance(each, str) and "@" in each) for each in given)


def places(index: Any, key: Any, *, by_position: bool) -> Numbers | int | None:
    """The positions that a key of ``loc`` or ``iloc`` chooses; a number for one label, None for all."""
    if isinstance(key, slice) and key == slice(None):
        return None
    if boolean(key):
        return mask_places(index, key)
    numbers = np.arange(len(index))
    if by_position:
        found = numbers[np.asarray(key, np.int64) if isinstance(key, list | pd.Series | pd.Index) else key]
    else:
        found = pd.Series(numbers, index=index).loc[key]
    return int(found) if np.ndim(found) == 0 else np.asarray(found)


def mask_places(index: Any, key: Any) -> Numbers:
    """The positions that a mask leaves; a series' mask is aligned by labels."""
    if isinstance(key, pd.Series) and not same_index(key.index, index):
        key = key.reindex(index)
    truth = (
        key.to_numpy(dtype=bool, na_value=False) if hasattr(key, "to_numpy") else np.asarray(key, dtype=bool)
    )
    return np.flatnonzero(truth)
