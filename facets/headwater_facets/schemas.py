"""JSON Schemas of Headwater's facets, and the registry that lists them.

The schemas are in ``facets/spec`` of the source tree, and in ``headwater_facets/spec`` of a wheel.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

PATH_LINEAGE: Final = "headwater_pathLineage"
OPERATORS: Final = "headwater_operators"
FUNCTIONS: Final = "headwater_functions"
CONDITIONS: Final = "headwater_conditions"
ACCESS: Final = "headwater_access"
LAYOUT: Final = "headwater_layout"
EXTENT: Final = "headwater_extent"
RECORDS: Final = "headwater_records"
SPLIT: Final = "headwater_split"

_PACKAGE: Final = Path(__file__).resolve().parent


@cache
def spec_folder() -> Path:
    """Return the folder of schemas: inside the installed package, or beside it in a source tree."""
    packed = _PACKAGE / "spec"
    return packed if packed.is_dir() else _PACKAGE.parent / "spec"


@cache
def registry() -> dict[str, dict[str, str]]:
    """Return the registry: facet key -> {"facetClass", "attachesTo", "schema" (file name), "version"}."""
    listed = _read("registry.json")["facets"]
    return {entry["key"]: {k: v for k, v in entry.items() if k != "key"} for entry in listed}


@cache
def load(key: str) -> dict[str, Any]:
    """Return the JSON Schema document of a facet key; raises ``KeyError`` if it is not Headwater's."""
    return _read(registry()[key]["schema"])


@cache
def schema_url(key: str) -> str:
    """Return the value for ``_schemaURL``: the schema's immutable ``$id`` with the facet's definition."""
    return f"{load(key)['$id']}#/$defs/{registry()[key]['facetClass']}"


def _read(name: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((spec_folder() / name).read_text(encoding="utf-8"))
    return document
