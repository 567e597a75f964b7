"""What was measured and tested of datasets, in GraphQL, as ``domain.facet_readers`` reads it out of facets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headwater_backend.domain import facet_readers
from headwater_graphql.engine import declare
from headwater_graphql.engine.scalars import Long, maybe_long


@declare.object_type(description="The value below which this share of a column's values lies.")
class Quantile:
    share: str
    value: float


@declare.object_type(description="What was measured of the values of a column.")
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
    def of(cls, told: facet_readers.ColumnMetrics) -> ColumnMetrics:
        return cls(
            column=told.column,
            null_count=maybe_long(told.null_count),
            distinct_count=maybe_long(told.distinct_count),
            sum=told.sum,
            count=told.count,
            min=told.min,
            max=told.max,
            quantiles=[Quantile(share=share, value=value) for share, value in told.quantiles],
        )


@declare.object_type(description="What was measured of a dataset, as the `dataQualityMetrics` facet says.")
class DataQualityMetrics:
    rows: Long | None = declare.field(description="How many were looked at.")
    bytes: Long | None
    files: Long | None
    last_updated: str | None = declare.field(description="When the dataset was changed, as it was told.")
    captured: str | None = declare.field(description="When this was measured, as it was told.")
    columns: list[ColumnMetrics]

    @classmethod
    def of(cls, facets: Mapping[str, Any]) -> DataQualityMetrics | None:
        told = facet_readers.quality(facets)
        return told and cls(
            rows=maybe_long(told.rows),
            bytes=maybe_long(told.size),
            files=maybe_long(told.files),
            last_updated=told.last_updated,
            captured=told.captured,
            columns=[ColumnMetrics.of(each) for each in told.columns],
        )


@declare.object_type(
    description="A test of a dataset or a column, as the `dataQualityAssertions` facet says."
)
class Assertion:
    assertion: str = declare.field(description="What is tested, such as not_null.")
    success: bool
    column: str | None = declare.field(description="None where the dataset as a whole is tested.")
    severity: str | None
    name: str | None
    description: str | None
    expected: str | None
    actual: str | None

    @classmethod
    def all(cls, facets: Mapping[str, Any]) -> list[Assertion]:
        return [cls(**told._asdict()) for told in facet_readers.assertions(facets)]


@declare.object_type(description="A test that a run executed, as the `test` facet says.")
class TestExecution:
    name: str
    status: str = declare.field(description="pass, fail or skip.")
    severity: str | None = declare.field(description="error where a failure stops the pipeline, or warn.")
    type: str | None
    description: str | None
    expected: str | None
    actual: str | None

    @classmethod
    def all(cls, facets: Mapping[str, Any]) -> list[TestExecution]:
        return [cls(**told._asdict()) for told in facet_readers.tests(facets)]
