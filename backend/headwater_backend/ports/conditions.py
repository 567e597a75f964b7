"""The port to the conditions of lineage."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from headwater_backend.domain.model import Making


class Conditions(Protocol):
    """The predicates under which versions of lineage were made."""

    def conditions(
        self, versions: Collection[str], as_of: datetime | None = None
    ) -> Mapping[str, Sequence[Making]]:
        """The conditions under which runs made what the output of each version (``Fan.version``) may hold now, or held
        at that moment, each once: at least one for each version, without conditions where these are not known. The
        predicates of one making hold together; which of the makings something was made under is not known. Operators
        in the predicates are those in the version's transformations. One batched query for all versions.
        """
        ...
