"""The ``catalog`` facet: the catalog of a table, as the session configures it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from openlineage.client.facet_v2 import DatasetFacet, catalog_dataset

from headwater_spark.emit.facet_context import FacetContext
from headwater_spark.naming.datasets import SESSION_CATALOG, ResolvedDataset
from headwater_spark.redaction import redact

_FRAMEWORKS: Final = ("iceberg", "delta", "hudi", "paimon", "jdbc", "unity")


def catalog(context: FacetContext, dataset: ResolvedDataset) -> DatasetFacet | None:
    """The catalog of a table; None for a dataset without a catalog."""
    name = next(_catalogs(context, dataset), None)
    if name is None:
        return None
    conf = context.application.conf
    return _session(conf) if name == SESSION_CATALOG else _named(name, conf)


def _catalogs(context: FacetContext, dataset: ResolvedDataset) -> Iterator[str]:
    """Yield the catalogs of the plan's tables that are this dataset."""
    sources: list[Mapping[str, Any]] = []
    if context.lineage.target is not None and any(each.id == dataset.id for each in context.targets):
        sources.append(context.lineage.target.source)
    for index, each in enumerate(context.reads):
        if any(read.id == dataset.id for read in each):
            sources.append(context.lineage.reads[index].source)
    for source in sources:
        if source.get("kind") == "table":
            yield str((source.get("identifier") or {}).get("catalog") or SESSION_CATALOG)


def _session(conf: Mapping[str, str]) -> DatasetFacet:
    """The facet of Spark's own catalog: a Hive metastore, or a catalog in memory."""
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
    """The facet of a catalog that a plugin provides."""
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
