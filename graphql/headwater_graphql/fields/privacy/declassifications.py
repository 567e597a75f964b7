"""Declassified paths in GraphQL."""

from __future__ import annotations

from datetime import datetime

from headwater_backend.domain.model import NodeKey
from headwater_backend.domain.moments import moment
from headwater_backend.privacy.classification.stops import Stop
from headwater_backend.questions.resolving import written
from headwater_graphql.engine import definitions
from headwater_graphql.fields.types import JobRef, PathRef


@definitions.object_type(
    description="A path at which data from upstream are not personal any more, as decided by a steward."
)
class Declassification:
    node: PathRef
    job: JobRef | None = definitions.field(description="The only job whose data are meant; null means all.")
    until: datetime | None = definitions.field(description="The end; null means that there is none.")
    at: datetime
    by: str
    reason: str

    @classmethod
    def of(cls, stop: Stop) -> Declassification:
        thing = stop.declassification
        return cls(
            node=path_ref(thing.node),
            job=JobRef.of(thing.job) if thing.job else None,
            until=thing.until,
            at=moment(stop.made.time),
            by=stop.made.actor,
            reason=stop.made.reason,
        )


def path_ref(node: NodeKey) -> PathRef:
    """Return the path with a label out of its steps alone; it may not be known any more."""
    return PathRef.of(node, {node: written(node.path) or node.dataset.name})
