"""What an execution took out of caches: when the rows were read of which a cache was filled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from headwater_facets.locations import DatasetId
from headwater_spark.decode import source_of_leaf
from headwater_spark.guard import Failure, guarded
from headwater_spark.naming.datasets import Catalogs, resolve_datasets


@dataclass(frozen=True, slots=True)
class Caches:
    """When rows of each dataset were read first, and rows that may be of any dataset, in epoch milliseconds."""

    since: Mapping[DatasetId, int] = field(default_factory=dict)
    unnamed: int | None = None

    def __bool__(self) -> bool:
        return bool(self.since) or self.unnamed is not None

    @classmethod
    def of(cls, entries: Iterable[Mapping[str, Any]], catalogs: Catalogs) -> Caches:
        """The entries of an ``execution-end`` document: leaves of the plans that filled the caches."""
        found = cls()
        for each in entries:
            time, source = int(each["since"]), _source(each)
            named = {} if source is None else dict.fromkeys(_datasets(source, catalogs), time)
            found = found.joined(cls(named, time if source is None else None))
        return found

    def joined(self, other: Caches) -> Caches:
        """Both; the earlier of two times for one dataset."""
        since = {
            name: min(each[name] for each in (self.since, other.since) if name in each)
            for name in {**self.since, **other.since}
        }
        unnamed = [time for time in (self.unnamed, other.unnamed) if time is not None]
        return Caches(since, min(unnamed, default=None))

    def read_at(self, source: Mapping[str, Any], catalogs: Catalogs) -> int | None:
        """When rows of that source were read first; None where a cache has none of it."""
        known = [self.since[each] for each in _datasets(source, catalogs) if each in self.since]
        return min([*known, *([] if self.unnamed is None else [self.unnamed])], default=None)


def _source(entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    found = guarded(lambda: source_of_leaf(entry["leaf"]))
    return None if isinstance(found, Failure) else found


def _datasets(source: Mapping[str, Any], catalogs: Catalogs) -> Iterator[DatasetId]:
    """The datasets of a source, of an RDD those that it goes back to."""
    for each in source.get("inputs") or (source,):
        yield from (dataset.id for dataset in resolve_datasets(each, catalogs))
