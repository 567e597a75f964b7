"""The port to the contents of a whole store."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Protocol

from headwater_backend.domain.model import Pruned
from headwater_backend.domain.records import Batch


class Contents(Protocol):
    """Everything that is stored, for comparing, copying and pruning stores."""

    def contents(self) -> Iterator[tuple[Any, ...]]:
        """Everything that is stored, as rows that begin with their kind; equal in equal stores of any sort
        but for the order within a kind. For comparing and copying stores.
        """
        ...

    def batches(self) -> Iterator[Batch]:
        """All records of the store, some thousand at a time: applied in this order to an empty store, they
        result in equal ``contents``. What is written meanwhile may be included in part.
        """
        ...

    def prune(self, before: datetime, *, dry_run: bool = False) -> Pruned:
        """Delete runs whose last event is before the moment and that no question about a moment from then on
        needs (``in_force.pruning``), in several transactions. With ``dry_run``, only count the runs to delete.
        """
        ...
