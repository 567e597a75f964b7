"""Personal data that are kept for longer than the organisation states.

Theory of operation
===================

A *limit* is the retention that a statement sets for a dataset. It holds for what is in that dataset, wherever it came
from, and for the attributes that it declares, wherever these went: a copy does not grow younger. The *cutoff* is the
period before the moment of the question. Data are *overdue* if they were written before it, and may still be there.

So a dataset is overdue if its *span* of such data (``spans``) has not ended. An OVERWRITE may have replaced only a
part, such as a partition, and no event says which: where data are only gone if it replaced everything, that is not
known.

What is not known is listed as a gap: this, that nothing is stated for a dataset that declares attributes, that the
statement is no period, or that no run is known to write a dataset. Deletions of single rows are not known.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from typing import Final

from headwater_backend.domain.model import DatasetKey, Incomplete, JobKey, NodeKey
from headwater_backend.ports import LineageAndRuns
from headwater_backend.privacy.exposure import AttributeExposure, ExposureReport, Ruling, exposed
from headwater_backend.privacy.exposure_search import Scope
from headwater_backend.privacy.forms import Form
from headwater_backend.privacy.held_attributes import HeldAttribute
from headwater_backend.privacy.organisation.coverage import Coverage
from headwater_backend.privacy.organisation.periods import parse_period
from headwater_backend.privacy.organisation.statements import Organisation
from headwater_backend.privacy.propagation import Propagation
from headwater_backend.privacy.retention.spans import Spans, route
from headwater_backend.privacy.retention.writes import Writes

UNSTATED_RETENTION: Final = "UNSTATED_RETENTION"
UNCLEAR_RETENTION: Final = "UNCLEAR_RETENTION"
UNKNOWN_AGE: Final = "UNKNOWN_AGE"
_HOLDING: Final = tuple(form for form in Form if form is not Form.INFLUENCED)


@dataclass(frozen=True, slots=True, order=True)
class Limit:
    """The retention that is stated for a dataset; what was written ``before`` exceeds it."""

    dataset: DatasetKey
    activity: str
    retention: str
    before: datetime


@dataclass(frozen=True, slots=True)
class Overdue:
    """A dataset that may hold data beyond a limit: the limit's own, or one for which the same activity sets none.

    A run of ``job`` wrote them at ``written`` into the first dataset of ``route``, which leads to this one. ``stated``
    is what is stated for the dataset itself, which may keep the data for another purpose.
    """

    limit: Limit
    dataset: DatasetKey
    job: JobKey
    written: datetime
    route: tuple[DatasetKey, ...]
    stated: tuple[str, ...]
    _held: tuple[tuple[AttributeExposure, NodeKey], ...]

    @property
    def held(self) -> tuple[HeldAttribute, ...]:
        """The attributes concerned, each at the path that holds it in the strongest form."""
        return tuple(
            HeldAttribute.declared(each.attribute)
            if node == each.attribute.node
            else HeldAttribute.arrived(each.attribute, each.output(node))
            for each, node in self._held
        )


@dataclass(frozen=True, slots=True)
class RetentionCheck:
    """All overdue datasets by limit, of the lineage of a moment."""

    report: ExposureReport
    limits: tuple[Limit, ...]
    overdue: tuple[Overdue, ...]
    unknown: tuple[Incomplete, ...]
    """What is not known of retention and of times."""

    @property
    def incomplete(self) -> tuple[Incomplete, ...]:
        """All that is not known, of lineage as well."""
        return (*self.report.incomplete, *self.unknown)


def retention(
    store: LineageAndRuns, scope: Scope, ruling: Ruling, organisation: Organisation
) -> RetentionCheck:
    """Where data of the scope are kept for longer than stated. Raises what ``exposed`` raises."""
    return checked(store, exposed(store, scope, ruling), organisation)


def checked(store: LineageAndRuns, report: ExposureReport, organisation: Organisation) -> RetentionCheck:
    """Where the data of an exposure are kept for longer than stated."""
    if not report.attributes:
        return RetentionCheck(report, (), (), ())
    return _Check(store, report, organisation).result()


class _Check:
    """A check of one exposure."""

    def __init__(self, store: LineageAndRuns, report: ExposureReport, organisation: Organisation) -> None:
        self._report = report
        self._propagation: Propagation = report.attributes[0].propagation
        self._reached = frozenset(self._propagation.nodes())
        self._coverage = Coverage(organisation, self._propagation)
        self._unclear: list[Incomplete] = []
        self._overwritten: set[DatasetKey] = set()
        """The datasets that hold what is overdue, unless an overwrite replaced all of it."""
        self._limits = [limit for key in sorted(self._strongest) for limit in self._limits_of(key)]
        self._writes = Writes(store, self._strongest, report.as_of)
        spans = partial(Spans, self._writes, self._declared, self._holders, self._flows)
        self._spans, self._certain = spans(), spans(certain=True)
        for moment in sorted({limit.before for limit in self._limits}):
            self._writes.look_up(sorted(self._strongest), moment)

    def result(self) -> RetentionCheck:
        found = [each for limit in self._limits for each in self._overdue(limit)]
        listed = {each.dataset for each in found}
        overwritten = sorted(self._overwritten - listed)
        unknown = (*self._unclear, *self._of_unknown_age(), *map(_in_part, overwritten))
        return RetentionCheck(self._report, tuple(self._limits), tuple(found), unknown)

    @cached_property
    def _declared(self) -> Mapping[DatasetKey, int]:
        """The attributes that each dataset declares, as bits."""
        found: dict[DatasetKey, int] = defaultdict(int)
        for each in self._report.attributes:
            found[each.attribute.node.dataset] |= 1 << each.place
        return found

    @cached_property
    def _strongest(self) -> Mapping[DatasetKey, Mapping[int, NodeKey]]:
        """For each dataset and attribute there, the path that holds it in the strongest form."""
        found: dict[DatasetKey, dict[int, NodeKey]] = defaultdict(dict)
        for each in self._report.attributes:
            node = each.attribute.node
            found[node.dataset][each.place] = node
            for holder in each.holders:
                if self._bits(holder) >> each.place & 1:
                    found[holder.dataset].setdefault(each.place, holder)
        return found

    @cached_property
    def _sources(self) -> Mapping[DatasetKey, frozenset[DatasetKey]]:
        """For each dataset, those that declare what it holds."""
        attributes = self._report.attributes
        return {
            dataset: frozenset(attributes[place].attribute.node.dataset for place in held)
            for dataset, held in self._strongest.items()
        }

    @cached_property
    def _holders(self) -> Mapping[DatasetKey, Sequence[DatasetKey]]:
        """For each dataset that declares attributes, those that hold them, itself among them."""
        found: dict[DatasetKey, list[DatasetKey]] = defaultdict(list)
        for dataset, sources in self._sources.items():
            for source in sources:
                found[source].append(dataset)
        return found

    @cached_property
    def _stated(self) -> frozenset[tuple[DatasetKey, str, datetime]]:
        """The datasets, activities and cutoffs of all limits."""
        return frozenset((limit.dataset, limit.activity, limit.before) for limit in self._limits)

    @cached_property
    def _flows(self) -> Mapping[DatasetKey, Mapping[DatasetKey, int]]:
        """From each dataset, the datasets into which values of attributes go, with these as bits."""
        found: dict[DatasetKey, dict[DatasetKey, int]] = defaultdict(lambda: defaultdict(int))
        for node, fan in self._propagation.flows():
            bits = self._bits(node)
            for far in fan.fars:
                if far.dataset != node.dataset:
                    found[node.dataset][far.dataset] |= bits & self._bits(far)
        return found

    def _bits(self, node: NodeKey) -> int:
        """The attributes that the node holds, as bits."""
        return self._propagation.holding_as(node, _HOLDING) if node in self._reached else 0

    def _limits_of(self, dataset: DatasetKey) -> Iterator[Limit]:
        statements = [each for each in self._coverage.statements_of(dataset) if each.retention]
        if not statements and dataset in self._declared:
            detail = "no statement of the organisation says for how long personal data that are declared here are kept"
            self._unclear.append(Incomplete(UNSTATED_RETENTION, dataset, detail=detail))
        for each in statements:
            period = parse_period(each.retention)
            if period is None:
                detail = f"{each.retention!r} is no period such as 90 days, so it is not known when it ends"
                self._unclear.append(Incomplete(UNCLEAR_RETENTION, dataset, detail=detail))
            else:
                yield Limit(dataset, each.activity, each.retention, period.before(self._report.as_of))

    def _overdue(self, limit: Limit) -> Iterator[Overdue]:
        concerned = {limit.dataset: self._sources[limit.dataset]}
        if limit.dataset in self._declared:
            concerned |= {
                each: frozenset({limit.dataset})
                for each in self._holders[limit.dataset]
                if each != limit.dataset and (each, limit.activity, limit.before) not in self._stated
            }
        for dataset in sorted(concerned):
            sources = sorted(concerned[dataset])
            still = [each for each in sources if self._may_hold(self._spans, dataset, each, limit)]
            if any(self._may_hold(self._certain, dataset, each, limit) for each in sources):
                self._overwritten.add(dataset)
            if still:
                yield self._found(limit, dataset, still)

    def _may_hold(self, spans: Spans, dataset: DatasetKey, source: DatasetKey, limit: Limit) -> bool:
        """Whether the dataset may hold data of that source now that were written before the limit."""
        span = spans.of(source, limit.before).get(dataset)
        return span is not None and span.until is None and dataset in self._writes.existing

    def _found(self, limit: Limit, dataset: DatasetKey, sources: Sequence[DatasetKey]) -> Overdue:
        spans = min(
            (self._spans.of(each, limit.before) for each in sources), key=lambda each: each[dataset].written
        )
        attributes = self._report.attributes
        held = (
            (attributes[place], node)
            for place, node in sorted(self._strongest[dataset].items())
            if attributes[place].attribute.node.dataset in sources
        )
        stated = (each.retention for each in self._coverage.statements_of(dataset) if each.retention)
        span = spans[dataset]
        way = tuple(route(dataset, spans))
        return Overdue(limit, dataset, span.job, span.written, way, tuple(stated), tuple(held))

    def _of_unknown_age(self) -> Iterator[Incomplete]:
        """A gap for each dataset that limits apply to, and that no run is known to write."""
        concerned = {
            each for limit in self._limits for each in (limit.dataset, *self._holders.get(limit.dataset, ()))
        }
        for dataset in sorted(concerned & self._writes.existing):
            if self._writes.last(dataset) is None:
                detail = "no run is known that writes it, so it is not known how old the data in it are"
                yield Incomplete(UNKNOWN_AGE, dataset, detail=detail)


def _in_part(dataset: DatasetKey) -> Incomplete:
    """The gap of a dataset in which nothing is overdue only if overwrites replaced everything."""
    detail = "an overwrite, here or where the data came from, may have replaced only a part of older data"
    return Incomplete(UNKNOWN_AGE, dataset, detail=detail)
