"""What the program of one application has collected: the paths whose values its driver, or its own code, was given.

Spark does not see what becomes of them there. They may come back as constants, as rows of the program or inside its
functions, so whoever analyses a later plan asks whether anything is here (``bool``), and lists it as possible origins.
It is bounded, and reports that: of a dataset with many paths the whole dataset is kept, of many datasets the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from headwater_spark.naming.datasets import DatasetId

PathSteps = tuple[str, ...]

MOST_PATHS = 100
"""Of one dataset; with more, it is kept as a whole."""
MOST_DATASETS = 100
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Holding:
    """What was collected up to a moment. ``unnamed``: also something of which no dataset is known, or too many.

    ``since`` is when a dataset was read first, in epoch milliseconds.
    """

    places: tuple[tuple[DatasetId, PathSteps], ...] = ()
    unnamed: bool = False
    since: Mapping[DatasetId, int] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.places) or self.unnamed

    def __str__(self) -> str:
        by_dataset: dict[DatasetId, list[str]] = {}
        for dataset, path in self.places:
            by_dataset.setdefault(dataset, []).append(".".join(path) or "all of it")
        texts = [f"{dataset.name} ({_some(paths)})" for dataset, paths in by_dataset.items()]
        return _some([*texts, *["data of which no dataset is known"] * self.unnamed])


def _some(texts: list[str]) -> str:
    more = len(texts) - _SHOWN
    return ", ".join(texts[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


@dataclass(slots=True)
class Collected:
    """Grows with each action that hands values to the program."""

    _paths: dict[DatasetId, dict[PathSteps, None]] = field(default_factory=dict)
    _since: dict[DatasetId, int] = field(default_factory=dict)
    _unnamed: bool = False
    _now: Holding | None = None

    def __bool__(self) -> bool:
        return bool(self._paths) or self._unnamed

    def add(self, dataset: DatasetId, path: PathSteps, at: int) -> None:
        """The values at that path, and below it, were handed over; they were read at that time."""
        known = self._paths.get(dataset, {})
        if known:
            self._see(dataset, at)
        if any(path[:length] in known for length in range(len(path) + 1)):
            return None
        if not known and len(self._paths) >= MOST_DATASETS:
            return self.add_unnamed()
        self._see(dataset, at)
        kept = [each for each in known if each[: len(path)] != path]
        whole: PathSteps = ()
        self._paths[dataset] = dict.fromkeys([*kept, path] if len(kept) < MOST_PATHS else [whole])
        self._now = None
        return None

    def _see(self, dataset: DatasetId, at: int) -> None:
        if at < self._since.get(dataset, at + 1):
            self._since[dataset] = at
            self._now = None

    def add_unnamed(self) -> None:
        """Values were handed over of which no dataset is known, or those of too many datasets."""
        self._unnamed, self._now = True, None

    @property
    def now(self) -> Holding:
        """What is here at this moment."""
        if self._now is None:
            self._now = Holding(tuple(self._places()), self._unnamed, dict(self._since))
        return self._now

    def _places(self) -> Iterator[tuple[DatasetId, PathSteps]]:
        return ((dataset, path) for dataset, paths in self._paths.items() for path in paths)
