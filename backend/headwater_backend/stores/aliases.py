"""Which name of a dataset is its own, when events give it several.

A ``symlinks`` facet says that another name leads to the dataset. A name follows the newest such link, and the
links of where it leads, to a dataset that is no other's symlink: its canonical name. Where links go round in a
circle (the table names the path, the path the table), the least key of the circle is canonical.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Link(NamedTuple):
    """``name`` leads to ``dataset``, as said at ``time``; both are dataset keys."""

    name: str
    dataset: str
    time: int


def canonical_names(links: Iterable[Link]) -> dict[str, str]:
    """Each name that is not canonical, with the one that is; ``links`` are those of a whole component."""
    newest: dict[str, Link] = {}
    for link in links:
        known = newest.get(link.name)
        if known is None or (link.time, link.dataset) > (known.time, known.dataset):
            newest[link.name] = link
    leads = {name: link.dataset for name, link in newest.items()}
    names = {name: _follow(name, leads) for name in leads}
    return {name: canonical for name, canonical in names.items() if name != canonical}


def _follow(name: str, leads: dict[str, str]) -> str:
    trail: dict[str, None] = {}
    while name in leads and name not in trail:
        trail[name] = None
        name = leads[name]
    if name not in trail:
        return name
    steps = list(trail)
    return min(steps[steps.index(name) :])
