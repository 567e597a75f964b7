"""The sources of a program, with a word of its own in each value, and which of these words its outputs have.

An output's names of folders, files and columns count as its content: what stands there can be read, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa
from pyarrow import orc, parquet

ROWS = "abcdefgh"
PATHS: dict[str, tuple[str, str]] = {
    "name": ("people.parquet", "name"),
    "mail": ("people.parquet", "mail"),
    "street": ("people.parquet", "home.street"),
    "tag": ("people.parquet", "tags[]"),
    "note": ("events.json", "note"),
    "prop": ("events.json", "props{}"),
    "agent": ("events.json", "meta.agent"),
}
"""Where the words are, by what they are made of: the file, and the path in it."""
_WORD = re.compile(f"zq({'|'.join(PATHS)})[{ROWS}]")


def plant(folder: Path) -> None:
    """Write the sources into the folder."""
    word = {kind: [f"zq{kind}{row}" for row in ROWS] for kind in PATHS}
    people = {
        "id": list(range(len(ROWS))),
        "name": word["name"],
        "mail": word["mail"],
        "home": [{"street": each} for each in word["street"]],
        "tags": [[each, f"{each}x"] for each in word["tag"]],
    }
    parquet.write_table(pa.table(people), folder / "people.parquet")
    events = zip(word["note"], word["prop"], word["agent"], strict=True)
    lines = [
        {"id": number, "note": note, "props": {"k": prop}, "meta": {"agent": agent}}
        for number, (note, prop, agent) in enumerate(events)
    ]
    (folder / "events.json").write_text("\n".join(map(json.dumps, lines)), "utf-8")


def found_in(output: Path) -> set[str]:
    """Of which kinds words stand in the output."""
    return {kind for text in _texts(output) for kind in _WORD.findall(text.lower())}


def _texts(output: Path) -> Iterator[str]:
    for file in output.rglob("*"):
        yield unquote(str(file.relative_to(output)))
        if file.is_file() and file.suffix != ".crc":
            yield from _content(file)


def _content(file: Path) -> Iterator[str]:
    if file.suffix in (".parquet", ".orc"):
        table = parquet.ParquetFile(file).read() if file.suffix == ".parquet" else orc.ORCFile(file).read()
        yield str(table.schema)
        yield str(table.to_pydict())
    else:
        yield file.read_bytes().decode("latin1")
