"""What follows from decisions about names in a store: the rules of both stores.

Decisions are stored as they are. The links that follow from them are kept beside them (``DecidedLink``), so that names
are followed through an index: a link of each alias and of each separation that stands, and one of each known name to
which a namespace rule applies. Known names are those of datasets that events spoke of, of symlinks, the former names of
renamed datasets, and the ends of aliases.
A new decision has all links worked out anew; a batch of events only those of its own names, and nothing at all where
nobody ever decided anything.

The canonical name of a dataset may be one that no event ever gave it. Stores then keep a dataset of that name, which
holds nothing, as long as one of its other names is that of a dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from headwater_backend.domain.model import DatasetKey, Renamed
from headwater_backend.domain.node_keys import dataset_of, named_text
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.names.decisions import Naming, standing
from headwater_backend.stores.aliases import DECIDED, Link, LinkKind


class DecidedLink(NamedTuple):
    """``name`` is ``dataset``, or by the kind is not; both are dataset keys."""

    name: str
    dataset: str
    kind: str


class KnownNaming:
    """What stands, read anew when there are more decisions: none is ever changed or deleted."""

    def __init__(self) -> None:
        self._kept: tuple[int, Naming] | None = None
        self._read: tuple[int, Naming] | None = None

    def of(self, count: int, decisions: Callable[[], Iterable[DecisionMade]]) -> Naming:
        """What so many committed decisions come down to."""
        if self._read is None or self._read[0] != count:
            self._read = count, standing(decisions() if count else ())
        return self._read[1]

    def is_behind(self, count: int) -> bool:
        """Whether somebody decided something since the last transaction that was kept."""
        return self._kept is not None and self._kept[0] != count

    def keep(self) -> None:
        """The transaction was kept."""
        self._kept = self._read


def links_of(naming: Naming, names: Iterable[str]) -> set[DecidedLink]:
    """All links, where these are the known names but for the ends of aliases."""
    aliases = {DecidedLink(*link, LinkKind.ALIAS.value) for link in naming.links()}
    apart = {DecidedLink(*link, LinkKind.SEPARATION.value) for link in naming.separated()}
    ends = {end for link in aliases for end in link[:2]}
    return aliases | apart | rule_links(naming, {*names, *ends})


def rule_links(naming: Naming, names: Iterable[str]) -> set[DecidedLink]:
    """The links of those names to which a rule applies."""
    if not naming.rules:
        return set()
    renamed = ((name, naming.namespaces.renamed(name)) for name in names)
    return {DecidedLink(name, dataset, LinkKind.RULE.value) for name, dataset in renamed if dataset}


def names_in(batch: Batch) -> set[str]:
    """The names of datasets that a batch brings."""
    names = {named_text(seen.key) for seen in batch.datasets}
    names.update(link.name for link in batch.symlinks)
    names.update(change.previous for change in batch.changes if change.previous)
    return names


def ends_of(links: Iterable[DecidedLink]) -> set[str]:
    """The names that the links connect."""
    return {end for link in links for end in (link.name, link.dataset)}


def nameless(canonical: Mapping[str, str], links: Iterable[Link], seen: Collection[str]) -> list[str]:
    """The canonical names that no dataset has, of components in which some name is that of a dataset (``seen``)."""
    if not any(link.kind in DECIDED for link in links):
        return []
    return sorted({own for name, own in canonical.items() if name in seen} - set(seen))


def renamed(before: Mapping[str, str], after: Mapping[str, str]) -> list[Renamed]:
    """The names that are another dataset's than before, by the canonical names of then and now."""
    pairs = ((name, before.get(name, name), after.get(name, name)) for name in {*before, *after})
    found = [Renamed(*map(dataset_of, each)) for each in pairs if each[1] != each[2]]
    return sorted(found)


def names(known: Iterable[str], aliases: Mapping[str, str]) -> dict[DatasetKey, DatasetKey]:
    """Each known name with the canonical one, in key order."""
    return {dataset_of(name): dataset_of(aliases.get(name, name)) for name in sorted({*known, *aliases})}
