"""Which datasets have no inputs, which are not read, and which exist."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Set
from typing import NamedTuple


class Deciding(NamedTuple):
    """A version that decides the lineage of an output, the newest run that reported it, and when, and by whom, a
    correction was received, beside which it does.
    """

    output: str
    job: str
    version: str
    run: str
    cleared: int | None = None
    cleared_by: str = ""


class Input(NamedTuple):
    """A run read a dataset from ``first`` on, as was ``known`` since then."""

    run: str
    dataset: str
    first: int
    known: int


class FarEnd(NamedTuple):
    """A version has an edge from a path of ``dataset``."""

    version: str
    dataset: str


def inputs_then(inputs: Iterable[Input], at: int, known: int) -> dict[str, set[str]]:
    """The datasets that each run had read by the moment ``at``, of what had been received when ``known``."""
    found: dict[str, set[str]] = {}
    for each in inputs:
        if each.first <= at and each.known <= known:
            found.setdefault(each.run, set()).add(each.dataset)
    return found


def fed_by_runs(
    deciding: Iterable[Deciding], inputs: Mapping[str, Set[str]], own: Mapping[str, str]
) -> set[str]:
    """The datasets for which a deciding run read another; ``own`` leads from their names to the canonical ones."""
    return {
        own[each.output]
        for each in deciding
        if any(own.get(read) != own[each.output] for read in inputs.get(each.run, ()))
    }


def fed_by_edges(deciding: Iterable[Deciding], edges: Iterable[FarEnd], own: Mapping[str, str]) -> set[str]:
    """The datasets into which a deciding version leads from another."""
    outputs: dict[str, set[str]] = {}
    for each in deciding:
        outputs.setdefault(each.version, set()).add(own[each.output])
    return {
        output
        for edge in edges
        for output in outputs.get(edge.version, ())
        if own.get(edge.dataset) != output
    }


class LastUse(NamedTuple):
    """When a dataset was last used in that direction (``INPUT``, ``OUTPUT``): by runs, or as job events declare."""

    dataset: str
    direction: str
    by_runs: bool
    last: int


class Last(NamedTuple):
    """When runs last read and wrote a dataset."""

    read: int | None = None
    written: int | None = None


def last_used(rows: Iterable[LastUse]) -> dict[str, Last]:
    """When runs last used each dataset. What job events declare is no use."""
    found: dict[str, dict[str, int]] = {}
    for row in rows:
        if row.by_runs:
            times = found.setdefault(row.dataset, {})
            times[row.direction] = max(row.last, times.get(row.direction, row.last))
    return {key: Last(times.get("INPUT"), times.get("OUTPUT")) for key, times in found.items()}


def is_unread(last: Last, since: int) -> bool:
    """Whether no run read it from that moment on."""
    return last.read is None or last.read < since


class Span(NamedTuple):
    """The canonical key of the dataset that is asked for as ``asked``, and when it was first known."""

    asked: str
    own: str
    first: int


def existing(
    spans: Iterable[Span], gone: Collection[str], written: Collection[str], at: int
) -> dict[str, str]:
    """The datasets that exist at the moment, by the key asked for: known by then, and unless they have lineage then
    (``written``), not among those that are ``gone``.
    """
    lost = set(gone).difference(written)
    return {span.asked: span.own for span in spans if span.first <= at and span.own not in lost}
