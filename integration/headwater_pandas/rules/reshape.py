"""Rules for encodings and for what turns columns into records."""

from __future__ import annotations

from typing import Any

import pandas as pd

from headwater_pandas.call import Call
from headwater_pandas.inputs import by_label, made, names_may_be_values, own
from headwater_records.associations import Appended
from headwater_records.columns import bits, moved
from headwater_records.graph import Dataset


def get_dummies(call: Call) -> Dataset | None:
    """A column for each value of the encoded columns: made of the own value; all values decided which there are."""
    before, after = call.before, call.after
    if sum(width for _, width in call.noted) > after.width or before.rows != after.rows:
        return None
    encoded = _encoded(call)
    if encoded is None or len(encoded) != len(call.noted):
        return None
    sources = [number for number in range(before.width) if number not in encoded]
    if isinstance(call.subject, pd.Series):
        sources = []
    fits, kept = [], len(sources)
    for number, (_, width) in zip(encoded, call.noted, strict=True):
        fits.append((((1 << width) - 1) << len(sources), 1 << number))
        sources += [number] * width
    if len(sources) != after.width:
        return None
    columns = moved((*sources, *before.level_numbers()))
    functions = ["" if place < kept else call.name for place in range(after.width)]
    return made(call, own(call, columns=columns, fits=tuple(fits)), functions=functions)


def _encoded(call: Call) -> list[int] | None:
    """The columns that were encoded, in the order in which pandas did."""
    if isinstance(call.subject, pd.Series):
        return [0]
    names = call.argument("columns")
    if names is None:
        chosen = call.subject.select_dtypes(include=["object", "string", "category"]).columns
    else:
        chosen = list(names)
    return by_label(call.before.columns, chosen)


def cut(call: Call) -> Dataset | None:
    """The bin of each value; where the program gave no bounds, all values decided them."""
    if not isinstance(call.result, pd.Series) or call.before.rows != call.after.rows:
        return None
    bounded = call.name == "cut" and not isinstance(call.argument("bins"), int)
    return made(call, own(call, fits=() if bounded else ((1, 1),)))


def melt(call: Call) -> Dataset | None:
    """A record for each record and column: the columns stand behind each other, each with its own values."""
    before, after = call.before, call.after
    ids = _listed(call.argument("id_vars"))
    names = _listed(call.argument("value_vars")) or [name for name in before.columns if name not in ids]
    kept, melted = by_label(before.columns, ids), by_label(before.columns, names)
    if kept is None or melted is None or before.rows * len(names) != after.rows:
        return None
    if before.columns.nlevels > 1 or not call.argument("ignore_index", True):
        return None
    inputs, named = [], names_may_be_values(call.dataset)
    of_names = range(len(kept), after.width - 1)
    for place, number in enumerate(melted):
        names = [number if named else -1] * len(of_names)
        columns = moved((*kept, *names, number, *[-1] * after.levels))
        rows = Appended(place * before.rows, before.rows)
        inputs.append(own(call, rows, columns, 1 << number if named else 0))
    return made(call, *inputs, constant=0 if named else bits(of_names))


def _listed(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if pd.api.types.is_list_like(given) else [given]
