"""Resolves a leaf or a write target of a plan to OpenLineage datasets.

The plan document's ``src`` object (kind files, table, jdbc, kafka, rdd, memory, …) is resolved to any number of
``ResolvedDataset`` values: several root paths are several datasets, data in memory is none. Names follow OpenLineage's
naming rules and, if those leave a choice, the official Spark agent: a table is named by its location, and its table
name is a symlink.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final
from urllib.parse import urlsplit

from headwater_facets import locations
from headwater_facets.jdbc import jdbc_name
from headwater_facets.locations import DatasetId, split_location, without_partitions
from headwater_spark.naming.namespace_resolvers import resolve_namespace
from headwater_spark.redaction import HIDDEN, redact

_PATH: Final = re.compile(r"/|[a-z][a-z0-9+.-]*:/", re.IGNORECASE)
"""The beginning of a table name that is a location: ``delta.`/data/orders` ``."""
_LAKE_FORMATS: Final = ("iceberg", "delta", "hudi", "paimon")
SESSION_CATALOG: Final = "spark_catalog"
UNNAMED: Final = "unknown"
"""The namespace of targets whose names are not known."""
STREAMS: Final = "spark-streaming"
"""The namespace of what streaming queries keep in their checkpoints."""
IN_MEMORY: Final = ("memory", "rdd", "stream")
"""Kinds of sources that are no dataset: values of the program, or a stream."""


@dataclass(frozen=True, slots=True)
class ResolvedDataset:
    """A dataset with its other names and the storage format that the source has."""

    id: DatasetId
    table: DatasetId | None = None
    """The name in a catalog, if the primary name is a location."""
    format: str | None = None
    layer: str = "file"
    short_name: str = ""
    """The dataset's part of job names: ``out_tweets``, ``default_orders``; empty if its name is not known."""

    @property
    def is_named(self) -> bool:
        """Whether the dataset's own name is known, and not only what writes it."""
        return self.id.namespace != UNNAMED


@dataclass(frozen=True, slots=True)
class Catalogs:
    """The catalogs in a Spark configuration, with their namespaces and locations."""

    conf: Mapping[str, str] = field(default_factory=dict)

    @property
    def warehouse(self) -> str | None:
        """``spark.sql.warehouse.dir`` if it is a full location, else None."""
        place = self.conf.get("spark.sql.warehouse.dir", "")
        return _plain_uri(place) if ":" in place or place.startswith("/") else None

    def namespace(self, catalog: str | None, location: str | None, levels: int) -> str | None:
        """The namespace of a catalog's table names; None if it is unknown.

        ``levels`` is the depth of a managed table's directory below its warehouse.
        """
        if catalog and catalog != SESSION_CATALOG:
            return self._named(catalog)
        metastore = self.conf.get("spark.hadoop.hive.metastore.uris") or self.conf.get("hive.metastore.uris")
        if metastore:
            return _hive(metastore)
        return self.warehouse or _ancestor(location, levels)

    def _named(self, catalog: str) -> str:
        prefix = f"spark.sql.catalog.{catalog}"
        uri = self.conf.get(f"{prefix}.uri") or ""
        if self.conf.get(f"{prefix}.type") == "hive" and uri:
            return _hive(uri)
        place = uri or self.conf.get(f"{prefix}.warehouse") or self.conf.get(f"{prefix}.url") or ""
        return _plain_uri(place) if place else catalog

    def default_location(self, source: Mapping[str, Any]) -> str | None:
        """The default location of a table of the session catalog; None for views and other catalogs."""
        if location := source.get("defaultLocation"):
            return str(location)
        name = source.get("identifier") or {}
        is_other_catalog = name.get("catalog") not in (None, SESSION_CATALOG)
        is_view = str(source.get("type") or "").upper().endswith("VIEW")
        if is_other_catalog or is_view or not self.warehouse or not name.get("table"):
            return None
        database = name.get("database") or "default"
        folder = "" if database == "default" else f"/{database}.db"
        return f"{self.warehouse}{folder}/{name['table']}"

    def resolve_namespace(self, named: DatasetId) -> DatasetId:
        """The dataset's name after the configured namespace resolvers."""
        return named._replace(namespace=resolve_namespace(named.namespace, self.conf))


def resolve_datasets(source: Mapping[str, Any], catalogs: Catalogs) -> tuple[ResolvedDataset, ...]:
    """The datasets that a ``src`` object stands for, each once, in order."""
    return tuple(dict.fromkeys(_with_namespace(each, catalogs) for each in _resolve(source, catalogs)))


def unnamed(source: Mapping[str, Any]) -> ResolvedDataset:
    """The dataset for a target that has no name that is known: all that one connector writes so is one dataset."""
    return ResolvedDataset(DatasetId(UNNAMED, str(source.get("class") or source.get("kind"))))


def _with_namespace(found: ResolvedDataset, catalogs: Catalogs) -> ResolvedDataset:
    table = catalogs.resolve_namespace(found.table) if found.table else None
    return replace(found, id=catalogs.resolve_namespace(found.id), table=table)


def _resolve(source: Mapping[str, Any], catalogs: Catalogs) -> Iterable[ResolvedDataset]:
    match source.get("kind"):
        case "table":
            return _table(source, catalogs)
        case "files":
            return _files(source)
        case "jdbc":
            return _jdbc(source)
        case "kafka":
            return _kafka(source)
        case "state":
            return _state(source)
        case "rdd":
            return (found for each in source.get("inputs") or () for found in _resolve(each, catalogs))
        case _:
            return _files(source) if source.get("roots") else ()


def location_id(location: str) -> DatasetId:
    """The dataset at a location: ``s3a://bucket/a/day=1`` is ``s3://bucket``, ``a``."""
    return locations.location_id(_public(location))


def _files(source: Mapping[str, Any]) -> Iterator[ResolvedDataset]:
    kind = source.get("format")
    for root in source.get("roots") or ():
        found = location_id(root)
        yield ResolvedDataset(
            found, format=_lower(kind), layer=_layer(kind), short_name=_tail(found.name.split("/"))
        )


def _table(source: Mapping[str, Any], catalogs: Catalogs) -> Iterator[ResolvedDataset]:
    parts = source.get("identifier") or {}
    if not parts.get("table"):
        yield from _files(source)
        return
    if _PATH.match(str(parts["table"])):
        yield from _files(
            {"roots": [source.get("location") or parts["table"]], "format": source.get("provider")}
        )
        return
    location = source.get("location") or catalogs.default_location(source)
    levels = _levels(parts, location)
    name = ".".join(levels)
    namespace = catalogs.namespace(parts.get("catalog"), location, 1 if levels[0] == "default" else 2)
    named = DatasetId(namespace or "spark", name)
    provider = source.get("provider")
    primary = location_id(location) if location else named
    yield ResolvedDataset(
        primary,
        table=named if primary != named and namespace else None,
        format=_lower(provider),
        layer=_layer(provider),
        short_name=_tail(levels),
    )


def _levels(parts: Mapping[str, Any], location: str | None) -> list[str]:
    """Database and table. A missing database is derived from the location of a managed table."""
    table = str(parts["table"])
    if parts.get("database"):
        return [str(parts["database"]), table]
    if parts.get("catalog") not in (None, SESSION_CATALOG):
        return [table]
    folder = (location or "").rstrip("/").rpartition("/")[0].rpartition("/")[2]
    return [folder.removesuffix(".db") if folder.endswith(".db") else "default", table]


def _jdbc(source: Mapping[str, Any]) -> Iterator[ResolvedDataset]:
    named = jdbc_name(redact(str(source.get("url") or "")), source.get("dbtable"))
    if named is not None:
        found = DatasetId(*named)
        yield ResolvedDataset(found, layer="jdbc", short_name=_tail(found.name.split(".")))


def _kafka(source: Mapping[str, Any]) -> Iterator[ResolvedDataset]:
    servers = source.get("bootstrapServers") or source.get("kafka.bootstrap.servers") or ""
    host, _, port = servers.split(",")[0].strip().rpartition("://")[2].partition(":")
    topics = source.get("topic") or source.get("subscribe") or ",".join(_assigned(source.get("assign")))
    for topic in filter(None, (each.strip() for each in topics.split(","))):
        found = DatasetId(f"kafka://{host}:{port or 9092}", topic)
        yield ResolvedDataset(found, layer="kafka", short_name=_tail([topic]))


def _state(source: Mapping[str, Any]) -> Iterator[ResolvedDataset]:
    """What a streaming query keeps, by the query's id."""
    name = str(source["identifier"])
    yield ResolvedDataset(DatasetId(STREAMS, name), layer="state", short_name=re.sub(r"\W", "_", name))


def _assigned(partitions: Any) -> Iterable[str]:
    """The topics of Spark's option ``assign``: ``{"orders": [0, 1]}``."""
    try:
        named = json.loads(partitions or "{}")
    except ValueError:
        return ()
    return map(str, named) if isinstance(named, dict) else ()


def as_part_of(dataset: ResolvedDataset, whole: DatasetId) -> ResolvedDataset:
    """A copy of the dataset with the name of the whole that it is a part of."""
    return replace(dataset, id=whole, table=None, short_name=_tail(whole.name.split("/")))


def at_location(found: ResolvedDataset, location: str, catalogs: Catalogs) -> ResolvedDataset:
    """A copy of the table, named by its location."""
    named = found.table or found.id
    primary = catalogs.resolve_namespace(location_id(location))
    return replace(found, id=primary, table=named if named != primary else None)


def _public(location: str) -> str:
    """The location without credentials, so that it is the same for all users."""
    shown = redact(location)
    scheme, colon, _ = shown.partition(":")
    return shown.replace(f"//{HIDDEN}@", "//", 1) if colon and "/" not in scheme else location


def _split(location: str) -> tuple[str, str, str]:
    return split_location(_public(location))


def is_partition(source: Mapping[str, Any], location: str | None) -> bool:
    """Whether the source, or the location that it turned out to have, is one partition of the dataset."""
    places = (*(source.get("roots") or ()), source.get("location"), source.get("defaultLocation"), location)
    paths = (_split(str(place))[2].rstrip("/") for place in places if place)
    return any(without_partitions(path) != path for path in paths)


def folder_values(location: str) -> dict[str, str | None]:
    """The columns that the location gives a value each: ``x/year=2026/month=6`` is a part of ``x``."""
    return locations.folder_values(_split(location)[2])


def _plain_uri(location: str) -> str:
    """The location as the official agent writes a warehouse: ``file:/a`` for ``file:///a/`` and ``/a``."""
    scheme, authority, path = _split(location)
    path = path.rstrip("/")
    return f"{scheme}://{authority}{path}" if authority else f"{scheme}:{path}"


def _ancestor(location: str | None, levels: int) -> str | None:
    if not location:
        return None
    return _plain_uri(location).rsplit("/", levels)[0]


def _hive(uris: str) -> str:
    parts = urlsplit(uris.split(",", maxsplit=1)[0].strip())
    return f"hive://{parts.hostname}:{parts.port or 9083}"


def _layer(kind: Any) -> str:
    return next((name for name in _LAKE_FORMATS if name in str(kind or "").lower()), "file")


def _lower(kind: Any) -> str | None:
    return str(kind).lower() if kind else None


def _tail(parts: Iterable[str]) -> str:
    """The last two parts, joined as in the official agent's job names."""
    return "_".join(re.sub(r"\W", "_", part) for part in [part for part in parts if part][-2:])
