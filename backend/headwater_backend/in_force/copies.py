"""Where data went that were written to a dataset, and whether they may be left somewhere."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from operator import attrgetter, itemgetter
from typing import NamedTuple, Protocol

from headwater_backend.in_force.aliases import Link
from headwater_backend.in_force.closing import names_then


class End(NamedTuple):
    """The content of ``dataset`` was dropped or certainly replaced by a run, some time between ``began`` and
    ``ended``, as was ``known`` from ``who`` since then.
    """

    dataset: str
    began: int
    ended: int
    run: str
    known: int = 0
    who: str = ""


class Window(NamedTuple):
    """What was in the dataset may have been copied between ``since`` and ``until``, and until ``late`` by runs that
    were received before ``known``.
    """

    dataset: str
    since: int
    until: int
    late: int = 0
    known: int = 0

    def covers(self, other: Window) -> bool:
        return (
            self.since <= other.since
            and other.until <= self.until
            and other.late <= self.late
            and other.known <= self.known
        )


class Reads(NamedTuple):
    """Reads between ``since`` and ``until``, and those until ``late`` that were received before ``known``."""

    since: int
    until: int
    late: int
    known: int


class Copied(NamedTuple):
    """What was in a dataset may have gone to ``output``, some time between ``began`` and ``ended``; with ``late``, only
    if it was there longer than was reported afterwards.
    """

    output: str
    began: int
    ended: int
    late: bool = False


class Left(NamedTuple):
    """Something may be left; with ``late``, only because that end was received after others had read what it ends."""

    late: End | None = None


class History(Protocol):
    """The records by which copies are followed, asked for by names of datasets."""

    def names_of(self, dataset: str) -> Sequence[str]:
        """All names of the dataset."""
        ...

    def links_around(self, names: set[str]) -> Collection[Link]:
        """All links of the components to which the names belong."""
        ...

    def ends(self, names: Sequence[str]) -> Iterable[End]:
        """The ends of what is at one of the names, in any order."""
        ...

    def copied(self, names: Sequence[str], reads: Reads) -> Iterable[Copied]:
        """Where runs that were under way then wrote what they may have read at one of the names, and the names that
        were given to one of them then.
        """
        ...


class Route(NamedTuple):
    """What was in a dataset, under one of ``names``, may have gone to ``output`` until a run ended it where it was."""

    window: Window
    names: Sequence[str]
    ended_by: str
    output: str


class _Waiting(NamedTuple):
    """Data that were written to the dataset from ``since`` on, and came by a route; ``before`` is the last moment with
    its sign changed, so that of those that begin at once the longest comes first.
    """

    since: int
    before: int
    number: int
    dataset: str
    route: Route | None
    late: End | None = None


class Copies:
    """Whether data that were written to a dataset may be somewhere at a moment: there, or where runs copied them to.

    They are gone from a dataset that was dropped or certainly replaced as a whole, if that began after they were
    written. What was read of it until that had ended is looked for in the outputs of those runs, and under the name
    that the dataset was given until then. A run may have read and written at any time while it was under way.

    Whoever writes a dataset may report afterwards that it ended earlier. So reads count until the end was received, if
    they were received before it: what was known when nobody had reported that yet is not undone by a later report.
    """

    def __init__(self, history: History, at: int) -> None:
        self._history = history
        self._at = at
        self._ends: dict[str, list[End]] = {}
        self._gone: dict[str, list[Window]] = defaultdict(list)

    def may_be_left(self, dataset: str, since: int, until: int) -> bool:
        """Whether what was written to the dataset between the two moments may be left somewhere."""
        return self.left(dataset, since, until) is not None

    def left(self, dataset: str, since: int, until: int) -> Left | None:
        """Why what was written to the dataset between the two moments may be left somewhere; None where it is gone."""
        late: End | None = None
        for _, then in self._ways(dataset, since, until, defaultdict(dict)):
            if then is None:
                return Left()
            late = late or then
        return Left(late) if late else None

    def ended(self, dataset: str) -> int:
        """When the content of the dataset was last dropped or certainly replaced; 0 if never."""
        return max((end.ended for end in self._ends_of(dataset)), default=0)

    def routes(self, dataset: str, since: int, until: int) -> Iterator[Route] | None:
        """All routes on which it may have come to where it is left; None where nothing is."""
        into: dict[str, dict[Window, list[Route]]] = defaultdict(dict)
        ways = list(self._ways(dataset, since, until, into))
        return _backward((route for route, _ in ways), into) if ways else None

    def _ways(
        self, dataset: str, since: int, until: int, into: dict[str, dict[Window, list[Route]]]
    ) -> Iterator[tuple[Route | None, End | None]]:
        """The last routes to where it may be left, None where it stayed, each with an end that was received late on the
        way to there; ``into`` gets the routes that led to each window.

        A window that an earlier one covers is not looked at again, so those that begin first are looked at first, the
        long ones before the short.
        """
        found, number = False, itertools.count()
        waiting = [_Waiting(since, -until, next(number), dataset, None)]
        while waiting:
            first, before, _, at, route, late = heappop(waiting)
            ends = self._ends_of(at)
            after = bisect_right(ends, -before, key=attrgetter("began"))
            if after == len(ends):
                found = True
                yield route, late
                continue
            end, known_gone = ends[after], _known_gone(ends[after:])
            window = Window(at, first, end.ended, known_gone, end.known)
            if any(gone.covers(window) for gone in self._gone[at]):
                continue
            known = next((other for other in into[at] if other.covers(window)), None)
            routes = into[at].setdefault(known or window, [])
            if route is not None:
                routes.append(route)
            if known is None:
                names = self._history.names_of(at)
                reads = Reads(first, end.ended, known_gone, end.known)
                for output, began, ended, after_it in self._copied(names, reads):
                    step = Route(window, names, end.run, output)
                    then = late or (end if after_it else None)
                    heappush(waiting, _Waiting(began, -ended, next(number), output, step, then))
        if not found:
            for name, windows in into.items():
                self._gone[name] += windows

    def _copied(self, names: Sequence[str], reads: Reads) -> list[Copied]:
        found = self._history.copied(names, reads)
        return [each for each in found if each.began <= self._at]

    def _ends_of(self, dataset: str) -> list[End]:
        """The ends of the content that was written under that name, in order: those of the dataset whose name it was
        then.
        """
        if dataset not in self._ends:
            names = self._history.names_of(dataset)
            links = self._history.links_around({dataset, *names})
            self._ends[dataset] = sorted(
                (
                    end
                    for end in self._history.ends(names)
                    if end.ended <= self._at and _is_one_then(end, dataset, links)
                ),
                key=itemgetter(1, 2),
            )
        return self._ends[dataset]


def _known_gone(ends: Sequence[End]) -> int:
    """When it was known that one of the ends had been."""
    return min(max(end.ended, end.known) for end in ends)


def _backward(
    last: Iterable[Route | None], into: Mapping[str, Mapping[Window, Sequence[Route]]]
) -> Iterator[Route]:
    """The routes, and those that led to them."""
    seen: set[tuple[Window, str]] = set()
    waiting = [route for route in last if route is not None]
    while waiting:
        route = waiting.pop()
        if (route.window, route.output) not in seen:
            seen.add((route.window, route.output))
            yield route
            waiting += into[route.window.dataset][route.window]


def _is_one_then(end: End, dataset: str, links: Collection[Link]) -> bool:
    """Whether both were names of one dataset when its content ended."""
    names = names_then(links, end.ended)
    return names.get(end.dataset, end.dataset) == names.get(dataset, dataset)
