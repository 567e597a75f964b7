"""What the program of one application may hold of data, as far as the agent can know.

*Collected* are paths whose values its driver, or its own code, was given. Spark does not see what becomes of them:
they may come back as constants, as rows of the program or inside its functions. *Shown* is what was printed, became the
name of a column or the text of an error, or stands in files that the program opened by itself: it is taken to come back
in rows that the program hands in, and not in each constant. Both are possible origins of a later plan. From *outside*
may be in such rows what nobody saw the program read, and names of columns that Spark found in data. Of a program that
was seen to read by itself, the constants that nobody *wrote* are taken for such rows.

All is bounded, and reports that: of a dataset with many paths the whole dataset is kept, of many datasets the first.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from headwater_facets.locations import DatasetId
from headwater_spark.tracing.written_names import Names

PathSteps = tuple[str, ...]

MOST_PATHS = 100
"""Of one dataset; with more, it is kept as a whole."""
MOST_DATASETS = 100
_SHOWN = 5


class MayHold(NamedTuple):
    """Of which kinds something is there, and which constants and names are in doubt: all but those that somebody has
    ``written``, where these are given, and those among the ``names``, where these are.
    """

    collected: bool = False
    shown: bool = False
    outside: bool = False
    written: Container[str] | None = None
    names: Names | None = None

    def in_plan(self, words: Callable[[], frozenset[str]]) -> MayHold:
        """The same in a plan whose names may have these words; without data, no name is in doubt."""
        if self.names is None:
            return self
        return self._replace(names=self.names.beside(words()) if self.in_constants else None)

    @property
    def in_rows(self) -> bool:
        """Whether there may be data in rows that the program hands in."""
        return self.collected or self.shown or self.outside

    @property
    def in_constants(self) -> bool:
        """Whether there may be data in constants."""
        return self.collected or self.written is not None


NOTHING_HELD = MayHold()


_Place: TypeAlias = tuple[DatasetId, PathSteps]


@dataclass(frozen=True, slots=True)
class Places:
    """Paths of datasets. ``unnamed``: also something of which no dataset is known, or too many.

    ``since`` is when a dataset was read first, in epoch milliseconds.
    """

    places: tuple[_Place, ...] = ()
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

    def __or__(self, other: Places) -> Places:
        since = {key: min(self.since.get(key, at), at) for key, at in other.since.items()}
        places = dict.fromkeys((*self.places, *other.places))
        return Places(tuple(places), self.unnamed or other.unnamed, {**self.since, **since})


NOWHERE = Places()


@dataclass(frozen=True, slots=True)
class Holding:
    """What the program may hold at a moment; ``outside`` says why there may be more, or is empty."""

    collected: Places = NOWHERE
    shown: Places = NOWHERE
    outside: str = ""
    written: Container[str] | None = None
    names: Names | None = None

    @property
    def in_rows(self) -> Places:
        """What may be in rows that the program hands in."""
        return self.collected | self.shown

    @property
    def kinds(self) -> MayHold:
        """Of which kinds something is there."""
        return MayHold(bool(self.collected), bool(self.shown), bool(self.outside), self.written, self.names)


def _some(texts: list[str]) -> str:
    more = len(texts) - _SHOWN
    return ", ".join(texts[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


@dataclass(slots=True)
class _Growing:
    _paths: dict[DatasetId, dict[PathSteps, None]] = field(default_factory=dict)
    _since: dict[DatasetId, int] = field(default_factory=dict)
    unnamed: bool = False

    def add(self, dataset: DatasetId, path: PathSteps, at: int) -> None:
        known = self._paths.get(dataset, {})
        if known:
            self._since[dataset] = min(at, self._since[dataset])
        if any(path[:length] in known for length in range(len(path) + 1)):
            return
        if not known and len(self._paths) >= MOST_DATASETS:
            self.unnamed = True
            return
        self._see(dataset, at)
        kept = [each for each in known if each[: len(path)] != path]
        whole: PathSteps = ()
        self._paths[dataset] = dict.fromkeys([*kept, path] if len(kept) < MOST_PATHS else [whole])

    def _see(self, dataset: DatasetId, at: int) -> None:
        self._since[dataset] = min(at, self._since.get(dataset, at))

    def now(self) -> Places:
        places = ((dataset, path) for dataset, paths in self._paths.items() for path in paths)
        return Places(tuple(places), self.unnamed, dict(self._since))


class Collected:
    """Grows with each action that gives data to the program."""

    def __init__(self) -> None:
        self._collected = _Growing()
        self._shown = _Growing()
        self._outside: dict[str, None] = {}
        self._written: Container[str] | None = None
        self._names: Names | None = None
        self._now: Holding | None = None

    def add(self, dataset: DatasetId, path: PathSteps, at: int) -> None:
        """The values at that path, and below it, were handed over; they were read at that time."""
        self._collected.add(dataset, path, at)
        self._now = None

    def add_unnamed(self) -> None:
        """Values were handed over of which no dataset is known."""
        self._collected.unnamed, self._now = True, None

    def add_shown(self, dataset: DatasetId, path: PathSteps, at: int) -> None:
        """The program could see the values at that path, and below it, which were read at that time."""
        self._shown.add(dataset, path, at)
        self._now = None

    def add_shown_unnamed(self) -> None:
        """The program could see values of which no dataset is known."""
        self._shown.unnamed, self._now = True, None

    def add_outside(self, why: str) -> None:
        """The program may have read something by itself, or have asked for names that are data."""
        full = why not in self._outside and len(self._outside) >= MOST_DATASETS
        self._outside["it read from more places than are noted" if full else why] = None
        self._now = None

    def doubt_constants(self, written: Container[str]) -> None:
        """The program has read something by itself, and may have made constants of it, but for those that were
        written.
        """
        self._written, self._now = written, None

    def doubt_names(self, written: Names) -> None:
        """Names may be made of what is held, but for those that were written."""
        self._names, self._now = written, None

    @property
    def now(self) -> Holding:
        """What is here at this moment."""
        if self._now is None:
            outside = _some(list(self._outside))
            self._now = Holding(self._collected.now(), self._shown.now(), outside, self._written, self._names)
        return self._now
