"""Values of a node's fields that are no nodes: names, options, and objects that only the driver could ask.

The driver describes such an object by its kind, whatever node holds it::

    {"k": "table", "table": "t", "database": "d", "location": "file:/w/t", …}    an entry of the session's catalog
    {"k": "name", "table": "t", "database": "d", "entry": {…}}                   a name, with the catalog's entry of it
    {"k": "identifier", "namespace": ["d"], "name": "t"}                         a name in a V2 catalog
    {"k": "catalog", "name": "lake"}
    {"o": "org.apache.spark.sql.execution.datasources.HadoopFsRelation", "roots": ["file:/in"], "format": "parquet"}
    {"m": [["path", "/in"]]}                                                     options, of which few are sent
    {"e": "Overwrite"}                                                           a constant of an enumeration
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

Source: TypeAlias = Mapping[str, Any]
"""Where data lies: ``kind`` (files, table, jdbc, kafka, rdd, stream, memory, unknown) and what belongs to that kind."""

Options: TypeAlias = Mapping[str, str]
"""Options by their names in lower case, without those that are null."""

CORRUPT_RECORD = "_corrupt_record"
"""What Spark calls the column for text that could not be parsed, unless it is given another name."""

_NAME_OF_WHOLE = ("columnnameofcorruptrecord", "singlevariantcolumn", "wildcardcolname")


@dataclass(frozen=True, slots=True)
class Places:
    """Where paths begin that name no server or no directory."""

    working: str = ""
    """The default file system's working directory, as a URI."""
    local: str = ""
    """The driver's own working directory, as a URI."""

    @classmethod
    def of(cls, plan: Mapping[str, Any]) -> Places:
        working = str(plan.get("working") or "")
        return cls(working, str(plan.get("local") or working))

    def qualified(self, path: str) -> str:
        """The place that a path means to Spark. One that names its server is left alone."""
        scheme, _, rest = self.working.partition(":")
        own, colon, below = path.partition(":")
        if colon and "/" not in own:
            same = own == scheme and not below.startswith("//")
            return _joined(self.working, below) if same else path
        return _joined(self.working, path) if rest else path

    def local_file(self, path: str) -> str:
        """A file of the driver's machine; a path with a scheme is none."""
        own, colon, _ = path.partition(":")
        return path if colon and "/" not in own else _joined(self.local, path)


def _joined(base: str, path: str) -> str:
    """``path`` below ``base``'s directory, or below its root where it is absolute."""
    scheme, _, rest = base.partition(":")
    authority = ""
    if rest.startswith("//"):
        authority, _, folder = rest[2:].partition("/")
        authority, rest = f"//{authority}", f"/{folder}"
    whole = posixpath.normpath(posixpath.join(rest, path))
    return f"{scheme}:{authority}/{whole.lstrip('/')}"


def mapping(value: Any) -> Mapping[str, Any]:
    """The described object; empty for anything else."""
    return value if isinstance(value, Mapping) else {}


def class_of(value: Any) -> str:
    """The class of an object, or of the enumeration's constant that stands for it."""
    described = mapping(value)
    return str(described.get("o") or described.get("e") or "")


def simple_class(value: Any) -> str:
    """``B`` for ``a.b.B``, ``a.A$B`` and ``a.B$``."""
    return class_of(value).rstrip("$").rpartition(".")[2].rpartition("$")[2]


def constant_name(value: Any) -> str | None:
    """``Overwrite`` of an enumeration's constant."""
    name = mapping(value).get("e")
    return None if name is None else str(name)


def options_of(value: Any) -> Options:
    pairs = mapping(value).get("m") or ()
    return {str(key).lower(): str(content) for key, content in pairs if content is not None}


def names_of_whole(options: Options) -> list[str]:
    """The columns that may have all of a record: one that could not be parsed, or as a variant."""
    return [options[key] for key in _NAME_OF_WHOLE if options.get(key)]


def catalog_table(value: Any) -> Source | None:
    """An entry of the session's catalog as a source; None for anything else."""
    described = mapping(value)
    if described.get("k") != "table":
        return None
    return {**table_source(described), **{key: described[key] for key in ("contents",) if key in described}}


def table_source(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "kind": "table",
        "identifier": identifier(entry),
        "location": entry.get("location"),
        "provider": entry.get("provider"),
        "type": entry.get("type"),
        "partitionColumns": entry.get("partitionColumns") or [],
    }


def identifier(named: Mapping[str, Any]) -> dict[str, Any]:
    """Table, database and catalog of a name of the session's catalog."""
    return {part: named.get(part) for part in ("table", "database", "catalog")}


def v2_identifier(catalog: Any, name: Any) -> dict[str, Any]:
    """The same of a name in a V2 catalog."""
    namespace = mapping(name).get("namespace") or ()
    return {
        "table": mapping(name).get("name"),
        "database": ".".join(map(str, namespace)) or None,
        "catalog": mapping(catalog).get("name"),
    }


def is_name(value: Any) -> bool:
    """Whether it names a table of the session's catalog."""
    return mapping(value).get("k") in ("table", "name")
