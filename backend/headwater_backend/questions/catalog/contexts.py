"""Uses of a path by what it is used for, and by which paths are used for what beside it.

A *use* is that a job takes a path to make a dataset: as a value, or to decide about rows or values. Paths are used
together where one job makes one dataset of both, in one version of its lineage; or, closer, where what they make or
decide about has a path in common.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from itertools import chain
from typing import Final, NamedTuple

from headwater_backend.domain.errors import BadQuestion
from headwater_backend.domain.model import (
    DatasetKey,
    Direction,
    Fan,
    Incomplete,
    JobKey,
    NodeKey,
    PathSteps,
    Transformation,
)
from headwater_backend.ports import CataloguedGraph
from headwater_backend.questions.closure import gaps_in_order, missing, possible_outputs
from headwater_backend.questions.resolving import labels, resolve_node
from headwater_backend.questions.traversal import ALL_TYPES, Bounds, explore
from headwater_facets.kinds import Subtype

MOST_TOGETHER: Final = 20


class Use(str, Enum):
    """What a path is used for; AGGREGATE is VALUE, too."""

    VALUE = "VALUE"
    AGGREGATE = "AGGREGATE"
    FILTER = "FILTER"
    JOIN = "JOIN"
    GROUP_KEY = "GROUP_KEY"
    SORT = "SORT"
    WINDOW = "WINDOW"
    CONDITION = "CONDITION"
    OTHER = "OTHER"


class Within(str, Enum):
    """Where paths are together: in what makes a dataset, or in what makes one path of it or decides about it."""

    WRITE = "WRITE"
    PATH = "PATH"


_USES: Final[Mapping[str, tuple[Use, ...]]] = {
    Subtype.IDENTITY: (Use.VALUE,),
    Subtype.TRANSFORMATION: (Use.VALUE,),
    Subtype.AGGREGATION: (Use.VALUE, Use.AGGREGATE),
    Subtype.FILTER: (Use.FILTER,),
    Subtype.JOIN: (Use.JOIN,),
    Subtype.GROUP_BY: (Use.GROUP_KEY,),
    Subtype.SORT: (Use.SORT,),
    Subtype.WINDOW: (Use.WINDOW,),
    Subtype.CONDITIONAL: (Use.CONDITION,),
}


class Wanted(NamedTuple):
    """A path, or a whole dataset, and what it has to be used for; for anything, if nothing is given."""

    node: NodeKey
    uses: frozenset[Use] = frozenset()


@dataclass(frozen=True, slots=True)
class PathUse:
    """A path and what it is used for; ``targets`` are the paths that it makes or decides about: the empty path, if all.

    ``functions`` are those that make a value of it.
    """

    node: NodeKey
    uses: tuple[Use, ...]
    targets: tuple[NodeKey, ...]
    functions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Context:
    """A job that makes a dataset of the path in question, and of all others that were asked for, in their order."""

    job: JobKey
    output: DatasetKey
    of: tuple[PathUse, ...]
    together: tuple[tuple[PathUse, ...], ...]


@dataclass(frozen=True, slots=True)
class Contexts:
    """The contexts by job and dataset, and texts for all paths in them."""

    contexts: tuple[Context, ...]
    labels: Mapping[NodeKey, str]
    incomplete: tuple[Incomplete, ...]

    @property
    def complete(self) -> bool:
        return not self.incomplete


Made = tuple[JobKey, DatasetKey, str]
"""A job, what it makes, and the version of its lineage."""


def usages(
    store: CataloguedGraph,
    of: Wanted,
    together: Sequence[Wanted] = (),
    within: Within = Within.WRITE,
    as_of: datetime | None = None,
) -> Contexts:
    """The uses of a path in which all the others are used with it.

    Raises ``UnknownDataset`` and ``UnknownPath`` with the nearest names, ``BadQuestion`` for too many others, and
    ``StoreUnavailable``.
    """
    if len(together) > MOST_TOGETHER:
        raise BadQuestion(
            f"{len(together)} paths are asked for together", f"ask for up to {MOST_TOGETHER} at once"
        )
    found = [_found(store, each, as_of) for each in (of, *together)]
    contexts = _contexts([uses for uses, _ in found], within)
    nodes = {
        node
        for context in contexts
        for use in chain(context.of, *context.together)
        for node in (use.node, *use.targets)
    }
    gaps = gaps_in_order({gap for _, missed in found for gap in missed})
    return Contexts(tuple(contexts), labels(store, sorted(nodes)), gaps)


def _found(
    store: CataloguedGraph, wanted: Wanted, as_of: datetime | None
) -> tuple[Mapping[Made, list[PathUse]], list[Incomplete]]:
    """The uses of a path by what is made, and what is not known of them."""
    start = resolve_node(store, wanted.node)
    found = explore(store, [start], Direction.FORWARD, ALL_TYPES, Bounds(depth=1, as_of=as_of))
    fans: dict[tuple[Made, NodeKey], list[Fan]] = defaultdict(list)
    for fan in dict.fromkeys(chain.from_iterable(found.fans.values())):
        if fan.near.dataset == start.dataset:
            for output in {far.dataset for far in fan.fars}:
                fans[(fan.job, output, fan.version), fan.near].append(fan)
    uses: dict[Made, list[PathUse]] = defaultdict(list)
    for (made, node), some in sorted(fans.items(), key=lambda each: each[0]):
        use = _use(node, made[1], some, wanted.uses)
        if use is not None:
            uses[made].append(use)
    gaps = missing(store, found, possible_outputs(store, found))
    return uses, [gap for gap in gaps if gap.reason != "DEPTH"]


def _use(node: NodeKey, output: DatasetKey, fans: Iterable[Fan], wanted: Collection[Use]) -> PathUse | None:
    uses: dict[Use, None] = {}
    targets: set[NodeKey] = set()
    functions: dict[str, None] = {}
    for fan in fans:
        kinds = [each for each in fan.transformations if not wanted or set(_uses(each)) & set(wanted)]
        if kinds:
            uses.update(dict.fromkeys(chain.from_iterable(map(_uses, kinds))))
            functions.update(dict.fromkeys(chain.from_iterable(each.functions for each in kinds)))
            targets |= {far for far in fan.fars if far.dataset == output}
    if not targets:
        return None
    return PathUse(
        node, tuple(each for each in Use if each in uses), tuple(sorted(targets)), tuple(functions)
    )


def _uses(kind: Transformation) -> tuple[Use, ...]:
    return _USES.get(kind.subtype, (Use.OTHER,))


def _contexts(found: Sequence[Mapping[Made, list[PathUse]]], within: Within) -> list[Context]:
    first, *others = found
    listed: dict[tuple[JobKey, DatasetKey], list[list[PathUse]]] = {}
    for made, uses in sorted(first.items(), key=lambda each: each[0]):
        groups = [uses, *(each.get(made, []) for each in others)]
        near = groups if within is Within.WRITE else _near(groups)
        if all(near):
            known = listed.setdefault(made[:2], [[] for _ in near])
            for before, more in zip(known, near, strict=True):
                before += [use for use in more if use not in before]
    return [
        Context(job, output, tuple(groups[0]), tuple(map(tuple, groups[1:])))
        for (job, output), groups in listed.items()
    ]


def _near(groups: Sequence[Sequence[PathUse]]) -> list[list[PathUse]]:
    """Of the uses, those of paths that are made or decided by a use of each group; all rows are all paths."""
    paths = {target.path for group in groups for use in group for target in use.targets}
    shared = [path for path in paths if all(any(_is_about(use, path) for use in group) for group in groups)]
    return [[use for use in group if any(_is_about(use, path) for path in shared)] for group in groups]


def _is_about(use: PathUse, path: PathSteps) -> bool:
    """Whether it makes or decides the path, or one around it."""
    return any(path[: len(target.path)] == target.path for target in use.targets)
