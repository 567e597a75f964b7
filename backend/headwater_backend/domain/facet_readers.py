"""Readers of well-known facets: from a facet's verbatim JSON to typed values.

Facets come from any producer. Whatever has another shape than the standard's is skipped here, and stays in the
verbatim facets.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from headwater_backend.domain.model import Conditions, DatasetKey, JobKey, RunKey
from headwater_backend.domain.moments import micros
from headwater_facets.kinds import Replaced
from headwater_facets.schemas import EXTENT, FUNCTIONS, RECORDS, SPLIT

if TYPE_CHECKING:
    from headwater_facets.facets import FunctionsJobFacet, RecordsRunFacet, SplitJobFacet, UserFunction

Facets = Mapping[str, Any]

REPLACING: Final = ("CREATE", "OVERWRITE", "TRUNCATE")
"""The changes that may replace what a dataset holds."""

PARENT_CLAIM: Final = "parentClaim"
"""The name under which a ``parent`` facet is kept whose parent the sender may not write."""
_FILES: Final = "files"
_ROWS: Final = "rows"
_LINE = re.compile(r"#(?:L|lines-)(\d{1,9})\b")
_LARGEST = 2**63
_LARGEST_FLOAT = sys.float_info.max


class Owner(NamedTuple):
    """A person or team responsible for a dataset or a job; ``type`` is such as MAINTAINER."""

    name: str
    type: str | None


class Tag(NamedTuple):
    """A tag of a dataset, a job or a run as a whole, or of the dataset's ``field``."""

    key: str
    value: str
    field: str | None


class Program(NamedTuple):
    """What a job executes, and where that is written; addresses are the sender's, and may be no web pages."""

    sql: str | None
    dialect: str | None
    url: str | None
    repository: str | None
    path: str | None
    version: str | None
    branch: str | None
    line: int | None


class Statistics(NamedTuple):
    """How much a run read or wrote: rows, bytes and files; None for what is not reported."""

    rows: int | None = None
    size: int | None = None
    files: int | None = None


class Figures(NamedTuple):
    """The number of a directory's files, and their size in bytes."""

    files: int
    size: int


@dataclass(frozen=True, slots=True)
class ColumnMetrics:
    """Measurements of the values of a column; ``quantiles`` by their share, such as 0.5."""

    column: str
    null_count: int | None = None
    distinct_count: int | None = None
    sum: float | None = None
    count: float | None = None
    min: float | None = None
    max: float | None = None
    quantiles: tuple[tuple[str, float], ...] = ()


class QualityMetrics(NamedTuple):
    """Measurements of a dataset, of all rows and of columns; the times are the facet's own text."""

    rows: int | None
    size: int | None
    files: int | None
    last_updated: str | None
    captured: str | None
    columns: tuple[ColumnMetrics, ...]


class Assertion(NamedTuple):
    """A test of a dataset, or of its ``column``, with its result."""

    assertion: str
    success: bool
    column: str | None = None
    severity: str | None = None
    name: str | None = None
    description: str | None = None
    expected: str | None = None
    actual: str | None = None


class TestExecution(NamedTuple):
    """A test that a run executed; ``status`` is pass, fail or skip."""

    name: str
    status: str
    severity: str | None = None
    type: str | None = None
    description: str | None = None
    expected: str | None = None
    actual: str | None = None


def owners(facets: Facets) -> tuple[Owner, ...]:
    """The ``ownership`` of a dataset or a job, in the facet's order."""
    entries = _objects(_facet(facets, "ownership").get("owners"))
    return tuple(Owner(name, _text(entry, "type")) for entry in entries if (name := _text(entry, "name")))


def description(facets: Facets) -> str | None:
    """The ``documentation`` of a dataset or a job."""
    return _text(_facet(facets, "documentation"), "description")


def program(facets: Facets) -> Program | None:
    """What a job executes (``sql``, or else ``sourceCode``), and where that is (``sourceCodeLocation``)."""
    sql, code, place = (_facet(facets, name) for name in ("sql", "sourceCode", "sourceCodeLocation"))
    url = _text(place, "url")
    line = _LINE.search(url or "")
    found = Program(
        _text(sql, "query") or _text(code, "sourceCode"),
        _text(sql, "dialect") or _text(code, "language"),
        url,
        _text(place, "repoUrl"),
        _text(place, "path"),
        _text(place, "version"),
        _text(place, "branch"),
        int(line[1]) if line else None,
    )
    return found if any(found) else None


@lru_cache(maxsize=1_024)
def conditions(text: str) -> Conditions:
    """The conditions with that text: what is read of them is kept for the next question."""
    return Conditions(text)


def user_functions(facets: Facets) -> Sequence[UserFunction]:
    """What ``headwater_functions`` says of a job's user functions; none where it has another shape."""
    found: FunctionsJobFacet | None = _own(facets, FUNCTIONS)
    return tuple(found.functions) if found else ()


def records(facets: Facets) -> RecordsRunFacet | None:
    """Where a run kept which records made what it wrote (``headwater_records``); None where it has another shape."""
    found: RecordsRunFacet | None = _own(facets, RECORDS)
    return found


def split(facets: Facets) -> SplitJobFacet | None:
    """How a job is split along a boundary of regions (``headwater_split``); None where it has another shape."""
    found: SplitJobFacet | None = _own(facets, SPLIT)
    return found


def _own(facets: Facets, key: str) -> Any:
    """The facet of Headwater's own with that key, read; None where there is none, or it has another shape."""
    facet = facets.get(key)
    if not isinstance(facet, Mapping):
        return None
    from headwater_facets.codec import READERS, FacetError  # noqa: PLC0415 - slow to import, and few jobs and runs have one

    try:
        return READERS[key](facet)
    except FacetError:
        return None


def tags(facets: Facets) -> tuple[Tag, ...]:
    """The ``tags`` of a dataset, a job or a run, in the facet's order."""
    entries = _objects(_facet(facets, "tags").get("tags"))
    return tuple(
        Tag(key, str(entry.get("value", "")), _text(entry, "field"))
        for entry in entries
        if (key := _text(entry, "key"))
    )


def table_name(facets: Facets) -> str | None:
    """The name of the table that a dataset's files belong to, of its symlinks."""
    identifiers = _objects(_facet(facets, "symlinks").get("identifiers"))
    return next((_text(each, "name") for each in identifiers if each.get("type") == "TABLE"), None)


def file_format(facets: Facets) -> str | None:
    """The format of a dataset's files, of its storage."""
    return _text(_facet(facets, "storage"), "fileFormat")


def version(facets: Facets) -> str | None:
    """The version of a dataset (``version`` facet)."""
    return _text(_facet(facets, "version"), "datasetVersion")


def error(facets: Facets) -> str | None:
    """The error message of a failed run (``errorMessage`` facet)."""
    return _text(_facet(facets, "errorMessage"), "message")


def statistics(facets: Facets) -> Statistics:
    """A run's statistics of one of its inputs or outputs (``inputStatistics``, ``outputStatistics``)."""
    facet = _facet(facets, "outputStatistics") or _facet(facets, "inputStatistics")
    return Statistics(*(_count(facet, key) for key in ("rowCount", "size", "fileCount")))


def quality(facets: Facets) -> QualityMetrics | None:
    """Measurements of a dataset, or by a run of its input or output (``dataQualityMetrics``)."""
    facet = _facet(facets, "dataQualityMetrics")
    if not facet:
        return None
    columns = _facet(facet, "columnMetrics")
    return QualityMetrics(
        rows=_count(facet, "rowCount"),
        size=_count(facet, "bytes"),
        files=_count(facet, "fileCount"),
        last_updated=_text(facet, "lastUpdated"),
        captured=_text(facet, "captureDate"),
        columns=tuple(_column(name, each) for name, each in columns.items() if isinstance(each, Mapping)),
    )


def assertions(facets: Facets) -> tuple[Assertion, ...]:
    """The tests of a dataset with their results (``dataQualityAssertions``), in the facet's order."""
    entries = _objects(_facet(facets, "dataQualityAssertions").get("assertions"))
    more = ("column", "severity", "name", "description", "expected", "actual")
    return tuple(
        Assertion(assertion, entry["success"], *(_text(entry, key) for key in more))
        for entry in entries
        if (assertion := _text(entry, "assertion")) and isinstance(entry.get("success"), bool)
    )


def tests(facets: Facets) -> tuple[TestExecution, ...]:
    """The tests that a run executed (``test``), in the facet's order."""
    entries = _objects(_facet(facets, "test").get("tests"))
    more = ("severity", "type", "description", "expected", "actual")
    return tuple(
        TestExecution(name, status, *(_text(entry, key) for key in more))
        for entry in entries
        if (name := _text(entry, "name")) and (status := _text(entry, "status"))
    )


def parent(facets: Facets) -> RunKey | None:
    """The run that started this one (``parent`` facet)."""
    return _run(_facet(facets, "parent"))


def claimed_parent(facets: Facets) -> RunKey | None:
    """The run of somebody else that started this one, according to its sender (``PARENT_CLAIM``)."""
    return _run(_facet(facets, PARENT_CLAIM))


def parent_run_id(facet: Any) -> str | None:
    """The id of the run that a ``parent`` facet names, in lower case."""
    known = facet if isinstance(facet, Mapping) else {}
    run_id = _text(_facet(known, "run"), "runId")
    return run_id.lower() if run_id else None


def root(facets: Facets) -> RunKey | None:
    """The outermost run above this one (``parent`` facet); the parent's, where the facet names no root."""
    facet = _facet(facets, "parent")
    return _run(facet.get("root")) or _run(facet)


def state_change(facet: Any) -> tuple[str, DatasetKey | None] | None:
    """The change in a ``lifecycleStateChange`` facet, and the dataset's name before it."""
    known = facet if isinstance(facet, Mapping) else {}
    change = _text(known, "lifecycleStateChange")
    previous = known.get("previousIdentifier")
    names = previous if isinstance(previous, Mapping) else {}
    namespace, name = _text(names, "namespace"), _text(names, "name")
    before = DatasetKey(namespace, name) if namespace is not None and name is not None else None
    return (change, before) if change else None


def replaced(facets: Facets) -> str:
    """How much of a dataset a write replaced: a word of ``Replaced``, or empty where it is not known."""
    change = _text(_facet(facets, "lifecycleStateChange"), "lifecycleStateChange")
    found = _text(_facet(facets, EXTENT), "replaced")
    return found if found == Replaced.NONE or (change in REPLACING and found in tuple(Replaced)) else ""


def found_data(facets: Facets) -> bool:
    """Whether a run found data in a dataset that its application had not written, and left them."""
    return _facet(facets, EXTENT).get("found") is True


def extent_state(facets: Facets, name: str) -> str | None:
    """The state in which a run found what it left in a dataset (``base``), or in which it left it (``state``): a text
    with its version, or with the figures of its files or rows. Empty for nothing, None where it is not stated.
    """
    return _state(_facet(facets, EXTENT).get(name))


def states_read(facets: Facets) -> list[str]:
    """The states in which a run read an input, as such texts; none where that is not stated."""
    states = map(_state, _objects(_facet(facets, EXTENT).get("bases")))
    return sorted({state for state in states if state is not None})


def _state(stated: Any) -> str | None:
    if not isinstance(stated, Mapping):
        return None
    version, files, size = _text(stated, "version"), _count(stated, "files"), _count(stated, "size")
    if version:
        return f"version {version}"
    if (rows := _count(stated, "rows")) is not None:
        return f"{_ROWS} {rows}" if rows else ""
    if files is None or size is None:
        return None if stated else ""
    return f"{_FILES} {files} {size}" if files else ""


def figures(state: str) -> Figures | None:
    """The figures in a state of files; None for that of a table with versions."""
    kind, *numbers = state.split(" ")
    return Figures(*map(int, numbers)) if kind == _FILES else None


def rows(state: str) -> int | None:
    """The number of rows in a state of a table of a database; None for any other."""
    kind, *numbers = state.split(" ")
    return int(numbers[0]) if kind == _ROWS else None


def _run(entry: Any) -> RunKey | None:
    if not isinstance(entry, Mapping):
        return None
    job, run = _facet(entry, "job"), _facet(entry, "run")
    namespace, name, run_id = _text(job, "namespace"), _text(job, "name"), _text(run, "runId")
    if namespace is None or name is None or run_id is None:
        return None
    return RunKey(JobKey(namespace, name), run_id.lower())


def _column(name: str, metrics: Mapping[str, Any]) -> ColumnMetrics:
    quantiles = _facet(metrics, "quantiles")
    known = ((share, _number(quantiles, share)) for share in quantiles)
    return ColumnMetrics(
        name,
        null_count=_count(metrics, "nullCount"),
        distinct_count=_count(metrics, "distinctCount"),
        sum=_number(metrics, "sum"),
        count=_number(metrics, "count"),
        min=_number(metrics, "min"),
        max=_number(metrics, "max"),
        quantiles=tuple((share, value) for share, value in known if value is not None),
    )


def _facet(facets: Facets, name: str) -> Mapping[str, Any]:
    found = facets.get(name)
    return found if isinstance(found, Mapping) else {}


def _objects(entries: Any) -> list[Mapping[str, Any]]:
    return [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []


def _text(entry: Mapping[str, Any], key: str) -> str | None:
    value = entry.get(key)
    return value if isinstance(value, str) else None


def _count(entry: Mapping[str, Any], key: str) -> int | None:
    value = entry.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _LARGEST else None


def _number(entry: Mapping[str, Any], key: str) -> float | None:
    value = entry.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) <= _LARGEST_FLOAT else None


def time_of(value: Any) -> int | None:
    """The microseconds of an ISO date-time; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        return micros(datetime.fromisoformat(value.replace("Z", "+00:00")))
    except ValueError:
        return None
