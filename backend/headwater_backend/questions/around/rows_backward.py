"""From rows that are made, BACKWARD to what decided about those of which they are made (``rows``)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from headwater_backend.domain.model import (
    BETWEEN_ROWS,
    DatasetKey,
    Fan,
    LineageType,
    NodeKey,
    only_read_as,
)
from headwater_backend.questions.around.rows import Fans, Opened, Rows, Ways, to_rows


class RowsBackward(Rows):
    def __init__(self) -> None:
        super().__init__()
        self._arrived: set[DatasetKey] = set()
        self._ways = Ways()

    @property
    def unread(self) -> Sequence[NodeKey]:
        return self.waiting

    def opened(self, paths: Fans, around: Mapping[NodeKey, list[Fan]]) -> Opened:
        to = {node: some for node, fans in paths.items() if (some := list(filter(to_rows, fans)))}
        if not (to or self.waiting):
            return Opened(paths)
        left = {node: [fan for fan in paths[node] if not to_rows(fan)] for node in to}
        wholes = {whole.dataset: whole for whole in self.waiting}
        deciding: dict[NodeKey, list[Fan]] = defaultdict(list)
        for near, fans in around.items():
            if (whole := wholes.get(near.dataset)) is not None:
                for fan in fans:
                    deciding[whole] += _deciding(fan)
                    to.setdefault(whole, []).extend(_made_of(whole, fan))
        return Opened({**paths, **left}, deciding, to)

    def advance(self, level: int, opened: Opened, wholes: Iterable[NodeKey]) -> list[tuple[int, Fans]]:
        for fans in opened.rows.values():
            self._ways.show(*fans[:1])
        following: dict[NodeKey, None] = {}
        for node, fans in opened.to_rows.items():
            for fan in dict.fromkeys(fans):
                for far in fan.fars:
                    self._ways.add(level, node, fan._replace(fars=(far,)))
                    following[far] = None
        self.waiting = [far for far in following if far.dataset not in self._arrived]
        self._arrived.update(far.dataset for far in self.waiting)
        return self._ways.drained()

    def searched(self) -> Set[DatasetKey]:
        return self._arrived


def _deciding(fan: Fan) -> Iterator[Fan]:
    """What of a fan decides about its whole near end, other than rows."""
    kinds = () if fan.near.path else tuple(t for t in fan.transformations if t.type is LineageType.INDIRECT)
    if kinds and not to_rows(fan):
        yield fan._replace(transformations=kinds)


def _made_of(whole: NodeKey, fan: Fan) -> Iterator[Fan]:
    """The fan from the rows of the dataset to those of which it is made, by a fan into it or into a path of it."""
    datasets = {far.dataset for far in fan.fars} - {whole.dataset}
    if not datasets or only_read_as(fan.transformations):
        return
    if fan.direct or fan.near.path:
        fars = tuple(NodeKey(dataset, ()) for dataset in sorted(datasets))
        yield Fan(whole, fars, fan.job, BETWEEN_ROWS, fan.version)
    elif to_rows(fan):  # whatever else decides about all is followed by itself
        yield fan
