"""The gaps of each attribute in an exposure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby
from typing import Final

from headwater_backend.copies.gaps import possible_copies
from headwater_backend.copies.matching import ProbableCopy
from headwater_backend.domain.model import (
    AFTER_THE_FACT,
    EARLIER_LINEAGE,
    SCHEMA_DRIFT,
    DatasetKey,
    Direction,
    Incomplete,
    NodeKey,
)
from headwater_backend.ports import PathGraph
from headwater_backend.privacy.exposure_search import comparable
from headwater_backend.privacy.propagation import Propagation, places
from headwater_backend.questions.closure import concerns_all, gaps_in_order
from headwater_backend.questions.traversal import Exploration

_AT_A_PATH: Final = (SCHEMA_DRIFT, EARLIER_LINEAGE, AFTER_THE_FACT)
"""The reasons of gaps behind one path of a dataset."""


class Gaps:
    """The gaps of each attribute, whose places are bits as in the propagation."""

    def __init__(
        self,
        store: PathGraph,
        found: Exploration,
        propagation: Propagation,
        copies: Iterable[ProbableCopy] = (),
    ) -> None:
        self._found = found
        self._propagation = propagation
        self._nodes: dict[DatasetKey, list[NodeKey]] = defaultdict(list)
        for node in propagation.nodes():
            self._nodes[node.dataset].append(node)
        datasets = sorted(self._nodes)
        gaps = [(gap, self._concerned(gap)) for gap in store.incomplete(datasets, found.as_of)]
        gaps += [
            (
                gap,
                self._concerned(gap) if gap.reason in _AT_A_PATH else self._reaching(self._nodes[dataset]),
            )
            for dataset, beyond in store.possible_outputs(datasets, found.as_of, earlier=True).items()
            for gap in beyond
        ]
        by_original = groupby(sorted(copies, key=lambda each: each.original), key=lambda each: each.original)
        for original, some in by_original:
            bits = self._reaching(self._nodes.get(original, ()))
            gaps += [(gap, bits) for gap in possible_copies(some)]
        self._of: list[dict[Incomplete, None]] = [{} for _ in propagation.starts]
        for gap, bits in gaps:
            for place in places(bits):
                self._of[place][gap] = None

    def of(self, place: int) -> tuple[Incomplete, ...]:
        """The gaps of the attribute in order; those of the bounds come last."""
        cut = (
            Incomplete(self._found.end(node) or "DEPTH", node.dataset, node.path)
            for node in self._propagation.cut(place)
        )
        return (*gaps_in_order(self._of[place]), *cut)

    def _concerned(self, gap: Incomplete) -> int:
        nodes = self._nodes[gap.dataset]
        if not concerns_all(gap, Direction.FORWARD):
            at = NodeKey(gap.dataset, gap.path)
            nodes = [node for node in nodes if comparable(node, at)]
        return self._reaching(nodes)

    def _reaching(self, nodes: Iterable[NodeKey]) -> int:
        bits = 0
        for node in nodes:
            bits |= self._propagation.reaching(node)
        return bits
