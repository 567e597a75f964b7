"""From rows about which something decides, FORWARD to what is made of them (``rows``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from headwater_backend.domain.model import (
    BETWEEN_ROWS,
    DatasetKey,
    Fan,
    JobKey,
    NodeKey,
    only_read_as,
)
from headwater_backend.questions.around.rows import Fans, Opened, Rows, Ways, of_rows


class RowsForward(Rows):
    def __init__(self) -> None:
        super().__init__()
        self._levels: list[tuple[int, Opened, list[NodeKey]]] = []
        self._kept: Fans = {}
        self._followed: set[NodeKey] = set()
        self._arrived: set[DatasetKey] = set()
        self._read: set[DatasetKey] = set()
        self._made: dict[DatasetKey, dict[_Made, None]] = defaultdict(dict)
        self._ways = Ways()

    @property
    def unread(self) -> Sequence[NodeKey]:
        return [whole for whole in self.waiting if whole.dataset not in self._read]

    def from_path(self, near: NodeKey, fans: list[Fan]) -> list[Fan]:
        kept = [] if near.path else list(filter(of_rows, fans))
        if not kept:
            return fans
        self._kept[near] = kept
        return [fan for fan in fans if not of_rows(fan)]

    def opened(self, paths: Fans, around: Mapping[NodeKey, list[Fan]]) -> Opened:
        to: Fans = {}
        wholes = {whole.dataset: whole for whole in self.unread}
        for near, fans in around.items():
            if (whole := wholes.get(near.dataset)) is not None:
                known = self._made[near.dataset]
                fresh = [made for made in _made_from(near, fans) if made not in known]
                to.setdefault(whole, []).extend(made.from_rows(whole) for made in fresh)
                if near == whole:
                    self.from_path(near, fans)
        self._read.update(wholes)
        if self._kept:
            self._catch_up()
        arrived = {*self._arrived, *(whole.dataset for whole in self.waiting)}
        of_them = {
            whole: fans
            for whole, fans in self._kept.items()
            if whole.dataset in arrived and whole not in paths and whole not in self._followed
        }
        return Opened(paths, of_them, to)

    def advance(self, level: int, opened: Opened, wholes: Iterable[NodeKey]) -> list[tuple[int, Fans]]:
        wholes = list(wholes)
        self._levels.append((level, opened, wholes))
        self._read.update(whole.dataset for whole in wholes)
        for whole in wholes:
            if fans := list(filter(of_rows, opened.paths.get(whole, ()))):
                self._kept[whole] = fans
                self._followed.add(whole)
                self._ways.show(*fans)
        self._followed.update(opened.rows)
        for fans in opened.rows.values():
            self._ways.show(*fans)
        if self._kept:
            self._catch_up()
        return self._ways.drained()

    def _catch_up(self) -> None:
        for level in self._levels:
            self._step(*level)
        self._levels = []
        unread = sorted(self._arrived - self._read)  # at which it arrived on levels before
        self.waiting = list(dict.fromkeys((*self.waiting, *(NodeKey(dataset, ()) for dataset in unread))))

    def _step(self, level: int, opened: Opened, wholes: Iterable[NodeKey]) -> None:
        """Go on from the rows at which the search arrived by that level."""
        both = chain(self.waiting, wholes)
        arriving = {each.dataset: None for each in both if each.dataset not in self._arrived}
        self.waiting = []
        for node, fans in chain(opened.paths.items(), opened.rows.items(), opened.to_rows.items()):
            known = self._made[node.dataset]
            fresh = [made for made in dict.fromkeys(_made_from(node, fans)) if made not in known]
            known.update(dict.fromkeys(fresh))
            if node.dataset in self._arrived:
                self._lead(level, node.dataset, fresh)
        self._arrived.update(arriving)
        for dataset in arriving:
            self._lead(level, dataset, self._made[dataset])

    def _lead(self, level: int, dataset: DatasetKey, some: Iterable[_Made]) -> None:
        whole = NodeKey(dataset, ())
        for made in some:
            self._ways.add(level, whole, made.from_rows(whole))
            if made.dataset not in self._arrived:
                self.waiting.append(NodeKey(made.dataset, ()))


class _Made(NamedTuple):
    """A dataset that a job makes, in a version of its lineage."""

    dataset: DatasetKey
    job: JobKey
    version: str

    def from_rows(self, whole: NodeKey) -> Fan:
        """The fan from the rows of another dataset to those of this one."""
        return Fan(whole, (NodeKey(self.dataset, ()),), self.job, BETWEEN_ROWS, self.version)


def _made_from(node: NodeKey, fans: Iterable[Fan]) -> Iterator[_Made]:
    """What the fans make of the dataset of a node, but for that of which they decide about all by themselves."""
    for fan in fans:
        if not only_read_as(fan.transformations):
            fars = (far for far in fan.fars if far.path or not of_rows(fan))
            for made in {far.dataset for far in fars} - {node.dataset}:
                yield _Made(made, fan.job, fan.version)
