"""Data quality metrics and test results in GraphQL, read from facets by ``domain.facet_readers``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_backend.domain import facet_readers
from headwater_graphql.engine import definitions
from headwater_graphql.engine.scalars import Long, maybe_long


@definitions.object_type(
    description="A quantile: the value below which this share of a column's values lies."
)
class Quantile:
    share: str
    value: float


@definitions.object_type(description="Metrics of a column.")
class ColumnMetrics:
    column: str
    null_count: Long | None
    distinct_count: Long | None
    sum: float | None
    count: float | None
    min: float | None
    max: float | None
    quantiles: list[Quantile]

    @classmethod
    def of(cls, metrics: facet_readers.ColumnMetrics) -> ColumnMetrics:
        return cls(
            column=metrics.column,
            null_count=maybe_long(metrics.null_count),
            distinct_count=maybe_long(metrics.distinct_count),
            sum=metrics.sum,
            count=metrics.count,
            min=metrics.min,
            max=metrics.max,
            quantiles=[Quantile(share=share, value=value) for share, value in metrics.quantiles],
        )


@definitions.object_type(description="Metrics of a dataset, from the `dataQualityMetrics` facet.")
class DataQualityMetrics:
    rows: Long | None = definitions.field(description="Number of rows measured.")
    bytes: Long | None
    files: Long | None
    last_updated: str | None = definitions.field(
        description="When the dataset was last changed, as reported."
    )
    captured: str | None = definitions.field(description="When the metrics were taken, as reported.")
    columns: list[ColumnMetrics]

    @classmethod
    def of(cls, facets: Mapping[str, Any]) -> DataQualityMetrics | None:
        metrics = facet_readers.quality(facets)
        return metrics and cls(
            rows=maybe_long(metrics.rows),
            bytes=maybe_long(metrics.size),
            files=maybe_long(metrics.files),
            last_updated=metrics.last_updated,
            captured=metrics.captured,
            columns=[ColumnMetrics.of(each) for each in metrics.columns],
        )


@definitions.object_type(description="A test of a dataset or column, from the `dataQualityAssertions` facet.")
class Assertion:
    assertion: str = definitions.field(description="The kind of test, such as not_null.")
    success: bool
    column: str | None = definitions.field(description="Null if the whole dataset is tested.")
    severity: str | None
    name: str | None
    description: str | None
    expected: str | None
    actual: str | None

    @classmethod
    def all(cls, facets: Mapping[str, Any]) -> list[Assertion]:
        return [cls(**each._asdict()) for each in facet_readers.assertions(facets)]


@definitions.object_type(description="A test executed by a run, from the `test` facet.")
class TestExecution:
    name: str
    status: str = definitions.field(description="pass, fail or skip.")
    severity: str | None = definitions.field(description="error if a failure stops the pipeline, or warn.")
    type: str | None
    description: str | None
    expected: str | None
    actual: str | None

    @classmethod
    def all(cls, facets: Mapping[str, Any]) -> list[TestExecution]:
        return [cls(**each._asdict()) for each in facet_readers.tests(facets)]
