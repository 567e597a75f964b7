"""The port to a whole store in few groups, and the groups.

A namespace is a group, and where it is open, what the names of its datasets begin with: folders, or the parts of a
schema's name. A name is divided at its slashes if it has any, or else at its dots. A group that is open is replaced
by the groups and datasets in it::

    nothing open              s3 (3 datasets)
    s3 open                   s3 raw/ (2)                      s3 mart
    s3 raw/ open, too         s3 raw/people   s3 raw/orders    s3 mart
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, NamedTuple, Protocol

from headwater_backend.domain.model import DatasetKey, JobKey

CLOSED: Final = "closed"
"""The namespace of all names that a reader may not see, whichever they are of."""
FOLDERS: Final = "/"
SCHEMAS: Final = "."


Place = tuple[str, str | None]
"""A namespace, and what names of datasets in it begin with, or one name; None for all of the namespace."""


class OpenGroup(NamedTuple):
    """A group that is open: the datasets of a namespace whose names begin with ``prefix``; empty for all."""

    namespace: str
    prefix: str


@dataclass(frozen=True, slots=True)
class Group:
    """The ``size`` datasets of a namespace at a place: those whose names begin with it, or the one that is called so;
    None for all. ``first`` and ``last`` are the names of two between which all others are, or the same, in an order
    by characters; empty where they are closed.
    """

    namespace: str
    place: str | None
    size: int
    first: str
    last: str

    @property
    def at(self) -> Place:
        return self.namespace, self.place

    @property
    def dataset(self) -> str | None:
        """The name of the dataset, if it is one."""
        return self.first if self.size == 1 and self.first else None

    @property
    def prefix(self) -> str | None:
        """What opens the group: all that the names in it begin with, up to a separator; None if nothing does."""
        if self.size == 1 or not self.first:
            return None
        pairs = zip(self.first, self.last, strict=False)
        common = "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        separator = FOLDERS if FOLDERS in self.first or FOLDERS in self.last else SCHEMAS
        return max(self.place or "", common[: common.rfind(separator) + 1], key=len)


@dataclass(frozen=True, slots=True)
class Connection:
    """The jobs that read in the ``source`` and wrote in the ``target``, by the indexes of groups; ``job`` is one."""

    source: int
    target: int
    jobs: int
    job: JobKey


@dataclass(frozen=True, slots=True)
class Grouped:
    """The groups of a store, those of several datasets first, by size; and the connections of the most jobs.

    ``groups`` and ``datasets`` also count what ``first`` left out; ``cut`` is whether connections are left out.
    """

    shown: Sequence[Group]
    connections: Sequence[Connection]
    groups: int
    datasets: int
    cut: bool


@dataclass(frozen=True, slots=True)
class Wanted:
    """The ``first`` groups where these are ``opened``, and the ``most`` connections between them. The datasets
    ``without`` are left out, by canonical names. The namespaces ``closed`` are one group, CLOSED, which shows no names.
    """

    opened: Sequence[OpenGroup]
    first: int
    most: int
    without: Sequence[DatasetKey] = ()
    closed: Sequence[str] = ()


class Overview(Protocol):
    """All datasets of a store in groups, and what jobs took from one to another."""

    def grouped(self, wanted: Wanted) -> Grouped:
        """The groups, and the connections by any run or job event, or into a program by what it collected, in one
        statement each. Datasets are counted once, whatever their names.
        """
        ...


def place_of(opened: Sequence[OpenGroup], key: DatasetKey) -> Place:
    """The place of the group that a dataset is in."""
    namespace, name = key
    around = [each.prefix for each in opened if each.namespace == namespace and name.startswith(each.prefix)]
    if not around:
        return namespace, None
    separator = FOLDERS if FOLDERS in name else SCHEMAS
    end = name.find(separator, max(map(len, around)))
    return namespace, name[: end + 1] if end >= 0 else name
