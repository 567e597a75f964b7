"""Judging the lineage of programs over frames by tokens: where one can be read in a result, its column is listed."""

from __future__ import annotations

import io
import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from openlineage.client.serde import Serde

import headwater_pandas as hp
from headwater_pandas import observe
from headwater_pandas.held import held
from headwater_pandas.memory.changed import PROGRAM
from kit.frames import Cell, cells, same, strict

_NAMELESS = {"": "None", "nan": "None"}
TOKENS = {"TOKMAIL": "mail", "TOKCITY": "city", "TOKNOTE": "note"}


def frames() -> dict[str, Any]:
    """Two frames, whose texts name the column that they are in."""
    count = 6
    return {
        "a": pd.DataFrame(
            {
                "id": [1, 2, 3, 4, 5, 6],
                "mail": [f"TOKMAIL{n}" if n != 3 else None for n in range(count)],
                "city": [f"TOKCITY{n % 3}" for n in range(count)],
                "n": [1.0, 5.0, np.nan, 7.0, 9.0, 3.0],
            }
        ),
        "b": pd.DataFrame(
            {"id": [1, 1, 3, 6, 7], "note": [f"TOKNOTE{n}" for n in range(5)], "w": [5, 6, 7, 8, 9]}
        ),
    }


def run(steps: list[str], sources: dict[str, Any], folder: Path) -> Any:
    """What the program writes, read back: the same as without tracking; None where pandas itself refuses it."""
    return _both(steps, sources, folder)[1]


def _both(steps: list[str], sources: dict[str, Any], folder: Path) -> tuple[Any, Any]:
    """The program's last frame, and what it writes."""
    plain = plainly(steps, sources, folder)
    if plain is None:
        return None, None
    result = _done(steps, folder)
    written = _written(result, folder)
    same(plain, written)
    return result, written


def plainly(steps: list[str], sources: dict[str, Any], folder: Path) -> Any:
    """What it writes where nothing is tracked; None where pandas refuses it, or writes names in several lines."""
    for name, frame in sources.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    try:
        with observe.alone():
            return _written(_done(steps, folder), folder)
    except Exception:  # noqa: BLE001 - whatever pandas raises: random programs ask for anything
        return None


def _done(steps: list[str], folder: Path) -> Any:
    """The frame that the program has in the end."""
    scope: dict[str, Any] = {"pd": pd, "np": np}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        for name in ("a", "b"):
            scope[name] = pd.read_csv(folder / f"{name}.csv")
        for step in steps:
            exec(step, scope)
    return scope["a"]


def _written(result: Any, folder: Path) -> Any:
    if getattr(getattr(result, "columns", None), "nlevels", 1) > 1:
        return None
    result.to_csv(folder / "out.csv", index=False)
    return pd.read_csv(io.StringIO((folder / "out.csv").read_text()))


def listed(events: Any) -> tuple[dict[str, set[str]], dict[str, set[str]], set[str], set[str]]:
    """By output column: columns that are listed, and those that can be read; those of the rows; columns with gaps."""
    event = json.loads(Serde.to_json(events[-1]))
    (output,) = (each for each in event["outputs"] if each["name"].endswith("out.csv"))
    facet = output["facets"]["headwater_pathLineage"]
    every: dict[str, set[str]] = {}
    readable: dict[str, set[str]] = {}
    for field in facet["fields"]:
        column = _NAMELESS.get(field["path"][0], field["path"][0])
        for source in field["inputFields"]:
            every.setdefault(column, set()).add(source["path"][0])
            for each in source["transformations"]:
                if each["type"] == "DIRECT" and each.get("retains", "VALUE") in {"VALUE", "CONTAINS"}:
                    readable.setdefault(column, set()).add(source["path"][0])
    rows = {each["path"][0] for each in facet.get("dataset", ())}
    gaps = {path[0] for each in facet.get("incomplete", ()) for path in each.get("paths", [["*"]])}
    return every, readable, rows, gaps


def unlisted(before: Any, readable: dict[str, set[str]], gaps: set[str]) -> list[tuple[str, str, str]]:
    """Columns of a result in which a token can be read whose column is not listed as readable, and no gap is."""
    missing = []
    for place, column in enumerate(before.columns):
        if {column, "*"} & gaps:
            continue
        text = " ".join(map(str, before.iloc[:, place])).upper() + str(column).upper()
        for token, source in TOKENS.items():
            if token in text and source not in readable.get(as_written(str(column)), ()):
                missing.append(("read", str(column), source))
    return missing


def as_written(name: str) -> str:
    """The name of a column in events, which pandas changes where it reads one without a name, or one again."""
    return re.sub(r"^Unnamed: \d+$", "None", re.sub(r"\.\d+$", "", name))


def unlisted_of(steps: list[str], folder: Path) -> list[tuple[str, str, str]] | None:
    """The same for a program over both frames, and values that do not list a token's record; None for a refused one."""
    with strict():
        with hp.run("random") as found:
            result, before = _both(steps, frames(), folder)
        if before is None:
            return None
        astray = list(_astray(result))
    _, readable, _, gaps = listed(found.events)
    return unlisted(before, readable, gaps) + astray


def _astray(result: Any) -> Iterator[tuple[str, str, str]]:
    """Values in which a record's token can be read, and that list neither that record's value nor a doubt."""
    frame = result if isinstance(result, pd.DataFrame) else result.to_frame("only")
    for place, column in enumerate(frame.columns):
        for row, value in enumerate(frame.iloc[:, place]):
            tokens = re.findall(r"(TOK[A-Z]+)(\d+)", str(value).upper())
            known = _certain(result, row, column if result is frame else result.name) if tokens else None
            for token, number in tokens:
                if known is not None and not known & _with(token, int(number)):
                    yield ("record", f"{column} of {row}", f"{token}{number}")


def _certain(result: Any, row: int, column: object) -> set[Cell] | None:
    """What a value was made of, and what it is a constant of, if it is a figure; None where the answer is in doubt."""
    if held(result) is None:
        return None
    made = hp.why(result, row, [column])
    if not made["certain"].all() or (made["dataset"] == PROGRAM).any():
        return None
    return cells(made) | cells(hp.influence(result, row, [column]))


def _with(token: str, number: int) -> set[Cell]:
    """The values of the sources that have this token."""
    source, column = "b.csv" if token == "TOKNOTE" else "a.csv", TOKENS[token]
    numbers = (number, number + 3) if column == "city" else (number,)
    return {(source, each, column) for each in numbers}


def gaps_of(steps: list[str], folder: Path) -> set[str]:
    """The columns of which the program's lineage is not known; ``*`` for all."""
    with strict(), hp.run("random") as found:
        assert run(steps, frames(), folder) is not None
    return listed(found.events)[3]
