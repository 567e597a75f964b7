"""Judging the lineage of programs over frames by tokens: where one can be read in a result, its column is listed."""

from __future__ import annotations

import io
import json
import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from openlineage.client.serde import Serde

import headwater_pandas as hp
from kit.frames import strict

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
    """What the program writes, read back; None where pandas refuses, or writes names of columns in several lines."""
    for name, frame in sources.items():
        frame.to_csv(folder / f"{name}.csv", index=False)
    scope: dict[str, Any] = {"pd": pd, "np": np}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            for name in sources:
                scope[name] = pd.read_csv(folder / f"{name}.csv")
            for step in steps:
                exec(step, scope)
            if getattr(getattr(scope["a"], "columns", None), "nlevels", 1) > 1:
                return None
            scope["a"].to_csv(folder / "out.csv", index=False)
    except (KeyError, ValueError, TypeError, IndexError, AttributeError, NameError):
        return None
    return pd.read_csv(io.StringIO((folder / "out.csv").read_text()))


def listed(events: Any) -> tuple[dict[str, set[str]], dict[str, set[str]], set[str], set[str]]:
    """By output column: columns that are listed, and those that can be read; those of the rows; columns with gaps."""
    event = json.loads(Serde.to_json(events[-1]))
    (output,) = (each for each in event["outputs"] if each["name"].endswith("out.csv"))
    facet = output["facets"]["headwater_pathLineage"]
    every: dict[str, set[str]] = {}
    readable: dict[str, set[str]] = {}
    for field in facet["fields"]:
        for source in field["inputFields"]:
            every.setdefault(field["path"][0], set()).add(source["path"][0])
            for each in source["transformations"]:
                if each["type"] == "DIRECT" and each.get("retains", "VALUE") in {"VALUE", "CONTAINS"}:
                    readable.setdefault(field["path"][0], set()).add(source["path"][0])
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
            if token in text and source not in readable.get(re.sub(r"\.\d+$", "", str(column)), ()):
                missing.append(("read", str(column), source))
    return missing


def unlisted_of(steps: list[str], folder: Path) -> list[tuple[str, str, str]] | None:
    """The same for a program over both frames; None where pandas refuses it."""
    with strict(), hp.run("random") as found:
        before = run(steps, frames(), folder)
    if before is None:
        return None
    _, readable, _, gaps = listed(found.events)
    return unlisted(before, readable, gaps)


def gaps_of(steps: list[str], folder: Path) -> set[str]:
    """The columns of which the program's lineage is not known; ``*`` for all."""
    with strict(), hp.run("random") as found:
        assert run(steps, frames(), folder) is not None
    return listed(found.events)[3]
