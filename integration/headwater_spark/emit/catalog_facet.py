"""The ``catalog`` facet: under which catalog a table is known, as the session configures it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from openlineage.client.facet_v2 import DatasetFacet, catalog_dataset

from headwater_spark.emit.facet_context import Scene
from headwater_spark.naming.datasets import SESSION_CATALOG, Identity
from headwater_spark.redaction import redact

_FRAMEWORKS: Final = ("iceberg", "delta", "hudi", "paimon", "jdbc", "unity")


def catalog(scene: Scene, dataset: Identity) -> DatasetFacet | None:
    """The catalog of a table; None for what is in no catalog."""
    name = next(_catalogs(scene, dataset), None)
    if name is None:
        return None
    conf = scene.application.conf
    return _session(conf) if name == SESSION_CATALOG else _named(name, conf)


def _catalogs(scene: Scene, dataset: Identity) -> Iterator[str]:
    """The catalogs that the plan's tables of this dataset are in."""
    sources: list[Mapping[str, Any]] = []
    if scene.lineage.target is not None and any(each.id == dataset.id for each in scene.targets):
        sources.append(scene.lineage.target.source)
    for index, each in enumerate(scene.reads):
        if any(identity.id == dataset.id for identity in each):
            sources.append(scene.lineage.reads[index].source)
    for source in sources:
        if source.get("kind") == "table":
            yield str((source.get("identifier") or {}).get("catalog") or SESSION_CATALOG)


def _session(conf: Mapping[str, str]) -> DatasetFacet:
    """Spark's own catalog: a Hive metastore, or one in memory."""
    hive = conf.get("spark.sql.catalogImplementation") == "hive"
    metastore = conf.get("spark.hadoop.hive.metastore.uris") or conf.get("hive.metastore.uris")
    return catalog_dataset.CatalogDatasetFacet(
        framework="hive" if hive else "spark",
        type="hive" if hive else "in-memory",
        name=SESSION_CATALOG,
        metadataUri=redact(metastore) if metastore else None,
        warehouseUri=_text(conf, "spark.sql.warehouse.dir"),
        source="spark",
    )


def _named(name: str, conf: Mapping[str, str]) -> DatasetFacet:
    """A catalog that a plugin provides."""
    prefix = f"spark.sql.catalog.{name}"
    plugin = conf.get(prefix, "")
    framework = next((each for each in _FRAMEWORKS if each in plugin.lower()), "spark")
    return catalog_dataset.CatalogDatasetFacet(
        framework=framework,
        type=conf.get(f"{prefix}.type") or ("rest" if plugin.lower().endswith("rest") else framework),
        name=name,
        metadataUri=_text(conf, f"{prefix}.uri") or _text(conf, f"{prefix}.url"),
        warehouseUri=_text(conf, f"{prefix}.warehouse"),
        source="spark",
    )


def _text(conf: Mapping[str, str], key: str) -> str | None:
    return redact(conf[key]) if conf.get(key) else None
