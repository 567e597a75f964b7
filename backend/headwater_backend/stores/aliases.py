"""Which name of a dataset is its own, when events give it several.

A ``symlinks`` facet says that another name leads to the dataset; a RENAME says that its former name does. A name
follows the newest such link, and the links of where it leads, to a dataset that is no other's: its canonical name.
Where links go round in a circle (the table names the path, the path the table), the least key of the circle is
canonical.

A name that was given away by a RENAME can be given to another dataset later: by a CREATE, or by a RENAME into it. From
then on it is that dataset's own, and the older RENAME leads nowhere any more::

    RENAME final → final_old, RENAME staged → final        final is itself; staged leads to it

A RENAME or CREATE by a run that failed does not count; stores leave its links out.

What stewards decided (``headwater_backend.names``) comes after that, and holds at every time. It does not say where a
name leads, but that two datasets are one: all names of the one, whatever events say of them, and all of the other. A
namespace rule joins first, an alias joins what the rules made, each into the dataset to which it leads::

    SYMLINK table → place, RULE place → place elsewhere, ALIAS table → t
                                                    table, place, place elsewhere and t are one, with the name of t

Where the links of stewards lead to several datasets, or round in a circle, the least key is canonical. The answer
follows from the links alone, whatever came first.

A steward may also say that two names are not one dataset's: what events say between these two is then left out, as if
no event had said it. Names that other links still join stay one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple


class LinkKind(str, Enum):
    """What a link was made of; a CREATE leads from a name to itself. RULE, ALIAS and SEPARATION are
    decisions of stewards.
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
    """``name`` leads to ``dataset``, as said at ``time``; both are dataset keys. ``kind`` is a ``LinkKind``'s value."""

    name: str
    dataset: str
    time: int
    kind: str = LinkKind.SYMLINK.value


def canonical_names(links: Iterable[Link]) -> dict[str, str]:
    """Each name that is not canonical, with the one that is; ``links`` are those of a whole component."""
    known = list(links)
    names = _named_by_events(_of_events(known))
    for kind in DECIDED:
        names = _joined(names, [link for link in known if link.kind == kind])
    return {name: canonical for name, canonical in names.items() if name != canonical}


def _of_events(known: Sequence[Link]) -> list[Link]:
    """What events say, but for what stewards separated."""
    decided = (*DECIDED, LinkKind.SEPARATION.value)
    apart = {frozenset(link[:2]) for link in known if link.kind == LinkKind.SEPARATION}
    return [link for link in known if link.kind not in decided and frozenset(link[:2]) not in apart]


def _named_by_events(known: Sequence[Link]) -> dict[str, str]:
    """Where each name leads by what events say; a name that is not among them is its own."""
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
    """The names when datasets that such a link connects are one."""
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
    """Follow links until no new name comes; ``links_at`` gives those that begin or end at some names."""
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
