"""Pictures of lineage in files. They are drawn by the explorer's own script, so that they are as the page's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final
from urllib.parse import urlencode

import click

from headwater_cli.client.graphql_client import GraphQLClient
from headwater_cli.terminal.errors import CommandError

FORMATS: Final = ("svg", "png", "pdf", "mmd", "dot")
_PAINTED: Final = frozenset({"png", "pdf"})
_PAINTER: Final = """#set page(width: auto, height: auto, margin: 0pt)
#image(bytes(sys.inputs.svg), format: "svg")
"""
_PIXELS_PER_INCH: Final = 192
_SECONDS: Final = 300
_FEW_DATASETS: Final = 16
"""As in the page: the types in larger pictures are left out."""


class PictureFile(click.ParamType[Path]):
    """The name of a file that ends with one of ``FORMATS``."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """Return the file's path; fails for other ends, and where there is no such folder."""
        file = Path(value)
        if _format_of(file) not in FORMATS:
            ends = ", ".join(f".{each}" for each in FORMATS)
            self.fail(f"{value!r} does not end with one of {ends}", param, ctx)
        if not file.parent.is_dir():
            self.fail(f"there is no folder {str(file.parent)!r}", param, ctx)
        return file


def write_picture(
    file: Path,
    question: Mapping[str, Any],
    graphs: Mapping[str, Any],
    schemas: Sequence[Mapping[str, Any]],
    *,
    dark: bool,
    address: str | None,
) -> None:
    """Draw the graphs that answer the question, as the explorer does, in the format that the file's name ends with.

    ``question`` has ``node``, ``level``, ``way``, ``depth`` and ``asOf``; ``graphs`` has ``backward`` and ``forward``,
    of which one may be missing; ``schemas`` are those of ``schemas_of``. ``address`` is the page that shows the same.
    Raises ``CommandError`` if a package is missing.
    """
    wanted = _format_of(file)
    typst = _require("typst") if wanted in _PAINTED else None
    request = {
        "question": question,
        "backward": graphs.get("backward"),
        "forward": graphs.get("forward"),
        "schemas": schemas,
        "format": "svg" if typst else wanted,
        "dark": dark,
        "address": address,
    }
    drawn = _draw(request)
    file.write_bytes(_paint(typst, drawn, wanted) if typst else drawn.encode())


def schemas_of(client: GraphQLClient, graphs: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the known paths of the graphs' datasets, with their types; none if there are many datasets."""
    datasets = {(node["namespace"], node["name"]): None for graph in graphs for node in graph["nodes"]}
    if len(datasets) > _FEW_DATASETS:
        return []
    named = [{"namespace": namespace, "name": name} for namespace, name in datasets]
    found = [(each, client.query("dataset_paths", each)["dataset"]) for each in named]
    return [{**each, "paths": dataset["paths"]} for each, dataset in found if dataset]


def address_of(server: str, question: Mapping[str, Any], types: Sequence[str]) -> str:
    """Return the address of the explorer's page that answers the same question."""
    node = question["node"]
    query = [("namespace", node["namespace"]), ("name", node["name"])]
    query += [("path", step) for step in node["path"]]
    query += [("level", question["level"].lower()), ("way", question["way"].lower())]
    query += [("depth", str(question["depth"]))]
    query += [] if "INDIRECT" in types else [("influences", "no")]
    query += [("as-of", question["asOf"])] if question["asOf"] else []
    return f"{server}/?{urlencode(query)}"


def _format_of(file: Path) -> str:
    return file.suffix.removeprefix(".").lower()


def _draw(request: Mapping[str, Any]) -> str:
    from headwater_graphql.explorer import assets

    engine = _require("py_mini_racer")
    script = assets.STATIC / "picture.js"
    if not script.is_file():
        raise CommandError("EXPLORER_MISSING", "the explorer is not built", assets.BUILD_COMMAND)
    with engine.MiniRacer() as racer:
        racer.eval(script.read_text("utf-8"))
        # JSON twice: the request as a text in the script.
        drawing = racer.eval(f"drawPicture({json.dumps(json.dumps(request))})")
        return str(drawing.get(timeout=_SECONDS))


def _paint(typst: ModuleType, svg: str, wanted: str) -> bytes:
    from headwater_backend.reports.formats.scripts.glyphs import font_folders

    fonts = list(map(str, font_folders()))
    inputs = {"svg": svg}
    return bytes(
        typst.compile(
            _PAINTER.encode(), format=wanted, ppi=_PIXELS_PER_INCH, font_paths=fonts, sys_inputs=inputs
        )
    )


def _require(module: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise CommandError(
            "PICTURES_MISSING",
            f"pictures need headwater[pictures] ({error.name} is not installed)",
            "pip install 'headwater[pictures]'",
        ) from error
