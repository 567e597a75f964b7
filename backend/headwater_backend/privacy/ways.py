"""The ways of an answer: the datasets and paths from which what it lists may come."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

from headwater_backend.domain.model import DatasetKey, Direction, Incomplete, NodeKey
from headwater_backend.questions.closure import Concern


@dataclass(frozen=True)
class Ways:
    """Where values of an answer may come from: the nodes and their datasets, or everywhere without ``nodes``."""

    nodes: Iterable[NodeKey] | None = None

    @cached_property
    def datasets(self) -> frozenset[DatasetKey] | None:
        """The datasets; None where it is all of them."""
        return None if self.nodes is None else frozenset(node.dataset for node in self.nodes)

    @cached_property
    def _concern(self) -> Callable[[Incomplete], bool]:
        return Concern(self.nodes or (), Direction.BACKWARD)

    def lead_by(self, gap: Incomplete) -> bool:
        """Whether the gap is at a dataset on the ways, and at none of its paths or at one on the ways."""
        return self.nodes is None or self._concern(gap)
