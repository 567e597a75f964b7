"""The links that follow from decisions about names: the rules of both stores.

Decisions are stored as they are. The links that follow from them are kept beside them (``DecidedLink``), so that names
are followed through an index: a link of each alias and of each separation in force, and one of each known name to
which a namespace rule applies. Known names are those of datasets in events, of symlinks, the former names of renamed
datasets, and the ends of aliases.
A new decision recomputes all links; a batch of events only those of its own names, and none without any decision.

The canonical name of a dataset may be one that no event contains. Stores then keep an empty dataset of that name, as
long as one of its other names is that of a dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import NamedTuple

from headwater_backend.domain.model import DatasetKey, Renamed
from headwater_backend.domain.node_keys import dataset_of, named_text
from headwater_backend.domain.records import Batch, DecisionMade
from headwater_backend.in_force.aliases import DECIDED, Link, LinkKind
from headwater_backend.names.decisions import Naming, standing


class DecidedLink(NamedTuple):
    """A decision that ``name`` is, or by its kind is not, a name of ``dataset``; both are dataset keys."""

    name: str
    dataset: str
    kind: str


class KnownNaming:
    """A cache of the decisions in force, read again when there are more of them: none is ever changed or deleted.

    With ``one_writer``, each transaction that writes sees all others, and none is behind.
    """

    def __init__(self, *, one_writer: bool = False) -> None:
        self._one_writer = one_writer
        self._kept: tuple[int, Naming] | None = None
        self._read: tuple[int, Naming] | None = None

    def of(self, count: int, decisions: Callable[[], Iterable[DecisionMade]]) -> Naming:
        """The naming by so many committed decisions."""
        if self._read is None or self._read[0] != count:
            self._read = count, standing(decisions() if count else ())
        return self._read[1]

    def is_behind(self, count: int) -> bool:
        """Whether there are decisions since the last transaction that was committed."""
        return not self._one_writer and self._kept is not None and self._kept[0] != count

    def keep(self) -> None:
        """Note that the transaction was committed."""
        self._kept = self._read


def links_of(naming: Naming, names: Iterable[str]) -> set[DecidedLink]:
    """All links; ``names`` are the known names without the ends of aliases."""
    aliases = {DecidedLink(*link, LinkKind.ALIAS.value) for link in naming.links()}
    apart = {DecidedLink(*link, LinkKind.SEPARATION.value) for link in naming.separated()}
    ends = {end for link in aliases for end in link[:2]}
    return aliases | apart | rule_links(naming, {*names, *ends})


def rule_links(naming: Naming, names: Iterable[str]) -> set[DecidedLink]:
    """The links of the names to which a rule applies."""
    if not naming.rules:
        return set()
    renamed = ((name, naming.namespaces.renamed(name)) for name in names)
    return {DecidedLink(name, dataset, LinkKind.RULE.value) for name, dataset in renamed if dataset}


def names_in(batch: Batch) -> set[str]:
    """The names of datasets in a batch."""
    names = {named_text(seen.key) for seen in batch.datasets}
    names.update(link.name for link in batch.symlinks)
    names.update(change.former_name for change in batch.changes if change.former_name)
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
    """The names that became another dataset's, with the canonical names before and after."""
    pairs = ((name, before.get(name, name), after.get(name, name)) for name in {*before, *after})
    found = [Renamed(*map(dataset_of, each)) for each in pairs if each[1] != each[2]]
    return sorted(found)


def names(known: Iterable[str], aliases: Mapping[str, str]) -> dict[DatasetKey, DatasetKey]:
    """Each known name with the canonical one, in key order."""
    return {dataset_of(name): dataset_of(aliases.get(name, name)) for name in sorted({*known, *aliases})}
