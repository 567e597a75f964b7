"""The JSON Schemas of our facets: where they are, what they are called, and the registry that lists them.

The schemas are data in ``facets/spec``; a wheel carries them as ``headwater_facets/spec``.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

PATH_LINEAGE: Final = "headwater_pathLineage"
OPERATORS: Final = "headwater_operators"
CONDITIONS: Final = "headwater_conditions"
ACCESS: Final = "headwater_access"
LAYOUT: Final = "headwater_layout"

_PACKAGE: Final = Path(__file__).resolve().parent


@cache
def spec_folder() -> Path:
    """The folder of schemas: inside the installed package, or beside it in a source tree."""
    packed = _PACKAGE / "spec"
    return packed if packed.is_dir() else _PACKAGE.parent / "spec"


@cache
def registry() -> dict[str, dict[str, str]]:
    """Facet key -> {"facetClass", "attachesTo", "schema" (file name), "version"}."""
    listed = _read("registry.json")["facets"]
    return {entry["key"]: {k: v for k, v in entry.items() if k != "key"} for entry in listed}


@cache
def load(key: str) -> dict[str, Any]:
    """The JSON Schema document of that facet key; ``KeyError`` when it is not ours."""
    return _read(registry()[key]["schema"])


@cache
def schema_url(key: str) -> str:
    """What ``_schemaURL`` says: the schema's immutable ``$id`` and the facet's definition in it."""
    return f"{load(key)['$id']}#/$defs/{registry()[key]['facetClass']}"


def _read(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((spec_folder() / name).read_text(encoding="utf-8"))
    return document
