"""Canonical names of datasets that have several names.

A ``symlinks`` facet leads from another name to the dataset; a RENAME leads from its former name to it. A name follows
the newest such link, and then the links of its target, to a name without a link: the canonical name. Where links form
a circle (the table links to the path, the path to the table), the least key of the circle is canonical.

A name that was given away by a RENAME can be given to another dataset later: by a CREATE, or by a RENAME into it. From
then on it is that dataset's own name, and the older RENAME has no effect::

    RENAME final → final_old, RENAME staged → final        final is itself; staged leads to it

A RENAME or CREATE by a failed run does not count (``datasets.changes.links``).

Decisions of stewards (``headwater_backend.names``) are applied after that, and hold at every time. Such a link does not
redirect a name, it joins two datasets with all their names, whatever the events contain. A namespace rule joins
first, an alias joins the results of the rules, each into the dataset to which it leads::

    SYMLINK table → place, RULE place → place elsewhere, ALIAS table → t
                                                    table, place, place elsewhere and t are one, with the name of t

Where the links of stewards lead to several datasets, or form a circle, the least key is canonical. The result
depends on the links alone, not on their order.

A steward may also separate two names: links between these two out of events are then ignored. Names that other links
still join stay one dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple


class LinkKind(str, Enum):
    """The origin of a link; a CREATE leads from a name to itself. RULE, ALIAS and SEPARATION are decisions of
    stewards.
    """

    SYMLINK = "SYMLINK"
    RENAME = "RENAME"
    CREATE = "CREATE"
    RULE = "RULE"
    ALIAS = "ALIAS"
    SEPARATION = "SEPARATION"


TIMELESS: Final = frozenset(kind.value for kind in LinkKind if kind not in (LinkKind.RENAME, LinkKind.CREATE))
"""The kinds of links that hold at every time."""
DECIDED: Final = (LinkKind.RULE.value, LinkKind.ALIAS.value)
"""The kinds of links that stewards decided, in the order in which they join datasets."""


class Link(NamedTuple):
    """A link from ``name`` to ``dataset`` since ``time``; both are dataset keys. ``kind`` is a ``LinkKind``'s value."""

    name: str
    dataset: str
    time: int
    kind: str = LinkKind.SYMLINK.value


def canonical_names(links: Iterable[Link]) -> dict[str, str]:
    """From each name that is not canonical to the canonical one; ``links`` are those of whole components."""
    known = list(links)
    names = _named_by_events(_of_events(known))
    for kind in DECIDED:
        names = _joined(names, [link for link in known if link.kind == kind])
    return {name: canonical for name, canonical in names.items() if name != canonical}


def _of_events(known: Sequence[Link]) -> list[Link]:
    """The links out of events, without those that stewards separated."""
    decided = (*DECIDED, LinkKind.SEPARATION.value)
    apart = {frozenset(link[:2]) for link in known if link.kind == LinkKind.SEPARATION}
    return [link for link in known if link.kind not in decided and frozenset(link[:2]) not in apart]


def _named_by_events(known: Sequence[Link]) -> dict[str, str]:
    """Where each name leads by the links out of events; a name without links is its own."""
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
    names = dict.fromkeys((end for link in known for end in (link.name, link.dataset)), "")
    return {name: _follow(name, leads) for name in names}


def _joined(names: Mapping[str, str], links: Sequence[Link]) -> dict[str, str]:
    """The names after the links joined their datasets."""
    found = {**{end: end for link in links for end in (link.name, link.dataset)}, **names}
    leads: dict[str, set[str]] = {}
    near: dict[str, set[str]] = {}
    for link in links:
        one, other = found[link.name], found[link.dataset]
        if one != other:
            leads.setdefault(one, set()).add(other)
            near.setdefault(one, set()).add(other)
            near.setdefault(other, set()).add(one)
    canonical = {
        each: min(component - leads.keys() or component)
        for component in _components(near)
        for each in component
    }
    return {name: canonical.get(own, own) for name, own in found.items()}


def _components(near: Mapping[str, set[str]]) -> Iterator[set[str]]:
    left = set(near)
    while left:
        component: set[str] = set()
        reached = {left.pop()}
        while reached:
            component |= reached
            reached = {end for each in reached for end in near[each]} - component
        left -= component
        yield component


def links_around(
    links_at: Callable[[list[str]], Iterable[Iterable[Any]]], names: set[str]
) -> tuple[set[Link], set[str]]:
    """All links, and all names, that are connected with the names; ``links_at`` returns those at some names."""
    links: set[Link] = set()
    seen: set[str] = set()
    while names:
        seen |= names
        links.update(Link._make(row) for row in links_at(sorted(names)))
        names = {name for link in links for name in (link.name, link.dataset)} - seen
    return links, seen


def _given_at(links: Sequence[Link]) -> dict[str, int]:
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
