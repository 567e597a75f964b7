"""Judging the lineage of programs over frames by changing single cells of their sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import headwater_pandas as hp
from kit.frame_tokens import as_written, frames, listed, plainly, run, unlisted
from kit.frames import strict


def misses(steps: list[str], folder: Path) -> list[tuple[str, str, str]]:
    """What a changed cell of a source changes in the output whose column is not listed, and unlisted tokens."""
    sources = frames()
    with strict(), hp.run("random") as found:
        before = run(steps, sources, folder)
    if before is None:
        return []
    every, readable, rows, gaps = listed(found.events)
    missing = unlisted(before, readable, gaps)
    for name, source, changed in changes(sources):
        after = plainly(steps, changed, folder)
        if after is None:
            continue
        if len(after) != len(before) or list(after.columns) != list(before.columns):
            listed_at = [source in every.get(as_written(str(each)), ()) for each in before.columns]
            is_listed = all(listed_at) if len(after) != len(before) else any(listed_at)
            if source not in rows and "*" not in gaps and not is_listed:
                missing.append(("rows", name, source))
            continue
        for column in before.columns:
            if list(map(str, before[column])) != list(map(str, after[column])):
                written = as_written(str(column))
                known = every.get(written, set()) | rows
                if source not in known and not {written, "*"} & gaps:
                    missing.append(("changed", column, source))
    return missing


def changes(sources: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each source with one cell changed."""
    for name, frame in sources.items():
        for column in frame.columns:
            for row in range(0, len(frame), 2):
                changed = {key: each.copy() for key, each in sources.items()}
                value = frame[column].iloc[row]
                changed[name][column] = frame[column].astype(object)
                changed[name].loc[row, column] = "Zebra" if isinstance(value, str) else 4
                yield name, column, changed
