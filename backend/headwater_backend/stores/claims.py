"""Claims about datasets (``domain.node_keys``), out of the facets that a store keeps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from headwater_backend.domain.model import Claim, ClaimPlace, DatasetKey
from headwater_backend.domain.moments import moment
from headwater_backend.domain.node_keys import CLAIM, claim_of, claim_owner, claims_about, named_text


class ClaimRow(NamedTuple):
    """A claim as stored."""

    owner: str
    name: str
    time: int
    body: str

    def claim(self) -> Claim:
        """The claim out of the row."""
        dataset, by = claim_of(self.owner)
        return Claim(dataset, by, self.name, moment(self.time), json.loads(self.body))


def parameters(first: int, after: ClaimPlace | None, among: Sequence[DatasetKey] | None) -> dict[str, Any]:
    """The parameters of both stores' statements; ``starts`` are beginnings of owners."""
    starts = [CLAIM] if among is None else sorted({claims_about(named_text(key)) for key in among})
    owner = claim_owner(named_text(after.dataset), after.by) if after else ""
    return {"starts": starts, "owner": owner, "name": after.facet if after else "", "count": first}
