"""Which name of a dataset is its own, when events give it several.

A ``symlinks`` facet says that another name leads to the dataset; a RENAME says that its former name does. A name
follows the newest such link, and the links of where it leads, to a dataset that is no other's: its canonical name.
Where links go round in a circle (the table names the path, the path the table), the least key of the circle is
canonical.

A name that was given away by a RENAME can be given to another dataset later: by a CREATE, or by a RENAME into it. From
then on it is that dataset's own, and the older RENAME leads nowhere any more::

    RENAME final → final_old, RENAME staged → final        final is itself; staged leads to it

A RENAME or CREATE by a run that failed does not count; stores leave its links out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any, NamedTuple


class LinkKind(str, Enum):
    """What a link was made of; a CREATE leads from a name to itself."""

    SYMLINK = "SYMLINK"
    RENAME = "RENAME"
    CREATE = "CREATE"


class Link(NamedTuple):
    """``name`` leads to ``dataset``, as said at ``time``; both are dataset keys. ``kind`` is a ``LinkKind``'s value."""

    name: str
    dataset: str
    time: int
    kind: str = LinkKind.SYMLINK.value


def canonical_names(links: Iterable[Link]) -> dict[str, str]:
    """Each name that is not canonical, with the one that is; ``links`` are those of a whole component."""
    known = list(links)
    own = _given_at(known)
    newest: dict[str, Link] = {}
    for link in known:
        if link.kind == LinkKind.CREATE or (
            link.kind == LinkKind.RENAME and link.time < own.get(link.name, 0)
        ):
            continue
        best = newest.get(link.name)
        if best is None or (link.time, link.dataset) > (best.time, best.dataset):
            newest[link.name] = link
    leads = {name: link.dataset for name, link in newest.items()}
    names = {name: _follow(name, leads) for name in leads}
    return {name: canonical for name, canonical in names.items() if name != canonical}


def links_around(
    links_at: Callable[[list[str]], Iterable[Iterable[Any]]], names: set[str]
) -> tuple[set[Link], set[str]]:
    """Follow links until no new name comes; ``links_at`` gives those that begin or end at some names."""
    links: set[Link] = set()
    seen: set[str] = set()
    while names:
        seen |= names
        links.update(Link._make(row) for row in links_at(sorted(names)))
        names = {name for link in links for name in (link.name, link.dataset)} - seen
    return links, seen


def _given_at(links: Iterable[Link]) -> dict[str, int]:
    """When each name was last given to a dataset, by CREATE or by RENAME into it."""
    given: dict[str, int] = {}
    for link in links:
        if link.kind != LinkKind.SYMLINK:
            given[link.dataset] = max(link.time, given.get(link.dataset, link.time))
    return given


def _follow(name: str, leads: dict[str, str]) -> str:
    trail: dict[str, None] = {}
    while name in leads and name not in trail:
        trail[name] = None
        name = leads[name]
    if name not in trail:
        return name
    steps = list(trail)
    return min(steps[steps.index(name) :])
